#pragma once

namespace ordo {

/// What grid_sample() finds outside of the input: zeros, the nearest cell, or the input mirrored at its borders.
enum class GridPadding : unsigned char { zeros, border, reflection };

}  // namespace ordo
