// Functions of each element. All run on every device and give the same bits on each: transcendental functions are the
// library's own (kernels/elementwise/math.h says how accurate they are). Half types compute in float and round once.
// Integers and bool count as float32 in the functions that give floating results; the others keep the dtype.
// Errors: ValueError for an undefined tensor, DTypeError where a function does not take bool. Derivatives are given in
// terms of x, the input, and y, the result.
#pragma once

#include <optional>
#include <string_view>

#include <ordo/engine/tensor.h>

namespace ordo {

// -- the dtype stays; not for bool ------------------------------------------------------------------------------------
Tensor neg(const Tensor& t);     ///< -x
Tensor abs(const Tensor& t);     ///< |x|; derivative sign(x)
Tensor square(const Tensor& t);  ///< x^2
Tensor sign(const Tensor& t);    ///< -1, 0 or 1; NaN for NaN; derivative 0
Tensor relu(const Tensor& t);    ///< max(x, 0), NaN for NaN; derivative 1 where x > 0, else 0
Tensor floor(const Tensor& t);   ///< derivative 0
Tensor ceil(const Tensor& t);    ///< derivative 0
Tensor round(const Tensor& t);   ///< to the nearest integer, halfway cases to even; derivative 0

/// min(max(x, low), high), either bound may be missing (nullopt), not both. Derivative 1 where low <= x <= high, else
/// 0. A floating bound makes an integer tensor float32. ValueError for a bound that the dtype does not hold.
Tensor clamp(const Tensor& t, std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt);

// -- floating results
// -----------------------------------------------------------------------------------------------------
Tensor exp(const Tensor& t);
Tensor expm1(const Tensor& t);       ///< e^x - 1, accurate near 0
Tensor log(const Tensor& t);         ///< natural; -inf at 0, NaN below
Tensor log1p(const Tensor& t);       ///< log(1 + x), accurate near 0
Tensor sqrt(const Tensor& t);        ///< NaN below 0
Tensor rsqrt(const Tensor& t);       ///< 1 / sqrt(x)
Tensor reciprocal(const Tensor& t);  ///< 1 / x
Tensor sin(const Tensor& t);
Tensor cos(const Tensor& t);
Tensor tanh(const Tensor& t);
Tensor sigmoid(const Tensor& t);  ///< 1 / (1 + e^-x)
Tensor erf(const Tensor& t);

/// x Phi(x), Phi being the normal distribution function ("none"), or x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
/// ("tanh"). ValueError for another `approximate`; floating tensors only.
/// Source: D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units", 2016.
Tensor gelu(const Tensor& t, std::string_view approximate = "none");

inline Tensor operator-(const Tensor& t) { return neg(t); }

}  // namespace ordo
