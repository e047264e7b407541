// Functions of each element: the rows of kernels/elementwise/functions.def (neg, abs, round, exp, log, sqrt, sin, tanh,
// sigmoid, ...), where each says what it computes, and clamp, nan_to_num, bitwise_not and gelu. All run on every device
// and give the same bits on each: transcendental functions are the library's own (kernels/math/math.h says how
// accurate they are). Half types compute in float and round once. Integers and bool count as float32 in the functions
// that give floating results; the others keep the dtype. Errors: ValueError for an undefined tensor, DTypeError where a
// function does not take bool.
#pragma once

#include <optional>
#include <string_view>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

// The list, a row each: what it computes, which dtypes it takes and gives, and its derivative.
#define ORDO_FUNCTION(name, ...) Tensor name(const Tensor& t);
#define ORDO_FUNCTION_OF(name, p, standard, ...) Tensor name(const Tensor& t, Scalar p = standard);
#define ORDO_FUNCTION_OF2(name, p, p_standard, q, q_standard, ...) \
  Tensor name(const Tensor& t, Scalar p = p_standard, Scalar q = q_standard);
#include <ordo/kernels/elementwise/functions.def>

/// min(max(x, low), high), either bound may be missing (nullopt), not both. Derivative 1 where low < x < high, else
/// 0. A floating bound makes an integer tensor float32. ValueError for a bound that the dtype does not hold.
Tensor clamp(const Tensor& t, std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt);

/// x with `nan` where it is NaN, `posinf` where it is infinity and `neginf` where it is minus infinity; where these are
/// not given, the largest and the lowest finite number of the dtype. The derivative there is 0. Integers and bool stay
/// as they are. ValueError for a number that the dtype does not hold.
Tensor nan_to_num(const Tensor& t, double nan = 0, std::optional<double> posinf = std::nullopt,
                  std::optional<double> neginf = std::nullopt);

/// ~x of integers, !x of bool; no gradient. DTypeError for floating tensors.
Tensor bitwise_not(const Tensor& t);

/// x Phi(x), Phi being the normal distribution function ("none"), or x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
/// ("tanh"). ValueError for another `approximate`; floating tensors only.
/// Source: D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units", 2016.
Tensor gelu(const Tensor& t, std::string_view approximate = "none");

inline Tensor operator-(const Tensor& t) { return neg(t); }

}  // namespace ordo
