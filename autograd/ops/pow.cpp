// pow, minimum and maximum.
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/elementwise/arithmetic.h>

namespace ordo {
namespace {

using detail::InputShape;
using detail::recorded;

/// grad b a^(b-1); 0 where b is 0, whatever a is.
Tensor base_gradient(const Tensor& grad, const Tensor& a, const Tensor& b) {
  return where(b == 0, 0, grad * (b * pow(a, b - 1)));
}

/// grad a^b log(a); 0 where a is 0 and b not negative, the limit.
Tensor exponent_gradient(const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor& result) {
  return where(logical_and(a == 0, b >= 0), 0, grad * (result * log(a)));
}

}  // namespace

Tensor pow(const Tensor& a, const Tensor& b) {
  const OpCall call("pow", a, b);
  Tensor r = kernels::pow(a, b);
  if (!recorded(a, b)) return call.done(std::move(r));
  const InputShape x(a), y(b);
  if (!y.wanted)  // needs no result
    return record(call, std::move(r), {a}, [x, a = Saved(a), b = Saved(b)](const Tensor& grad) -> TensorList {
      return {x.fit(base_gradient(grad, a.get(), b.get()))};
    });
  return record(call, std::move(r), {a, b},
                [x, y, a = Saved(a), b = Saved(b)](const Tensor& grad, const Tensor& result) -> TensorList {
                  return {x.wanted ? x.fit(base_gradient(grad, a.get(), b.get())) : Tensor(),
                          y.fit(exponent_gradient(grad, a.get(), b.get(), result))};
                });
}

Tensor pow(const Tensor& a, Scalar b) {
  const OpCall call("pow", a, b);
  Tensor r = kernels::pow(a, b);
  if (!recorded(a)) return call.done(std::move(r));
  return record(call, std::move(r), {a}, [a = Saved(a), b](const Tensor& grad) -> TensorList {
    const double exponent = b.to_double();
    if (exponent == 0) return {zeros_like(grad)};
    const Tensor power = exponent == 2 ? a.get() : pow(a.get(), exponent - 1);
    return {(grad * (power * exponent)).to(a.dtype())};
  });
}

Tensor pow(Scalar a, const Tensor& b) {
  const OpCall call("pow", a, b);
  Tensor r = kernels::pow(a, b);
  if (!recorded(b)) return call.done(std::move(r));
  return record(call, std::move(r), {b}, [a, b = Saved(b)](const Tensor& grad, const Tensor& result) -> TensorList {
    const Tensor base = full({}, a, {.dtype = grad.dtype(), .device = grad.device()});
    return {exponent_gradient(grad, base, b.get(), result).to(b.dtype())};
  });
}

Tensor minimum(const Tensor& a, const Tensor& b) {
  const OpCall call("minimum", a, b);
  Tensor r = kernels::minimum(a, b);
  if (!recorded(a, b)) return call.done(std::move(r));
  return record(call, std::move(r), {a, b},
                [x = InputShape(a), y = InputShape(b), a = Saved(a), b = Saved(b)](const Tensor& grad) -> TensorList {
                  const Tensor shared = where(a.get() == b.get(), grad * 0.5, grad);
                  return {x.wanted ? x.fit(where(a.get() > b.get(), 0, shared)) : Tensor(),
                          y.wanted ? y.fit(where(b.get() > a.get(), 0, shared)) : Tensor()};
                });
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  const OpCall call("maximum", a, b);
  Tensor r = kernels::maximum(a, b);
  if (!recorded(a, b)) return call.done(std::move(r));
  return record(call, std::move(r), {a, b},
                [x = InputShape(a), y = InputShape(b), a = Saved(a), b = Saved(b)](const Tensor& grad) -> TensorList {
                  const Tensor shared = where(a.get() == b.get(), grad * 0.5, grad);
                  return {x.wanted ? x.fit(where(a.get() < b.get(), 0, shared)) : Tensor(),
                          y.wanted ? y.fit(where(b.get() < a.get(), 0, shared)) : Tensor()};
                });
}

}  // namespace ordo
