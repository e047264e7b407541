#include <ordo/kernels/elementwise/functions.h>

#include <limits>

#include <ordo/engine/check.h>
#include <ordo/engine/fits.h>
#include <ordo/engine/op_registry.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/function_loops.h>
#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {

#define ORDO_REGISTER_NUMERIC(op) ORDO_REGISTER_OP({.name = #op, .family = "elementwise", .dtypes = kNumericTypes})
#define ORDO_REGISTER_FLOATING(op) \
  ORDO_REGISTER_OP({.name = #op, .family = "elementwise", .dtypes = kAllTypes, .note = "integers give float32"})
#define ORDO_REGISTER_PREDICATE(op) \
  ORDO_REGISTER_OP(                 \
      {.name = #op, .family = "elementwise", .dtypes = kAllTypes, .differentiable = false, .note = "gives bool"})

ORDO_REGISTER_NUMERIC(neg);
ORDO_REGISTER_NUMERIC(abs);
ORDO_REGISTER_NUMERIC(square);
ORDO_REGISTER_NUMERIC(sign);
ORDO_REGISTER_NUMERIC(relu);
ORDO_REGISTER_NUMERIC(floor);
ORDO_REGISTER_NUMERIC(ceil);
ORDO_REGISTER_NUMERIC(round);
ORDO_REGISTER_NUMERIC(clamp);
ORDO_REGISTER_FLOATING(exp);
ORDO_REGISTER_FLOATING(expm1);
ORDO_REGISTER_FLOATING(log);
ORDO_REGISTER_FLOATING(log1p);
ORDO_REGISTER_FLOATING(sqrt);
ORDO_REGISTER_FLOATING(rsqrt);
ORDO_REGISTER_FLOATING(reciprocal);
ORDO_REGISTER_FLOATING(sin);
ORDO_REGISTER_FLOATING(cos);
ORDO_REGISTER_FLOATING(tanh);
ORDO_REGISTER_FLOATING(sigmoid);
ORDO_REGISTER_FLOATING(erf);
ORDO_REGISTER_OP({.name = "gelu", .family = "elementwise", .dtypes = kFloatingTypes});
ORDO_REGISTER_PREDICATE(isnan);
ORDO_REGISTER_PREDICATE(isinf);
ORDO_REGISTER_PREDICATE(isfinite);
ORDO_REGISTER_PREDICATE(logical_not);

namespace {

Tensor numeric(const UnaryOp& op, const Tensor& t) {
  const ordo::detail::OperationName name(op.name);
  detail::expect_defined(op.name, t, "input");
  const DType dtype = t.dtype();
  ORDO_CHECK(dtype != boolean, DTypeError, op.name, "does not take bool tensors; convert with to()");
  return op(t, dtype, dtype);
}

/// Integers stay as they are.
Tensor rounding(const UnaryOp& op, const Tensor& t) {
  const ordo::detail::OperationName name(op.name);
  detail::expect_defined(op.name, t, "input");
  if (is_floating(t.dtype())) return op(t, t.dtype(), t.dtype());
  ORDO_CHECK(t.dtype() != boolean, DTypeError, op.name, "does not take bool tensors; convert with to()");
  return clone(t);
}

Tensor floating(const UnaryOp& op, const Tensor& t) {
  const ordo::detail::OperationName name(op.name);
  detail::expect_defined(op.name, t, "input");
  const DType dtype = is_floating(t.dtype()) ? t.dtype() : float32;
  return op(t, dtype, dtype);
}

/// What integers answer is known beforehand.
Tensor predicate(const UnaryOp& op, const Tensor& t, bool of_integers) {
  const ordo::detail::OperationName name(op.name);
  detail::expect_defined(op.name, t, "input");
  if (is_floating(t.dtype())) return op(t, t.dtype(), boolean);
  return full(t.sizes(), of_integers, boolean, t.device());
}

}  // namespace

#define ORDO_DEFINE_FUNCTION(kind, name) \
  Tensor name(const Tensor& t) { return kind(ORDO_UNARY_OP(#name, name), t); }
ORDO_DEFINE_FUNCTION(numeric, neg)
ORDO_DEFINE_FUNCTION(numeric, abs)
ORDO_DEFINE_FUNCTION(numeric, square)
ORDO_DEFINE_FUNCTION(numeric, sign)
ORDO_DEFINE_FUNCTION(numeric, relu)
ORDO_DEFINE_FUNCTION(rounding, floor)
ORDO_DEFINE_FUNCTION(rounding, ceil)
ORDO_DEFINE_FUNCTION(rounding, round)
ORDO_DEFINE_FUNCTION(floating, exp)
ORDO_DEFINE_FUNCTION(floating, expm1)
ORDO_DEFINE_FUNCTION(floating, log)
ORDO_DEFINE_FUNCTION(floating, log1p)
ORDO_DEFINE_FUNCTION(floating, sqrt)
ORDO_DEFINE_FUNCTION(floating, rsqrt)
ORDO_DEFINE_FUNCTION(floating, reciprocal)
ORDO_DEFINE_FUNCTION(floating, sin)
ORDO_DEFINE_FUNCTION(floating, cos)
ORDO_DEFINE_FUNCTION(floating, tanh)
ORDO_DEFINE_FUNCTION(floating, sigmoid)
ORDO_DEFINE_FUNCTION(floating, erf)
#undef ORDO_DEFINE_FUNCTION

Tensor gelu(const Tensor& t) {
  const ordo::detail::OperationName name("gelu");
  detail::expect_defined("gelu", t, "input");
  detail::expect_floating("gelu", t);
  return ORDO_UNARY_OP("gelu", gelu)(t, t.dtype(), t.dtype());
}

Tensor gelu_tanh(const Tensor& t) {
  const ordo::detail::OperationName name("gelu");
  detail::expect_defined("gelu", t, "input");
  detail::expect_floating("gelu", t);
  return ORDO_UNARY_OP("gelu", gelu_tanh)(t, t.dtype(), t.dtype());
}

Tensor isnan(const Tensor& t) { return predicate(ORDO_UNARY_OP("isnan", isnan), t, false); }
Tensor isinf(const Tensor& t) { return predicate(ORDO_UNARY_OP("isinf", isinf), t, false); }
Tensor isfinite(const Tensor& t) { return predicate(ORDO_UNARY_OP("isfinite", isfinite), t, true); }

Tensor logical_not(const Tensor& t) {
  const ordo::detail::OperationName name("logical_not");
  detail::expect_defined("logical_not", t, "input");
  return ORDO_UNARY_OP("logical_not", logical_not)(t, t.dtype(), boolean);
}

Tensor clamp(const Tensor& t, std::optional<Scalar> low, std::optional<Scalar> high) {
  const ordo::detail::OperationName name("clamp");
  detail::expect_defined("clamp", t, "input");
  ORDO_CHECK(low || high, ValueError, "clamp", "needs at least one of min and max");
  DType dtype = t.dtype();
  ORDO_CHECK(dtype != boolean, DTypeError, "clamp", "does not take bool tensors; convert with to()");
  for (const auto& bound : {low, high})
    if (bound && bound->is_floating() && !is_floating(dtype)) dtype = float32;
  for (const auto& bound : {low, high})
    if (bound) detail::expect_fits("clamp", *bound, dtype);
  // The widest bounds stand for a missing one.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool floating = is_floating(dtype);
  const auto [least, most] = detail::integer_range(dtype);
  return ORDO_UNARY_OP("clamp", clamp)(t, dtype, dtype, low.value_or(floating ? Scalar(-infinity) : Scalar(least)),
                                       high.value_or(floating ? Scalar(infinity) : Scalar(most)));
}

}  // namespace ordo::kernels
