// Scalar mathematics that gives the same bits on every CPU, compiler and GPU: built from + - * /, square root, fused
// multiply-adds that are written as such and bit operations, each rounded on its own (-ffp-contract=off, -fmad=false),
// without a mathematics library.
//
// float functions compute in float and, where an error would show, in two floats. Of every 13th float they are off by
// at most 1 ulp; exp, log2 and tan by 1.1, erfc, gelu, cosh, sinh and asinh by 1.8, logsigmoid and rsqrt by 2, acosh by
// 2.3, sigmoid and silu by 2.5, gelu_tanh and mish by 3.2. pow, lgamma, digamma, erfinv and sinc compute in double and
// round at the end (at most 0.501 ulp). double functions are within 2 ulp (hyperbolic functions, their inverses and
// lgamma 2.5, erfc and erfinv 3), except gelu (10) and gelu_tanh in the lower tail, where rounding the polynomial
// inside costs up to 2^9 ulp, and lgamma below 0 and digamma (3 and 9 ulp of 1 where the value is below 1, else of the
// value); maxima are asserted in tests/kernels/elementwise/math_test.cpp. NaN gives NaN, whose sign and payload are not
// promised; infinities, zeros, overflow and subnormal results follow C's annex F. Except for sin, cos and tan of huge
// angles and for math_gamma.h nothing branches, so loops vectorise.
//
// Methods: W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980 (argument reduction); J.-M.
// Muller, "Elementary Functions", 2016 (error-free sums and products, exponential and logarithm); see the parts for
// others. Polynomial coefficients of double are Chebyshev interpolants, those of float minimax approximations whose
// coefficients were rounded one after the other, computed for this library in 120 to 250 bits.
#pragma once

#include <ordo/kernels/math/math_bits.h>
#include <ordo/kernels/math/math_erf.h>
#include <ordo/kernels/math/math_exp.h>
#include <ordo/kernels/math/math_log.h>
#include <ordo/kernels/math/math_trig.h>

namespace ordo::math {

// Exact or correctly rounded operations of IEEE 754: any implementation gives the same bits.
ORDO_HD float sqrt(float x) { return ORDO_MATH_EXACT(sqrtf)(x); }
ORDO_HD double sqrt(double x) { return ORDO_MATH_EXACT(sqrt)(x); }
ORDO_HD float floor(float x) { return ORDO_MATH_EXACT(floorf)(x); }
ORDO_HD double floor(double x) { return ORDO_MATH_EXACT(floor)(x); }
ORDO_HD float ceil(float x) { return ORDO_MATH_EXACT(ceilf)(x); }
ORDO_HD double ceil(double x) { return ORDO_MATH_EXACT(ceil)(x); }
ORDO_HD float round_even(float x) { return ORDO_MATH_EXACT(rintf)(x); }  // halfway cases to even
ORDO_HD double round_even(double x) { return ORDO_MATH_EXACT(rint)(x); }

ORDO_HD float abs(float x) { return detail::magnitude_float(x); }
ORDO_HD double abs(double x) { return detail::magnitude(x); }

/// 1 / sqrt(x)
ORDO_HD float rsqrt(float x) { return 1.0f / sqrt(x); }
ORDO_HD double rsqrt(double x) { return 1.0 / sqrt(x); }

}  // namespace ordo::math

#include <ordo/kernels/math/math_arc.h>  // these need sqrt
#include <ordo/kernels/math/math_gamma.h>
#include <ordo/kernels/math/math_hyperbolic.h>
#include <ordo/kernels/math/math_pairs.h>
