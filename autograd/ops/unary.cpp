#include <ordo/autograd/ops/unary.h>

#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/gradient.h>
#include <ordo/autograd/ops/where.h>
#include <ordo/engine/check.h>
#include <ordo/kernels/elementwise/activation_gradients.h>
#include <ordo/kernels/elementwise/functions.h>

namespace ordo {
namespace {

using detail::recorded;

// The result's dtype differs from the input's only for integers, which have no gradient.

/// A function whose gradient, grad times a derivative, needs the input x only.
template <class Derivative>
Tensor from_input(const OpCall& call, Tensor result, const Tensor& t, Derivative derivative) {
  if (!recorded(t)) return call.done(std::move(result));
  return record(call, std::move(result), {t},
                [x = Saved(t), derivative](const Tensor& grad) -> TensorList { return {derivative(grad, x.get())}; });
}

/// The same with the result y.
template <class Derivative>
Tensor from_result(const OpCall& call, Tensor result, const Tensor& t, Derivative derivative) {
  if (!recorded(t)) return call.done(std::move(result));
  return record(call, std::move(result), {t},
                [derivative](const Tensor& grad, const Tensor& y) -> TensorList { return {derivative(grad, y)}; });
}

Tensor flat(const OpCall& call, Tensor result, const Tensor& t) {
  if (!recorded(t)) return call.done(std::move(result));
  return record(call, std::move(result), {t}, [](const Tensor& grad) -> TensorList { return {zeros_like(grad)}; });
}

using T = const Tensor&;

// Where a gradient has a fused kernel, it serves when the gradient itself is not to be differentiated; otherwise the
// same formula is composed of operations.

/// Linear in grad, and its own derivative; none with respect to y.
Tensor relu_gradient(const Tensor& grad, const Tensor& y) {
  const OpCall call("relu_backward", grad, y);
  Tensor r = kernels::relu_backward(grad, y);
  if (!recorded(grad)) return call.done(std::move(r));
  return record(call, std::move(r), {grad},
                [y = Saved(y.detach())](const Tensor& g) -> TensorList { return {relu_gradient(g, y.get())}; });
}

}  // namespace

Tensor neg(const Tensor& t) {
  const OpCall call("neg", t);
  Tensor r = kernels::neg(t);
  if (!recorded(t)) return call.done(std::move(r));
  return record(call, std::move(r), {t}, [](const Tensor& grad) -> TensorList { return {neg(grad)}; });
}

Tensor abs(const Tensor& t) {
  const OpCall call("abs", t);
  return from_input(call, kernels::abs(t), t, [](T grad, T x) { return grad * sign(x); });
}

Tensor square(const Tensor& t) {
  const OpCall call("square", t);
  return from_input(call, kernels::square(t), t, [](T grad, T x) { return grad * (x * 2); });
}

Tensor sign(const Tensor& t) {
  const OpCall call("sign", t);
  return flat(call, kernels::sign(t), t);
}
Tensor floor(const Tensor& t) {
  const OpCall call("floor", t);
  return flat(call, kernels::floor(t), t);
}
Tensor ceil(const Tensor& t) {
  const OpCall call("ceil", t);
  return flat(call, kernels::ceil(t), t);
}
Tensor round(const Tensor& t) {
  const OpCall call("round", t);
  return flat(call, kernels::round(t), t);
}

Tensor relu(const Tensor& t) {
  const OpCall call("relu", t);
  return from_result(call, kernels::relu(t), t, relu_gradient);
}

Tensor clamp(const Tensor& t, std::optional<Scalar> low, std::optional<Scalar> high) {
  const OpCall call("clamp", t, low, high);
  return from_input(call, kernels::clamp(t, low, high), t, [low, high](T grad, T x) {
    if (!high) return where(x >= *low, grad, 0);
    if (!low) return where(x <= *high, grad, 0);
    return where(logical_and(x >= *low, x <= *high), grad, 0);
  });
}

Tensor exp(const Tensor& t) {
  const OpCall call("exp", t);
  return from_result(call, kernels::exp(t), t, [](T grad, T y) { return grad * y; });
}

Tensor expm1(const Tensor& t) {
  const OpCall call("expm1", t);
  return from_result(call, kernels::expm1(t), t, [](T grad, T y) { return grad * (y + 1); });
}

Tensor log(const Tensor& t) {
  const OpCall call("log", t);
  return from_input(call, kernels::log(t), t, [](T grad, T x) { return grad / x; });
}

Tensor log1p(const Tensor& t) {
  const OpCall call("log1p", t);
  return from_input(call, kernels::log1p(t), t, [](T grad, T x) { return grad / (x + 1); });
}

Tensor sqrt(const Tensor& t) {
  const OpCall call("sqrt", t);
  return from_result(call, kernels::sqrt(t), t, [](T grad, T y) { return grad / (y * 2); });
}

Tensor rsqrt(const Tensor& t) {
  const OpCall call("rsqrt", t);
  return from_result(call, kernels::rsqrt(t), t, [](T grad, T y) { return grad * -0.5 * (y * y * y); });
}

Tensor reciprocal(const Tensor& t) {
  const OpCall call("reciprocal", t);
  return from_result(call, kernels::reciprocal(t), t, [](T grad, T y) { return neg(grad * (y * y)); });
}

Tensor sin(const Tensor& t) {
  const OpCall call("sin", t);
  return from_input(call, kernels::sin(t), t, [](T grad, T x) { return grad * cos(x); });
}

Tensor cos(const Tensor& t) {
  const OpCall call("cos", t);
  return from_input(call, kernels::cos(t), t, [](T grad, T x) { return neg(grad * sin(x)); });
}

Tensor tanh(const Tensor& t) {
  const OpCall call("tanh", t);
  return from_result(call, kernels::tanh(t), t,
                     [](T grad, T y) { return grad_enabled() ? grad * (1 - y * y) : kernels::tanh_backward(grad, y); });
}

Tensor sigmoid(const Tensor& t) {
  const OpCall call("sigmoid", t);
  return from_result(call, kernels::sigmoid(t), t, [](T grad, T y) {
    return grad_enabled() ? grad * (y * (1 - y)) : kernels::sigmoid_backward(grad, y);
  });
}

Tensor erf(const Tensor& t) {
  const OpCall call("erf", t);
  constexpr double two_over_sqrt_pi = 1.1283791670955126;
  return from_input(call, kernels::erf(t), t, [](T grad, T x) { return grad * (exp(neg(x * x)) * two_over_sqrt_pi); });
}

Tensor gelu(const Tensor& t, std::string_view approximate) {
  const OpCall call("gelu", t, approximate);
  ORDO_CHECK(approximate == "none" || approximate == "tanh", ValueError, "gelu",
             "approximate is \"none\" or \"tanh\", not \"{}\"", approximate);
  if (approximate == "none")
    return from_input(call, kernels::gelu(t), t, [](T grad, T x) {
      if (!grad_enabled()) return kernels::gelu_backward(grad, x);
      constexpr double sqrt_half = 0.7071067811865476, one_over_sqrt_2pi = 0.3989422804014327;
      const Tensor cdf = (erf(x * sqrt_half) + 1) * 0.5, pdf = exp(x * x * -0.5) * one_over_sqrt_2pi;
      return grad * (cdf + x * pdf);
    });
  // x s with s = sigmoid(2 u): the derivative is s + x s (1 - s) 2 u'.
  return from_input(call, kernels::gelu_tanh(t), t, [](T grad, T x) {
    if (!grad_enabled()) return kernels::gelu_tanh_backward(grad, x);
    constexpr double c = 2 * 0.7978845608028654;
    const Tensor x2 = x * x, s = sigmoid((x + x * x2 * 0.044715) * c);
    return grad * (s + x * (s * (1 - s)) * ((x2 * (3 * 0.044715) + 1) * c));
  });
}

}  // namespace ordo
