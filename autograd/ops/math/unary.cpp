#include <ordo/autograd/ops/math/unary.h>

#include <cmath>

#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/kernels/elementwise/binary_functions.h>
#include <ordo/kernels/elementwise/functions.h>
#include <ordo/kernels/math/function_functors.h>

namespace ordo::math {

// Formulas of functions.def are of numbers and of tensors: math:: has the functions of both.
using ordo::abs;
using ordo::exp;
using ordo::sigmoid;
using ordo::where;
static Tensor up_to_zero(const Tensor& x) { return clamp(x, std::nullopt, 0); }

}  // namespace ordo::math

namespace ordo {
namespace {

using T = const Tensor&;
using kernels::kSeluAlpha, kernels::kSeluScale, kernels::SiluGradient;

/// A gradient, computed of `grad` and the input x, of `grad` and the result y, or of `grad` alone.
enum class Of { input, result, grad };
template <Of of, class F>
struct Derivative {
  F formula;
};
template <Of of, class F>
Derivative<of, F> derivative(F formula) {
  return {formula};
}

/// Records the result of a function. Its dtype differs from the input's only for integers, which have no gradient.
template <Of of, class F>
Tensor recorded_as(Derivative<of, F> rule, const OpCall& call, Tensor result, const Tensor& t) {
  if (!recorded(t)) return call.done(std::move(result));
  if constexpr (of == Of::input)
    return record(call, std::move(result), {t}, [x = Saved(t), f = rule.formula](T grad) { return f(grad, x.get()); });
  else if constexpr (of == Of::result)
    return record(call, std::move(result), {t}, [f = rule.formula](T grad, T y) { return f(grad, y); });
  else
    return record(call, std::move(result), {t}, [f = rule.formula](T grad) { return f(grad); });
}

/// `derivative` times grad up to `far` on either side, and its limits 0 and 1 beyond, where it would multiply infinity
/// by 0.
Tensor with_limits(const Tensor& grad, const Tensor& x, double far, const Tensor& derivative) {
  return where(x > far, grad, where(x < -far, grad * 0, grad * derivative));
}

/// Rounding between the operations counts in half types.
bool rounds_each(const Tensor& x) { return x.dtype() == float16 || x.dtype() == bfloat16; }

// The gradients of functions.def: in one pass or, where they are to be differentiated again, composed of operations.
#define ORDO_GRADIENT(name, function, group, formula) \
  Tensor name(T grad, T v, bool composed = grad_enabled()) { return composed ? formula : kernels::name(grad, v); }
#define ORDO_GRADIENT_OF2(name, function, p, q, group, formula)                    \
  Tensor name(T grad, T v, [[maybe_unused]] Scalar p, [[maybe_unused]] Scalar q) { \
    return grad_enabled() ? formula : kernels::name(grad, v, p, q);                \
  }
#define ORDO_GRADIENT_LOOP(...)
#include <ordo/kernels/elementwise/functions.def>

/// Linear in grad, and its own derivative; none with respect to y.
Tensor relu_gradient(const Tensor& grad, const Tensor& y) {
  const OpCall call("relu_backward", grad, y);
  Tensor r = kernels::relu_backward(grad, y);
  if (!recorded(grad)) return call.done(std::move(r));
  return record(call, std::move(r), {grad},
                [y = Saved(y.detach())](const Tensor& g) { return relu_gradient(g, y.get()); });
}

/// With t = tanh(log(1 + e^x)): t + x sigmoid(x) (1 - t^2).
Tensor mish_gradient(const Tensor& grad, const Tensor& x) {
  if (!grad_enabled()) return kernels::mish_backward(grad, x);
  const Tensor t = tanh(neg(logsigmoid(neg(x)))), safe = clamp(x, -800, 50);  // beyond, the second term is 0
  return grad * (t + safe * sigmoid(x) * (1 - square(t)));
}

/// Like the function, by cosine and sine of pi x; 0 at 0.
Tensor sinc_gradient(const Tensor& grad, const Tensor& x) {
  const Tensor at_zero = x == 0, safe = masked_fill(x, at_zero, 1);
  // Named, because C++ leaves the order of operands open, and with it the order in which second derivatives are added.
  const Tensor value = sinc(safe), cosine = cos(safe * M_PI);
  return masked_fill(grad * ((cosine - value) / safe), at_zero, 0);
}

Tensor selu_gradient(const Tensor& grad, const Tensor& x) {
  if (grad_enabled() || rounds_each(x)) return elu_backward(grad * kSeluScale, x, kSeluAlpha, 1);
  return kernels::selu_backward(grad, x);
}

}  // namespace

// The derivatives of functions.def.
#define OF_INPUT(...) derivative<Of::input>([=](T grad, T x) -> Tensor { return __VA_ARGS__; })
#define OF_RESULT(...) derivative<Of::result>([=](T grad, T y) -> Tensor { return __VA_ARGS__; })
#define OF_GRAD(...) derivative<Of::grad>([=](T grad) -> Tensor { return __VA_ARGS__; })
#define ZERO OF_GRAD(zeros_like(grad))
#define ORDO_FUNCTION(name, kind, group, formula, rule, ...) \
  Tensor name(const Tensor& t) {                             \
    const OpCall call(#name, t);                             \
    return recorded_as(rule, call, kernels::name(t), t);     \
  }
#define ORDO_FUNCTION_OF(name, p, standard, group, formula, rule, ...) \
  Tensor name(const Tensor& t, Scalar p) {                             \
    const OpCall call(#name, t, p);                                    \
    return recorded_as(rule, call, kernels::name(t, p), t);            \
  }
#define ORDO_FUNCTION_OF2(name, p, p_standard, q, q_standard, group, formula, rule, ...) \
  Tensor name(const Tensor& t, Scalar p, Scalar q) {                                     \
    const OpCall call(#name, t, p, q);                                                   \
    return recorded_as(rule, call, kernels::name(t, p, q), t);                           \
  }
#include <ordo/kernels/elementwise/functions.def>

Tensor clamp(const Tensor& input, std::optional<Scalar> low, std::optional<Scalar> high) {
  const OpCall call("clamp", input, low, high);
  const Scalar least = low.value_or(NAN), most = high.value_or(NAN);
  return recorded_as(OF_INPUT(clamp_backward(grad, x, least, most)), call, kernels::clamp(input, low, high), input);
}

Tensor clamp(const Tensor& input, const Tensor& low, const Tensor& high) {
  const OpCall call("clamp", input, low, high);
  detail::expect_defined("clamp", input, "input");
  ORDO_CHECK(low.defined() || high.defined(), ValueError, "clamp", "needs a bound: low, high or both");
  for (const Tensor* each : {&input, &low, &high})
    if (each->defined()) detail::expect_not_bool("clamp", each->dtype());
  Tensor r = input.detach();
  if (low.defined()) r = maximum(r, low.detach());
  if (high.defined()) r = minimum(r, high.detach());
  // A bound that is missing stands for the other one, and gets no gradient.
  const Tensor &a = low.defined() ? low : high, &b = high.defined() ? high : low;
  if (!recorded(input, a, b)) return call.done(std::move(r));
  return record(call, std::move(r), {input, a, b},
                [x = Saved(input), least = saved_if(low.defined(), low), most = saved_if(high.defined(), high),
                 of_x = InputShape(input), of_a = InputShape(a), of_b = InputShape(b)](T grad) -> TensorList {
                  const auto part = [&](const InputShape& of, T chosen) {
                    return of.wanted && chosen.defined() ? of.fit(where(chosen, grad, 0)) : Tensor();
                  };
                  const Tensor& v = x.get();
                  if (!most.defined()) return {part(of_x, v >= least.get()), part(of_a, v < least.get()), {}};
                  if (!least.defined()) return {part(of_x, v <= most.get()), {}, part(of_b, v > most.get())};
                  const Tensor &l = least.get(), &h = most.get();
                  return {part(of_x, logical_and(v >= l, v <= h)), part(of_a, logical_and(v < l, l < h)),
                          part(of_b, logical_or(v > h, l > h))};
                });
}

/// The derivative of digamma. Its own is not known here.
static Tensor trigamma(const Tensor& t) {
  const OpCall call("digamma", t);
  return record(call, kernels::trigamma(t), {t}, [](const Tensor&) -> Tensor {
    throw AutogradError("[digamma] has no second derivative: differentiate lgamma at most twice, digamma once");
  });
}

Tensor digamma(const Tensor& input) {
  const OpCall call("digamma", input);
  return recorded_as(OF_INPUT(grad * trigamma(x)), call, kernels::digamma(input), input);
}

Tensor nan_to_num(const Tensor& input, double nan, std::optional<double> posinf, std::optional<double> neginf) {
  const OpCall call("nan_to_num", input, nan, posinf, neginf);
  return recorded_as(OF_INPUT(where(isfinite(x), grad, 0)), call, kernels::nan_to_num(input, nan, posinf, neginf),
                     input);
}

Tensor bitwise_not(const Tensor& input) {
  const OpCall call("bitwise_not", input);
  detail::expect_defined("bitwise_not", input, "input");
  ORDO_CHECK(!is_floating(input.dtype()), DTypeError, "bitwise_not", "takes integers and bool, not {}", input.dtype());
  const Scalar all_bits = input.dtype() == boolean ? Scalar(true) : Scalar(input.dtype() == uint8 ? 255 : -1);
  return call.done(kernels::bitwise_xor(input, all_bits));
}

Tensor gelu(const Tensor& input, GELUApproximate approximate) {
  const OpCall call("gelu", input, approximate);
  detail::expect_enumerator("gelu", approximate, GELUApproximate::tanh, "a GELUApproximate");
  const auto exact = [](T grad, T x) {
    if (!grad_enabled()) return kernels::gelu_backward(grad, x);
    constexpr double sqrt_half = 0.7071067811865476, one_over_sqrt_2pi = 0.3989422804014327;
    const Tensor cdf = (erf(x * sqrt_half) + 1) * 0.5, pdf = exp(x * x * -0.5) * one_over_sqrt_2pi;
    return with_limits(grad, x, 40, cdf + x * pdf);
  };
  if (approximate == GELUApproximate::none)
    return recorded_as(derivative<Of::input>(exact), call, kernels::gelu(input), input);
  // x s with s = sigmoid(2 u): the derivative is s + x s (1 - s) 2 u'.
  const auto by_tanh = [](T grad, T x) {
    if (!grad_enabled()) return kernels::gelu_tanh_backward(grad, x);
    constexpr double c = 2 * 0.7978845608028654;
    const Tensor x2 = x * x, s = sigmoid((x + x * x2 * 0.044715) * c);
    return with_limits(grad, x, 30, s + x * (s * (1 - s)) * ((x2 * (3 * 0.044715) + 1) * c));
  };
  return recorded_as(derivative<Of::input>(by_tanh), call, kernels::gelu_tanh(input), input);
}

}  // namespace ordo
