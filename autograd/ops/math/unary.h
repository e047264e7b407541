// Functions of each element x of `input`. `grad` is the gradient of the result y. What these lines say holds for all,
// unless a function says otherwise:
//
// Shapes: any; the result has the same.
// Dtypes: any; integers and bool give float32. Half types compute in float and round once.
// Throws: DTypeError when the function does not take the dtype; ValueError when input is undefined.
// Determinism: the same bits on every device at every level; transcendental functions are the library's own
// (kernels/math/math.h says how accurate they are).
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

// -- rows of kernels/elementwise/functions.def
/// -x.
/// Dtypes: any but bool, kept; integers wrap.
/// Gradient: neg(grad).
/// PyTorch: torch.neg.
Tensor neg(const Tensor& input);
/// |x|.
/// Dtypes: any but bool, kept; integers wrap.
/// Gradient: grad * sign(x).
/// PyTorch: torch.abs.
Tensor abs(const Tensor& input);
/// x^2.
/// Dtypes: any but bool, kept; integers wrap.
/// Gradient: grad * (x * 2).
/// PyTorch: torch.square.
Tensor square(const Tensor& input);
/// -1, 0 or 1; NaN for NaN.
/// Dtypes: any but bool, kept; integers wrap.
/// Gradient: 0.
/// PyTorch: torch.sign.
Tensor sign(const Tensor& input);
/// max(x, 0); NaN for NaN.
/// Dtypes: any but bool, kept; integers wrap.
/// Gradient: grad where x > 0, and at NaN; else 0.
/// PyTorch: torch.relu.
Tensor relu(const Tensor& input);
/// The largest integer that is not above x.
/// Dtypes: any but bool, kept; integers stay as they are.
/// Gradient: 0.
/// PyTorch: torch.floor.
Tensor floor(const Tensor& input);
/// The smallest integer that is not below x.
/// Dtypes: any but bool, kept; integers stay as they are.
/// Gradient: 0.
/// PyTorch: torch.ceil.
Tensor ceil(const Tensor& input);
/// The nearest integer, halfway cases to even.
/// Dtypes: any but bool, kept; integers stay as they are.
/// Gradient: 0.
/// PyTorch: torch.round.
Tensor round(const Tensor& input);
/// The integer part of x: towards zero.
/// Dtypes: any but bool, kept; integers stay as they are.
/// Gradient: 0.
/// PyTorch: torch.trunc.
Tensor trunc(const Tensor& input);
/// min(max(x, 0), 6); NaN for NaN.
/// Dtypes: any but bool, kept; integers wrap.
/// Gradient: grad where 0 < x < 6, and at NaN; else 0.
/// PyTorch: torch.nn.functional.relu6.
Tensor relu6(const Tensor& input);

/// The square root; NaN below 0.
/// Gradient: grad / (y * 2).
/// PyTorch: torch.sqrt.
Tensor sqrt(const Tensor& input);
/// 1 / sqrt(x).
/// Gradient: grad * -0.5 * (y * y * y).
/// PyTorch: torch.rsqrt.
Tensor rsqrt(const Tensor& input);
/// 1 / x.
/// Gradient: neg(grad * (y * y)).
/// PyTorch: torch.reciprocal.
Tensor reciprocal(const Tensor& input);
/// e^x.
/// Gradient: grad * y.
/// PyTorch: torch.exp.
Tensor exp(const Tensor& input);
/// e^x - 1, accurate near 0.
/// Gradient: grad * (y + 1).
/// PyTorch: torch.expm1.
Tensor expm1(const Tensor& input);
/// The natural logarithm; -inf at 0, NaN below.
/// Gradient: grad / x.
/// PyTorch: torch.log.
Tensor log(const Tensor& input);
/// log(1 + x), accurate near 0.
/// Gradient: grad / (x + 1).
/// PyTorch: torch.log1p.
Tensor log1p(const Tensor& input);
/// (e^x - e^-x) / (e^x + e^-x).
/// Gradient: grad * (1 - y * y).
/// PyTorch: torch.tanh.
Tensor tanh(const Tensor& input);
/// 1 / (1 + e^-x).
/// Gradient: grad * (y * (1 - y)).
/// PyTorch: torch.sigmoid.
Tensor sigmoid(const Tensor& input);
/// x / (1 + e^-x).
/// Gradient: grad * s * (1 + x * (1 - s)), s = sigmoid(x).
/// PyTorch: torch.nn.functional.silu.
Tensor silu(const Tensor& input);
/// x tanh(log(1 + e^x)).
/// Gradient: grad * (t + x * sigmoid(x) * (1 - t * t)), t = tanh(log(1 + e^x)).
/// PyTorch: torch.nn.functional.mish.
Tensor mish(const Tensor& input);
/// log(sigmoid(x)).
/// Gradient: grad * sigmoid(-x).
/// PyTorch: torch.nn.functional.logsigmoid.
Tensor logsigmoid(const Tensor& input);
/// min(max(x + 3, 0), 6) / 6.
/// Gradient: grad / 6 where -3 < x < 3, else 0.
/// PyTorch: torch.nn.functional.hardsigmoid.
Tensor hardsigmoid(const Tensor& input);
/// x min(max(x + 3, 0), 6) / 6.
/// Gradient: 0 up to -3, grad * (x / 3 + 0.5) below 3, else grad.
/// PyTorch: torch.nn.functional.hardswish.
Tensor hardswish(const Tensor& input);
/// 2^x.
/// Gradient: grad * y * log(2).
/// PyTorch: torch.exp2.
Tensor exp2(const Tensor& input);
/// The logarithm to base 2; -inf at 0, NaN below.
/// Gradient: grad / (x * log(2)).
/// PyTorch: torch.log2.
Tensor log2(const Tensor& input);
/// The logarithm to base 10; -inf at 0, NaN below.
/// Gradient: grad / (x * log(10)).
/// PyTorch: torch.log10.
Tensor log10(const Tensor& input);
/// x - trunc(x).
/// Gradient: grad.
/// PyTorch: torch.frac.
Tensor frac(const Tensor& input);
/// Degrees as radians: x pi / 180.
/// Gradient: grad * pi / 180.
/// PyTorch: torch.deg2rad.
Tensor deg2rad(const Tensor& input);
/// Radians as degrees: x 180 / pi.
/// Gradient: grad * 180 / pi.
/// PyTorch: torch.rad2deg.
Tensor rad2deg(const Tensor& input);
/// (e^x - e^-x) / 2.
/// Gradient: grad * cosh(x).
/// PyTorch: torch.sinh.
Tensor sinh(const Tensor& input);
/// (e^x + e^-x) / 2.
/// Gradient: grad * sinh(x).
/// PyTorch: torch.cosh.
Tensor cosh(const Tensor& input);
/// The inverse of sinh.
/// Gradient: grad * rsqrt(x * x + 1).
/// PyTorch: torch.asinh.
Tensor asinh(const Tensor& input);
/// The inverse of cosh; NaN below 1.
/// Gradient: grad * rsqrt(x * x - 1).
/// PyTorch: torch.acosh.
Tensor acosh(const Tensor& input);
/// The inverse of tanh; NaN beyond -1 and 1.
/// Gradient: grad / (1 - x * x).
/// PyTorch: torch.atanh.
Tensor atanh(const Tensor& input);
/// log(x / (1 - x)); NaN outside of [0, 1].
/// Gradient: grad / (x * (1 - x)) in [0, 1], NaN outside.
/// PyTorch: torch.logit.
Tensor logit(const Tensor& input);
/// s max(x, 0) + s a min(e^x - 1, 0), with the s and a of G. Klambauer et al., "Self-Normalizing Neural Networks",
/// 2017.
/// Gradient: grad * s * a * e^x where x <= 0, else grad * s.
/// PyTorch: torch.nn.functional.selu.
Tensor selu(const Tensor& input);
/// The error function, 2/sqrt(pi) times the integral of e^-t^2 from 0 to x.
/// Gradient: grad * 2/sqrt(pi) * exp(-x * x).
/// PyTorch: torch.erf.
Tensor erf(const Tensor& input);
/// 1 - erf(x), accurate where that is small.
/// Gradient: grad * -2/sqrt(pi) * exp(-x * x).
/// PyTorch: torch.erfc.
Tensor erfc(const Tensor& input);
/// The inverse of erf; infinite at -1 and 1, NaN beyond.
/// Gradient: grad * sqrt(pi)/2 * exp(y * y).
/// PyTorch: torch.erfinv.
Tensor erfinv(const Tensor& input);
/// log(|Gamma(x)|); infinite at 0, -1, -2, ...
/// Gradient: grad * digamma(x).
/// PyTorch: torch.lgamma.
Tensor lgamma(const Tensor& input);
/// The sine of x, in radians.
/// Gradient: grad * cos(x).
/// PyTorch: torch.sin.
Tensor sin(const Tensor& input);
/// The cosine of x, in radians.
/// Gradient: neg(grad * sin(x)).
/// PyTorch: torch.cos.
Tensor cos(const Tensor& input);
/// sin(pi x) / (pi x); 1 at 0.
/// Gradient: grad * (cos(pi x) - y) / x; 0 at 0.
/// PyTorch: torch.sinc.
Tensor sinc(const Tensor& input);
/// sin(x) / cos(x).
/// Gradient: grad * (y * y + 1).
/// PyTorch: torch.tan.
Tensor tan(const Tensor& input);
/// The angle whose sine is x; NaN beyond -1 and 1.
/// Gradient: grad * rsqrt(1 - x * x).
/// PyTorch: torch.asin.
Tensor asin(const Tensor& input);
/// The angle whose cosine is x; NaN beyond -1 and 1.
/// Gradient: neg(grad * rsqrt(1 - x * x)).
/// PyTorch: torch.acos.
Tensor acos(const Tensor& input);
/// The angle whose tangent is x.
/// Gradient: grad / (x * x + 1).
/// PyTorch: torch.atan.
Tensor atan(const Tensor& input);

/// x where x > 0, else negative_slope x.
/// Dtypes: floating, kept.
/// Gradient: grad where x > 0, else grad * negative_slope.
/// PyTorch: torch.nn.functional.leaky_relu.
Tensor leaky_relu(const Tensor& input, Scalar negative_slope = 0.01);
/// x where x > 0, else alpha (e^x - 1).
/// Dtypes: floating, kept.
/// Gradient: grad * alpha * e^x where x <= 0, else grad.
/// PyTorch: torch.nn.functional.elu.
Tensor elu(const Tensor& input, Scalar alpha = 1.0);
/// x where x > 0, else alpha (e^(x / alpha) - 1).
/// Dtypes: floating, kept.
/// Gradient: grad * e^(x / alpha) where x <= 0, else grad.
/// PyTorch: torch.nn.functional.celu.
Tensor celu(const Tensor& input, Scalar alpha = 1.0);
/// log(1 + e^(beta x)) / beta; x where beta x > threshold.
/// Dtypes: floating, kept.
/// Gradient: grad where beta x > threshold, else grad * sigmoid(beta x).
/// PyTorch: torch.nn.functional.softplus.
Tensor softplus(const Tensor& input, Scalar beta = 1.0, Scalar threshold = 20.0);
/// min(max(x, min_val), max_val); NaN for NaN.
/// Dtypes: floating, kept.
/// Gradient: grad where min_val < x < max_val, and at NaN; else 0.
/// PyTorch: torch.nn.functional.hardtanh.
Tensor hardtanh(const Tensor& input, Scalar min_val = -1.0, Scalar max_val = 1.0);
/// x where |x| > lambd, else 0; NaN for NaN.
/// Dtypes: floating, kept.
/// Gradient: grad where |x| > lambd, and at NaN; else 0.
/// PyTorch: torch.nn.functional.hardshrink.
Tensor hardshrink(const Tensor& input, Scalar lambd = 0.5);
/// x - lambd above lambd, x + lambd below -lambd, else 0; NaN for NaN.
/// Dtypes: floating, kept.
/// Gradient: grad where |x| > lambd, and at NaN; else 0.
/// PyTorch: torch.nn.functional.softshrink.
Tensor softshrink(const Tensor& input, Scalar lambd = 0.5);
// --

/// min(max(x, low), high); either bound may be missing (nullopt), not both.
///
/// Shapes: as neg.
/// Dtypes: any but bool, kept; a floating bound makes an integer tensor float32.
/// Throws: DTypeError when input is bool; ValueError when both bounds are missing, or one does not fit the dtype.
/// Determinism: as neg.
/// Gradient: grad where low < x < high, else 0.
/// PyTorch: torch.clamp.
Tensor clamp(const Tensor& input, std::optional<Scalar> low, std::optional<Scalar> high = std::nullopt);
/// min(max(x, low), high), elementwise; either bound may be undefined, not both. NaN where one of them is NaN.
///
/// Shapes: any that broadcast.
/// Dtypes: any but bool; they promote.
/// Throws: DTypeError when a tensor is bool; ShapeError when sizes do not broadcast; DeviceError when the tensors are
/// on different devices; ValueError when both bounds are undefined.
/// Determinism: as neg.
/// Gradient: of x, grad where low <= x <= high; of low, grad where x < low < high; of high, grad where x > high or
/// low > high; else 0.
/// PyTorch: torch.clamp.
Tensor clamp(const Tensor& input, const Tensor& low, const Tensor& high = {});
/// The derivative of lgamma; NaN at -1, -2, ..., infinite at 0. Its own derivative has none.
///
/// Shapes, Dtypes, Throws, Determinism: as exp; AutogradError in a third derivative.
/// Gradient: grad times the second derivative of lgamma.
/// PyTorch: torch.digamma.
Tensor digamma(const Tensor& input);

/// x with `nan` where it is NaN, `posinf` where it is infinity and `neginf` where it is minus infinity; where these are
/// not given, the largest and the lowest finite number of the dtype.
///
/// Shapes: as neg.
/// Dtypes: any, kept; integers and bool stay as they are.
/// Throws: ValueError when a number does not fit the dtype.
/// Determinism: as neg.
/// Gradient: grad where x is finite, else 0.
/// PyTorch: torch.nan_to_num.
Tensor nan_to_num(const Tensor& input, double nan = 0, std::optional<double> posinf = std::nullopt,
                  std::optional<double> neginf = std::nullopt);

/// ~x of integers, !x of bool.
///
/// Shapes: as neg.
/// Dtypes: integers and bool, kept.
/// Throws: DTypeError when input is floating.
/// Determinism: as neg.
/// Gradient: none.
/// PyTorch: torch.bitwise_not.
Tensor bitwise_not(const Tensor& input);

/// The formula of gelu.
enum class GELUApproximate : unsigned char { none, tanh };
/// x Phi(x), Phi being the normal distribution function (none), or x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
/// (tanh).
///
/// Shapes: as neg.
/// Dtypes: floating, kept.
/// Throws: DTypeError when input is not floating; ValueError when `approximate` is no value of GELUApproximate.
/// Determinism: as neg.
/// Gradient: grad times the derivative, which is 0 and 1 at the infinities.
/// PyTorch: torch.nn.functional.gelu.
/// Source: D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units", 2016.
Tensor gelu(const Tensor& input, GELUApproximate approximate = GELUApproximate::none);

inline Tensor operator-(const Tensor& x) { return neg(x); }

}  // namespace ordo
