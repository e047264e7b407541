// The choices that functions of resampling offer: kinds of padding and of interpolation.
#pragma once

namespace ordo {

/// What stands in the cells that padding adds: a number, the input mirrored at its border cells, those cells again, or
/// the input's other end.
enum class PadMode : unsigned char { constant, reflect, replicate, circular };

/// How interpolate() finds values between the input's cells.
enum class InterpolateMode : unsigned char { nearest, nearest_exact, linear, bilinear, bicubic, trilinear, area };

/// What grid_sample() finds outside of the input: zeros, the nearest cell, or the input mirrored at its borders.
enum class GridPadding : unsigned char { zeros, border, reflection };

}  // namespace ordo
