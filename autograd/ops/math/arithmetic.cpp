#include <ordo/autograd/ops/math/arithmetic.h>

#include <ordo/autograd/ops/math/binary.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/kernels/elementwise/arithmetic.h>

namespace ordo {
namespace {

bool is_one(const Scalar& s) { return s.to_double() == 1; }
Tensor scaled(const Tensor& t, const Scalar& s) { return is_one(s) ? t : mul(t, s); }
using kernels::negated;

/// Of a + factor b, and of a becoming that.
auto sum_backward(const Tensor& a, const Tensor& b, const Scalar& factor) {
  return [x = InputShape(a), y = InputShape(b), factor](const Tensor& grad) -> TensorList {
    return {x.wanted ? x.fit(grad) : Tensor(), y.wanted ? y.fit(scaled(grad, factor)) : Tensor()};
  };
}

/// A result of t and a number.
template <class F>
Tensor record_of_one(const OpCall& call, Tensor r, const Tensor& t, F gradient) {
  if (!recorded(t)) return call.done(std::move(r));
  return record(call, std::move(r), {t},
                [dtype = t.dtype(), gradient](const Tensor& grad) { return gradient(grad).to(dtype); });
}

auto sum_in_place_backward(const Tensor& b, const Scalar& factor) {
  return [y = InputShape(b), factor](const Tensor& grad) -> TensorList {
    return {grad, y.wanted ? y.fit(scaled(grad, factor)) : Tensor()};
  };
}

// What the gradients of an operation in place need of before it: self's value, and `other`, which may share its memory.
// With their histories, for second derivatives.
Tensor old_value(const Tensor& self, const Tensor& other) {
  return other.requires_grad() ? history_of(self).clone() : Tensor();
}
Saved kept(const Tensor& other, const Tensor& self) {
  if (other.is_same(self)) return Saved(history_of(self).clone());
  return Saved(other.impl()->storage == self.impl()->storage ? other.clone() : other);
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b, Scalar alpha) {
  const OpCall call("add", a, b, alpha);
  Tensor r = kernels::add(a, b, alpha);
  if (!recorded(a, b)) return call.done(std::move(r));
  return record(call, std::move(r), {a, b}, sum_backward(a, b, alpha));
}

Tensor add(const Tensor& a, Scalar b, Scalar alpha) {
  const OpCall call("add", a, b, alpha);
  return record_of_one(call, kernels::add(a, b, alpha), a, [](const Tensor& grad) { return grad; });
}

Tensor sub(const Tensor& a, const Tensor& b, Scalar alpha) {
  const OpCall call("sub", a, b, alpha);
  Tensor r = kernels::sub(a, b, alpha);
  if (!recorded(a, b)) return call.done(std::move(r));
  return record(call, std::move(r), {a, b}, sum_backward(a, b, negated(alpha)));
}

Tensor sub(const Tensor& a, Scalar b, Scalar alpha) {
  const OpCall call("sub", a, b, alpha);
  return record_of_one(call, kernels::sub(a, b, alpha), a, [](const Tensor& grad) { return grad; });
}

Tensor sub(Scalar a, const Tensor& b) {
  const OpCall call("sub", a, b);
  return record_of_one(call, kernels::sub(a, b), b, [](const Tensor& grad) { return mul(grad, -1); });
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
  return record_of_one(call, kernels::mul(a, b), a, [b](const Tensor& grad) { return mul(grad, b); });
}

Tensor div(const Tensor& a, const Tensor& b) {
  const OpCall call("div", a, b);
  Tensor r = kernels::div(a, b);
  if (!recorded(a, b)) return call.done(std::move(r));
  const InputShape x(a), y(b);
  if (!y.wanted)
    return record(call, std::move(r), {a}, [x, b = Saved(b)](const Tensor& grad) { return x.fit(div(grad, b.get())); });
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
  return record_of_one(call, kernels::div(a, b), a, [b](const Tensor& grad) { return div(grad, b); });
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

static void expect_rounding(RoundingMode mode) {
  detail::expect_enumerator("div", mode, RoundingMode::floor, "a way of rounding: there are trunc and floor");
}

/// trunc(a / b), without a gradient. Of integers what fmod leaves is divided exactly.
template <class A, class B>
static Tensor truncated(const A& a, const B& b) {
  const NoGrad guard;
  const Tensor rest = fmod(a, b);
  return is_floating(rest.dtype()) ? trunc(div(a, b)) : floor_divide(sub(a, rest), b);
}

Tensor div(const Tensor& a, const Tensor& b, RoundingMode rounding_mode) {
  const OpCall call("div", a, b, rounding_mode);
  expect_rounding(rounding_mode);
  if (rounding_mode == RoundingMode::floor) return call.done(floor_divide(a, b));
  return record(call, truncated(a, b), {a, b},
                [x = InputShape(a), y = InputShape(b)](const Tensor& grad) -> TensorList {
                  return {x.wanted ? x.fit(zeros_like(grad)) : Tensor(), y.wanted ? y.fit(zeros_like(grad)) : Tensor()};
                });
}

Tensor div(const Tensor& a, Scalar b, RoundingMode rounding_mode) {
  const OpCall call("div", a, b, rounding_mode);
  expect_rounding(rounding_mode);
  if (rounding_mode == RoundingMode::floor) return call.done(floor_divide(a, b));
  return record_of_one(call, truncated(a, b), a, [](const Tensor& grad) { return zeros_like(grad); });
}

Tensor div(Scalar a, const Tensor& b, RoundingMode rounding_mode) {
  const OpCall call("div", a, b, rounding_mode);
  expect_rounding(rounding_mode);
  if (rounding_mode == RoundingMode::floor) return call.done(floor_divide(a, b));
  return record_of_one(call, truncated(a, b), b, [](const Tensor& grad) { return zeros_like(grad); });
}

// -- in place ---------------------------------------------------------------------------------------------------------

Tensor& Tensor::add_(const Tensor& other, Scalar alpha) {
  const OpCall call("add_", *this, other, alpha);
  return detail::change_in_place(
      call, *this, other, [&] { kernels::add_(*this, other, alpha); },
      [&](const Tensor&) { return sum_in_place_backward(other, alpha); });
}

Tensor& Tensor::sub_(const Tensor& other, Scalar alpha) {
  const OpCall call("sub_", *this, other, alpha);
  return detail::change_in_place(
      call, *this, other, [&] { kernels::sub_(*this, other, alpha); },
      [&](const Tensor&) { return sum_in_place_backward(other, negated(alpha)); });
}

Tensor& Tensor::mul_(const Tensor& other) {
  const OpCall call("mul_", *this, other);
  Tensor old;
  Saved factor;
  return detail::change_in_place(
      call, *this, other,
      [&] {
        if (recorded(*this, other)) old = old_value(*this, other), factor = kept(other, *this);
        kernels::mul_(*this, other);
      },
      [&](const Tensor&) {
        return [y = InputShape(other), old, factor](const Tensor& grad) -> TensorList {
          return {ordo::mul(grad, factor.get()), y.wanted ? y.fit(ordo::mul(grad, old)) : Tensor()};
        };
      });
}

Tensor& Tensor::div_(const Tensor& other) {
  const OpCall call("div_", *this, other);
  Tensor old;
  Saved divisor;
  return detail::change_in_place(
      call, *this, other,
      [&] {
        if (recorded(*this, other)) old = old_value(*this, other), divisor = kept(other, *this);
        kernels::div_(*this, other);
      },
      [&](const Tensor&) {
        return [y = InputShape(other), old, divisor](const Tensor& grad) -> TensorList {
          const Tensor by_b = ordo::div(grad, divisor.get());
          return {by_b, y.wanted ? y.fit(ordo::mul(ordo::div(ordo::mul(by_b, old), divisor.get()), -1)) : Tensor()};
        };
      });
}

/// t changed by write(), with a gradient that depends on the one of the new value only.
template <class Write, class Backward>
static Tensor& change_by_number(const OpCall& call, Tensor& t, const Write& write, const Backward& backward) {
  return detail::change_in_place(call, t, {}, write, [&](const Tensor&) { return backward; });
}

Tensor& Tensor::add_(Scalar other) {
  const OpCall call("add_", *this, other);
  return change_by_number(
      call, *this, [&] { kernels::add_(*this, other); }, [](const Tensor& grad) { return grad; });
}

Tensor& Tensor::sub_(Scalar other) {
  const OpCall call("sub_", *this, other);
  return change_by_number(
      call, *this, [&] { kernels::sub_(*this, other); }, [](const Tensor& grad) { return grad; });
}

Tensor& Tensor::mul_(Scalar other) {
  const OpCall call("mul_", *this, other);
  return change_by_number(
      call, *this, [&] { kernels::mul_(*this, other); },
      [other](const Tensor& grad) { return ordo::mul(grad, other); });
}

Tensor& Tensor::div_(Scalar other) {
  const OpCall call("div_", *this, other);
  return change_by_number(
      call, *this, [&] { kernels::div_(*this, other); },
      [other](const Tensor& grad) { return ordo::div(grad, other); });
}

// -- powers, minima and maxima ----------------------------------------------------------------------------------------

/// grad b a^(b-1); 0 where b is 0, whatever a is.
static Tensor base_gradient(const Tensor& grad, const Tensor& a, const Tensor& b) {
  return where(b == 0, 0, grad * (b * pow(a, b - 1)));
}

/// grad a^b log(a); 0 where a is 0 and b not negative, the limit.
static Tensor exponent_gradient(const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor& result) {
  return where(logical_and(a == 0, b >= 0), 0, grad * (result * log(a)));
}

Tensor pow(const Tensor& a, const Tensor& b) {
  const OpCall call("pow", a, b);
  Tensor r = kernels::pow(a, b);
  if (!recorded(a, b)) return call.done(std::move(r));
  const InputShape x(a), y(b);
  if (!y.wanted)  // needs no result
    return record(call, std::move(r), {a}, [x, a = Saved(a), b = Saved(b)](const Tensor& grad) {
      return x.fit(base_gradient(grad, a.get(), b.get()));
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
  return record(call, std::move(r), {a}, [a = Saved(a), b](const Tensor& grad) {
    const double exponent = b.to_double();
    if (exponent == 0) return zeros_like(grad);
    const Tensor power = exponent == 2 ? a.get() : pow(a.get(), exponent - 1);
    return (grad * (power * exponent)).to(a.dtype());
  });
}

Tensor pow(Scalar a, const Tensor& b) {
  const OpCall call("pow", a, b);
  Tensor r = kernels::pow(a, b);
  if (!recorded(b)) return call.done(std::move(r));
  return record(call, std::move(r), {b}, [a, b = Saved(b)](const Tensor& grad, const Tensor& result) {
    const Tensor base = full({}, a, {.dtype = grad.dtype(), .device = grad.device()});
    return exponent_gradient(grad, base, b.get(), result).to(b.dtype());
  });
}

/// Equal ones get half of the gradient each.
static Tensor extremum(const OpCall& call, Tensor r, const Tensor& a, const Tensor& b, bool largest) {
  if (!recorded(a, b)) return call.done(std::move(r));
  return record(
      call, std::move(r), {a, b},
      [=, x = InputShape(a), y = InputShape(b), a = Saved(a), b = Saved(b)](const Tensor& grad) -> TensorList {
        const Tensor shared = where(a.get() == b.get(), grad * 0.5, grad);
        const auto part = [&](const Tensor& own, const Tensor& other) {
          return where(largest ? own < other : own > other, 0, shared);
        };
        return {x.wanted ? x.fit(part(a.get(), b.get())) : Tensor(),
                y.wanted ? y.fit(part(b.get(), a.get())) : Tensor()};
      });
}

Tensor minimum(const Tensor& a, const Tensor& b) {
  const OpCall call("minimum", a, b);
  return extremum(call, kernels::minimum(a, b), a, b, false);
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  const OpCall call("maximum", a, b);
  return extremum(call, kernels::maximum(a, b), a, b, true);
}

}  // namespace ordo
