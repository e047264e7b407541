#pragma once

namespace ordo {

/// How interpolate() finds values between the input's cells.
enum class InterpolateMode : unsigned char { nearest, nearest_exact, linear, bilinear, bicubic, trilinear, area };

}  // namespace ordo
