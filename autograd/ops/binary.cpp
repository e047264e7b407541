#include <ordo/autograd/ops/binary.h>

#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/gradient.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/autograd/ops/where.h>
#include <ordo/kernels/elementwise/binary_functions.h>

namespace ordo {
namespace {

using detail::InputShape;
using detail::recorded;

using T = const Tensor&;

/// A number as an operand of a derivative.
Tensor number(Scalar s, const Tensor& grad) { return full({}, s, {.dtype = grad.dtype(), .device = grad.device()}); }

/// v / (a^2 + b^2); v where both are 0.
Tensor over_square(const Tensor& v, const Tensor& a, const Tensor& b) {
  const Tensor square = a * a + b * b;
  return v / masked_fill(square, square == 0, 1);
}

template <class OfA, class OfB>
Tensor recorded_as(OfA of_a, OfB of_b, const OpCall& call, Tensor result, const Tensor& a, const Tensor& b) {
  if (!recorded(a, b)) return call.done(std::move(result));
  return record(call, std::move(result), {a, b},
                [=, x = InputShape(a), y = InputShape(b), a = Saved(a), b = Saved(b)](const Tensor& grad,
                                                                                      const Tensor& r) -> TensorList {
                  return {x.wanted ? x.fit(of_a(grad, a.get(), b.get(), r)) : Tensor(),
                          y.wanted ? y.fit(of_b(grad, a.get(), b.get(), r)) : Tensor()};
                });
}

template <class OfA, class OfB>
Tensor recorded_as(OfA of_a, OfB, const OpCall& call, Tensor result, const Tensor& a, Scalar b) {
  if (!recorded(a)) return call.done(std::move(result));
  return record(call, std::move(result), {a}, [=, a = Saved(a)](const Tensor& grad, const Tensor& r) -> TensorList {
    return {of_a(grad, a.get(), number(b, grad), r).to(a.dtype())};
  });
}

template <class OfA, class OfB>
Tensor recorded_as(OfA, OfB of_b, const OpCall& call, Tensor result, Scalar a, const Tensor& b) {
  if (!recorded(b)) return call.done(std::move(result));
  return record(call, std::move(result), {b}, [=, b = Saved(b)](const Tensor& grad, const Tensor& r) -> TensorList {
    return {of_b(grad, number(a, grad), b.get(), r).to(b.dtype())};
  });
}

}  // namespace

#define GRADIENT(...) \
  [](T grad, [[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T y) -> Tensor { return __VA_ARGS__; }
#define ZERO GRADIENT(zeros_like(grad))
#define ORDO_FUNCTION2(name, kind, loop, formula, of_a, of_b, ...)   \
  Tensor name(const Tensor& a, const Tensor& b) {                    \
    const OpCall call(#name, a, b);                                  \
    return recorded_as(of_a, of_b, call, kernels::name(a, b), a, b); \
  }                                                                  \
  Tensor name(const Tensor& a, Scalar b) {                           \
    const OpCall call(#name, a, b);                                  \
    return recorded_as(of_a, of_b, call, kernels::name(a, b), a, b); \
  }                                                                  \
  Tensor name(Scalar a, const Tensor& b) {                           \
    const OpCall call(#name, a, b);                                  \
    return recorded_as(of_a, of_b, call, kernels::name(a, b), a, b); \
  }
#include <ordo/kernels/elementwise/binary_functions.def>

}  // namespace ordo
