#include <ordo/autograd/ops/arithmetic.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/elementwise/arithmetic.h>

namespace ordo {

namespace {

using detail::InputShape;
using detail::recorded;
using detail::saved_if;

bool is_one(const Scalar& s) { return s.to_double() == 1; }
Tensor scaled(const Tensor& t, const Scalar& s) { return is_one(s) ? t : mul(t, s); }
Scalar negated(const Scalar& s) { return s.is_floating() ? Scalar(-s.to_double()) : Scalar(-s.to_int64()); }

// `other` as an input of an operation that changes `self`: when they are one tensor, what it was before.
const Tensor& as_input(const Tensor& other, const Tensor& self, const Tensor& before) {
  return other.is_same(self) ? before : other;
}
// `other` as it is before `self`, which may share its memory, is overwritten. With its history, for second derivatives.
Saved kept(const Tensor& other, const Tensor& self, const Tensor& before) {
  if (other.is_same(self)) return Saved(before.clone());
  return Saved(other.impl()->storage == self.impl()->storage ? other.clone() : other);
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b, Scalar alpha) {
  const OpCall call("add", a, b, alpha);
  Tensor r = kernels::add(a, b, alpha);
  if (!recorded(a, b)) return call.done(std::move(r));
  return record(call, std::move(r), {a, b},
                [x = InputShape(a), y = InputShape(b), alpha](const Tensor& grad) -> TensorList {
                  return {x.wanted ? x.fit(grad) : Tensor(), y.wanted ? y.fit(scaled(grad, alpha)) : Tensor()};
                });
}

Tensor add(const Tensor& a, Scalar b, Scalar alpha) {
  const OpCall call("add", a, b, alpha);
  Tensor r = kernels::add(a, b, alpha);
  if (!recorded(a)) return call.done(std::move(r));
  return record(call, std::move(r), {a},
                [dtype = a.dtype()](const Tensor& grad) -> TensorList { return {grad.to(dtype)}; });
}

Tensor sub(const Tensor& a, const Tensor& b, Scalar alpha) {
  const OpCall call("sub", a, b, alpha);
  Tensor r = kernels::sub(a, b, alpha);
  if (!recorded(a, b)) return call.done(std::move(r));
  return record(call, std::move(r), {a, b},
                [x = InputShape(a), y = InputShape(b), alpha](const Tensor& grad) -> TensorList {
                  return {x.wanted ? x.fit(grad) : Tensor(), y.wanted ? y.fit(mul(grad, negated(alpha))) : Tensor()};
                });
}

Tensor sub(const Tensor& a, Scalar b, Scalar alpha) {
  const OpCall call("sub", a, b, alpha);
  Tensor r = kernels::sub(a, b, alpha);
  if (!recorded(a)) return call.done(std::move(r));
  return record(call, std::move(r), {a},
                [dtype = a.dtype()](const Tensor& grad) -> TensorList { return {grad.to(dtype)}; });
}

Tensor sub(Scalar a, const Tensor& b) {
  const OpCall call("sub", a, b);
  Tensor r = kernels::sub(a, b);
  if (!recorded(b)) return call.done(std::move(r));
  return record(call, std::move(r), {b},
                [dtype = b.dtype()](const Tensor& grad) -> TensorList { return {mul(grad, -1).to(dtype)}; });
}

Tensor mul(const Tensor& a, const Tensor& b) {
  const OpCall call("mul", a, b);
  Tensor r = kernels::mul(a, b);
  if (!recorded(a, b)) return call.done(std::move(r));
  const InputShape x(a), y(b);
  return record(
      call, std::move(r), {a, b},
      [x, y, a = saved_if(y.wanted, a), b = saved_if(x.wanted, b)](const Tensor& grad) -> TensorList {
        return {x.wanted ? x.fit(mul(grad, b.get())) : Tensor(), y.wanted ? y.fit(mul(grad, a.get())) : Tensor()};
      });
}

Tensor mul(const Tensor& a, Scalar b) {
  const OpCall call("mul", a, b);
  Tensor r = kernels::mul(a, b);
  if (!recorded(a)) return call.done(std::move(r));
  return record(call, std::move(r), {a},
                [dtype = a.dtype(), b](const Tensor& grad) -> TensorList { return {mul(grad, b).to(dtype)}; });
}

Tensor div(const Tensor& a, const Tensor& b) {
  const OpCall call("div", a, b);
  Tensor r = kernels::div(a, b);
  if (!recorded(a, b)) return call.done(std::move(r));
  const InputShape x(a), y(b);
  if (!y.wanted)
    return record(call, std::move(r), {a},
                  [x, b = Saved(b)](const Tensor& grad) -> TensorList { return {x.fit(div(grad, b.get()))}; });
  // d(a/b)/db = -(a/b)/b
  return record_recomputed(
      call, std::move(r), {a, b}, [a = Saved(a), b = Saved(b)] { return kernels::div(a.get(), b.get()); },
      [x, y, b = Saved(b)](const Tensor& grad, const Tensor& quotient) -> TensorList {
        const Tensor by_b = div(grad, b.get());
        return {x.wanted ? x.fit(by_b) : Tensor(), y.fit(mul(mul(by_b, quotient), -1))};
      });
}

Tensor div(const Tensor& a, Scalar b) {
  const OpCall call("div", a, b);
  Tensor r = kernels::div(a, b);
  if (!recorded(a)) return call.done(std::move(r));
  return record(call, std::move(r), {a},
                [dtype = a.dtype(), b](const Tensor& grad) -> TensorList { return {div(grad, b).to(dtype)}; });
}

Tensor div(Scalar a, const Tensor& b) {
  const OpCall call("div", a, b);
  Tensor r = kernels::div(a, b);
  if (!recorded(b)) return call.done(std::move(r));
  return record_recomputed(
      call, std::move(r), {b}, [a, b = Saved(b)] { return kernels::div(a, b.get()); },
      [dtype = b.dtype(), b = Saved(b)](const Tensor& grad, const Tensor& quotient) -> TensorList {
        return {mul(div(mul(grad, quotient), b.get()), -1).to(dtype)};
      });
}

// -- in place
// -----------------------------------------------------------------------------------------------------------

Tensor& Tensor::add_(const Tensor& other, Scalar alpha) {
  const OpCall call("add_", *this, other, alpha);
  detail::expect_defined("add_", *this, "self");
  const InPlaceChange change(call, *this, {other});
  if (!recorded(*this, other)) {
    kernels::add_(*this, other, alpha);
    return *this;
  }
  const Tensor before = history_of(*this);
  kernels::add_(*this, other, alpha);
  record_in_place(call, *this, before, {as_input(other, *this, before)},
                  [y = InputShape(other), alpha](const Tensor& grad) -> TensorList {
                    return {grad, y.wanted ? y.fit(scaled(grad, alpha)) : Tensor()};
                  });
  return *this;
}

Tensor& Tensor::sub_(const Tensor& other, Scalar alpha) {
  const OpCall call("sub_", *this, other, alpha);
  detail::expect_defined("sub_", *this, "self");
  const InPlaceChange change(call, *this, {other});
  if (!recorded(*this, other)) {
    kernels::sub_(*this, other, alpha);
    return *this;
  }
  const Tensor before = history_of(*this);
  kernels::sub_(*this, other, alpha);
  record_in_place(call, *this, before, {as_input(other, *this, before)},
                  [y = InputShape(other), alpha](const Tensor& grad) -> TensorList {
                    return {grad, y.wanted ? y.fit(ordo::mul(grad, negated(alpha))) : Tensor()};
                  });
  return *this;
}

Tensor& Tensor::mul_(const Tensor& other) {
  const OpCall call("mul_", *this, other);
  detail::expect_defined("mul_", *this, "self");
  const InPlaceChange change(call, *this, {other});
  if (!recorded(*this, other)) {
    kernels::mul_(*this, other);
    return *this;
  }
  // The gradient of `other` needs this tensor's old value, which is about to be overwritten.
  const Tensor before = history_of(*this), old = other.requires_grad() ? before.clone() : Tensor();
  const Saved factor = kept(other, *this, before);
  kernels::mul_(*this, other);
  record_in_place(call, *this, before, {as_input(other, *this, before)},
                  [y = InputShape(other), old, factor](const Tensor& grad) -> TensorList {
                    return {ordo::mul(grad, factor.get()), y.wanted ? y.fit(ordo::mul(grad, old)) : Tensor()};
                  });
  return *this;
}

Tensor& Tensor::div_(const Tensor& other) {
  const OpCall call("div_", *this, other);
  detail::expect_defined("div_", *this, "self");
  const InPlaceChange change(call, *this, {other});
  if (!recorded(*this, other)) {
    kernels::div_(*this, other);
    return *this;
  }
  const Tensor before = history_of(*this), old = other.requires_grad() ? before.clone() : Tensor();
  const Saved divisor = kept(other, *this, before);
  kernels::div_(*this, other);
  record_in_place(
      call, *this, before, {as_input(other, *this, before)},
      [y = InputShape(other), old, divisor](const Tensor& grad) -> TensorList {
        const Tensor by_b = ordo::div(grad, divisor.get());
        return {by_b, y.wanted ? y.fit(ordo::mul(ordo::div(ordo::mul(by_b, old), divisor.get()), -1)) : Tensor()};
      });
  return *this;
}

Tensor& Tensor::add_(Scalar other) {
  const OpCall call("add_", *this, other);
  detail::expect_defined("add_", *this, "self");
  const InPlaceChange change(call, *this);
  const Tensor before = recorded(*this) ? history_of(*this) : Tensor();
  kernels::add_(*this, other);
  if (before.defined())
    record_in_place(call, *this, before, {}, [](const Tensor& grad) -> TensorList { return {grad}; });
  return *this;
}

Tensor& Tensor::sub_(Scalar other) {
  const OpCall call("sub_", *this, other);
  detail::expect_defined("sub_", *this, "self");
  const InPlaceChange change(call, *this);
  const Tensor before = recorded(*this) ? history_of(*this) : Tensor();
  kernels::sub_(*this, other);
  if (before.defined())
    record_in_place(call, *this, before, {}, [](const Tensor& grad) -> TensorList { return {grad}; });
  return *this;
}

Tensor& Tensor::mul_(Scalar other) {
  const OpCall call("mul_", *this, other);
  detail::expect_defined("mul_", *this, "self");
  const InPlaceChange change(call, *this);
  const Tensor before = recorded(*this) ? history_of(*this) : Tensor();
  kernels::mul_(*this, other);
  if (before.defined())
    record_in_place(call, *this, before, {},
                    [other](const Tensor& grad) -> TensorList { return {ordo::mul(grad, other)}; });
  return *this;
}

Tensor& Tensor::div_(Scalar other) {
  const OpCall call("div_", *this, other);
  detail::expect_defined("div_", *this, "self");
  const InPlaceChange change(call, *this);
  const Tensor before = recorded(*this) ? history_of(*this) : Tensor();
  kernels::div_(*this, other);
  if (before.defined())
    record_in_place(call, *this, before, {},
                    [other](const Tensor& grad) -> TensorList { return {ordo::div(grad, other)}; });
  return *this;
}

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
