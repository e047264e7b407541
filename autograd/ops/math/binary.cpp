#include <ordo/autograd/ops/math/binary.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/elementwise/binary_functions.h>

namespace ordo {
namespace {

using T = const Tensor&;

/// A number as an operand of a derivative.
Tensor number(Scalar s, const Tensor& grad) { return full({}, s, {.dtype = grad.dtype(), .device = grad.device()}); }

/// v / (a^2 + b^2); v where both are 0.
Tensor over_square(const Tensor& v, const Tensor& a, const Tensor& b) {
  const Tensor square = a * a + b * b;
  return v / masked_fill(square, square == 0, 1);
}

/// What a derivative is computed from beside `grad`. Nothing else is saved, so that the program may change it in place.
enum Needs : unsigned char { kNothing = 0, kA = 1, kB = 2, kY = 4 };
template <class F>
struct DerivativeOf2 {
  int needs;
  F of;
  DerivativeOf2(int needs, F f) : needs(needs), of(f) {}
};

Tensor record_needing(int needs, const OpCall& call, Tensor result, InputList inputs, BackwardFunctionWithResult f) {
  if (needs & kY) return record(call, std::move(result), inputs, std::move(f));
  return record(call, std::move(result), inputs,
                [f = std::move(f)](const Tensor& grad) -> TensorList { return f(grad, Tensor()); });
}

template <class OfA, class OfB>
Tensor recorded_as(OfA of_a, OfB of_b, const OpCall& call, Tensor result, const Tensor& a, const Tensor& b) {
  if (!recorded(a, b)) return call.done(std::move(result));
  const InputShape x(a), y(b);
  const int needs = (x.wanted ? of_a.needs : 0) | (y.wanted ? of_b.needs : 0);
  return record_needing(
      needs, call, std::move(result), {a, b},
      [=, a = saved_if(needs & kA, a), b = saved_if(needs & kB, b)](const Tensor& grad, const Tensor& r) -> TensorList {
        return {x.wanted ? x.fit(of_a.of(grad, a.get(), b.get(), r)) : Tensor(),
                y.wanted ? y.fit(of_b.of(grad, a.get(), b.get(), r)) : Tensor()};
      });
}

template <class OfA, class OfB>
Tensor recorded_as(OfA of_a, OfB, const OpCall& call, Tensor result, const Tensor& a, Scalar b) {
  if (!recorded(a)) return call.done(std::move(result));
  return record_needing(
      of_a.needs, call, std::move(result), {a},
      [=, dtype = a.dtype(), a = saved_if(of_a.needs & kA, a)](const Tensor& grad, const Tensor& r) -> TensorList {
        return {of_a.of(grad, a.get(), number(b, grad), r).to(dtype)};
      });
}

template <class OfA, class OfB>
Tensor recorded_as(OfA, OfB of_b, const OpCall& call, Tensor result, Scalar a, const Tensor& b) {
  if (!recorded(b)) return call.done(std::move(result));
  return record_needing(
      of_b.needs, call, std::move(result), {b},
      [=, dtype = b.dtype(), b = saved_if(of_b.needs & kB, b)](const Tensor& grad, const Tensor& r) -> TensorList {
        return {of_b.of(grad, number(a, grad), b.get(), r).to(dtype)};
      });
}

}  // namespace

#define GRADIENT(needs, ...)                                                                                    \
  DerivativeOf2(needs, [](T grad, [[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T y) -> Tensor { \
    return __VA_ARGS__;                                                                                         \
  })
#define ZERO GRADIENT(kNothing, zeros_like(grad))
#define ORDO_FUNCTION2(name, kind, formula, of_a, of_b, ...)         \
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
#undef ZERO
#undef GRADIENT

}  // namespace ordo
