#include <ordo/kernels/elementwise/functions.h>

#include <limits>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/fits.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/device_loops.h>

namespace ordo::kernels {
namespace {

// -- rows of the registry, by kind

const OpInfo numeric_row{.family = "elementwise", .dtypes = kNumericTypes}, rounding_row = numeric_row;
const OpInfo floating_row{.family = "elementwise", .dtypes = kAllTypes, .note = "integers give float32"};
const OpInfo only_floating_row{.family = "elementwise", .dtypes = kFloatingTypes};
const OpInfo predicate_row{.family = "elementwise", .dtypes = kAllTypes, .differentiable = false, .note = "gives bool"};

#define ORDO_FUNCTION(name, kind, ...) ORDO_REGISTER_OPS({#name}, kind##_row);
#define ORDO_FUNCTION_OF(name, ...) ORDO_REGISTER_OPS({#name}, only_floating_row);
#define ORDO_FUNCTION_OF2 ORDO_FUNCTION_OF
#define ORDO_PREDICATE(name, ...) ORDO_REGISTER_OPS({#name}, predicate_row);
#include <ordo/kernels/elementwise/functions.def>
ORDO_REGISTER_OPS({"clamp"}, numeric_row);
ORDO_REGISTER_OPS({"gelu"}, only_floating_row);
ORDO_REGISTER_OPS({"digamma"}, floating_row);
ORDO_REGISTER_OP({.name = "nan_to_num", .family = "elementwise", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "bitwise_not", .family = "elementwise", .dtypes = kIntegralTypes, .differentiable = false});

// -- dtypes, by kind; the input is defined

Tensor numeric(const LoopOp<1>& op, const Tensor& t) {
  detail::expect_not_bool(op.name, t.dtype());
  return op({t}, t.dtype(), t.dtype());
}

/// Integers stay as they are.
Tensor rounding(const LoopOp<1>& op, const Tensor& t) {
  detail::expect_not_bool(op.name, t.dtype());
  return is_floating(t.dtype()) ? op({t}, t.dtype(), t.dtype()) : clone(t);
}

Tensor floating(const LoopOp<1>& op, const Tensor& t) {
  const DType dtype = is_floating(t.dtype()) ? t.dtype() : float32;
  return op({t}, dtype, dtype);
}

Tensor only_floating(const LoopOp<1>& op, const Tensor& t) {
  detail::expect_floating(op.name, t);
  return op({t}, t.dtype(), t.dtype());
}

Tensor any(const LoopOp<1>& op, const Tensor& t) { return op({t}, t.dtype(), boolean); }

/// What integers answer is known beforehand.
Tensor false_of_integers(const LoopOp<1>& op, const Tensor& t) {
  return is_floating(t.dtype()) ? any(op, t) : full(t.sizes(), false, boolean, t.device());
}
Tensor true_of_integers(const LoopOp<1>& op, const Tensor& t) {
  return is_floating(t.dtype()) ? any(op, t) : full(t.sizes(), true, boolean, t.device());
}

Tensor call(const LoopOp<1>& op, const Tensor& t, Tensor (*kind)(const LoopOp<1>&, const Tensor&)) {
  const ordo::detail::OperationName name(op.name);
  detail::expect_defined(op.name, t, "input");
  return kind(op, t);
}

Tensor call_with(const LoopOp<1>& op, const Tensor& t, Scalar p, Scalar q = 0) {
  const ordo::detail::OperationName name(op.name);
  detail::expect_floating(op.name, t, "input");
  return op({t}, t.dtype(), t.dtype(), {p, q});
}

}  // namespace

#define ORDO_FUNCTION(name, kind, ...) \
  Tensor name(const Tensor& t) { return call(ORDO_LOOP_OP(#name, name), t, kind); }
#define ORDO_FUNCTION_OF(name, p, ...) \
  Tensor name(const Tensor& t, Scalar p) { return call_with(ORDO_LOOP_OP(#name, name), t, p); }
#define ORDO_FUNCTION_OF2(name, p, p_standard, q, ...) \
  Tensor name(const Tensor& t, Scalar p, Scalar q) { return call_with(ORDO_LOOP_OP(#name, name), t, p, q); }
#define ORDO_PREDICATE ORDO_FUNCTION
#define ORDO_GRADIENT(name, function, ...)                                 \
  Tensor name(const Tensor& grad, const Tensor& v) {                       \
    return ORDO_LOOP_OP(#function, name)({grad, v}, v.dtype(), v.dtype()); \
  }
#define ORDO_GRADIENT_OF2(name, function, p, q, ...)                               \
  Tensor name(const Tensor& grad, const Tensor& v, Scalar p, Scalar q) {           \
    return ORDO_LOOP_OP(#function, name)({grad, v}, v.dtype(), v.dtype(), {p, q}); \
  }
#include <ordo/kernels/elementwise/functions.def>

Tensor gelu(const Tensor& t) { return call(ORDO_LOOP_OP("gelu", gelu), t, only_floating); }
Tensor gelu_tanh(const Tensor& t) { return call(ORDO_LOOP_OP("gelu", gelu_tanh), t, only_floating); }
Tensor digamma(const Tensor& t) { return call(ORDO_LOOP_OP("digamma", digamma), t, floating); }
Tensor trigamma(const Tensor& t) { return call(ORDO_LOOP_OP("trigamma", trigamma), t, floating); }

Tensor clamp(const Tensor& t, std::optional<Scalar> low, std::optional<Scalar> high) {
  const ordo::detail::OperationName name("clamp");
  detail::expect_defined("clamp", t, "input");
  ORDO_CHECK(low || high, ValueError, "clamp", "needs at least one of min and max");
  DType dtype = t.dtype();
  detail::expect_not_bool("clamp", dtype);
  for (const auto& bound : {low, high})
    if (bound && bound->is_floating() && !is_floating(dtype)) dtype = float32;
  for (const auto& bound : {low, high})
    if (bound) detail::expect_fits("clamp", *bound, dtype);
  // The widest bounds stand for a missing one.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool floating = is_floating(dtype);
  const auto [least, most] = detail::integer_range(dtype);
  return ORDO_LOOP_OP("clamp", clamp)({t}, dtype, dtype,
                                      {low.value_or(floating ? Scalar(-infinity) : Scalar(least)),
                                       high.value_or(floating ? Scalar(infinity) : Scalar(most))});
}

Tensor nan_to_num(const Tensor& t, double nan, std::optional<double> posinf, std::optional<double> neginf) {
  const ordo::detail::OperationName name("nan_to_num");
  detail::expect_defined("nan_to_num", t, "input");
  const DType dtype = t.dtype();
  if (!is_floating(dtype)) return clone(t);
  const double most = detail::largest_finite(dtype);
  for (double v : {nan, posinf.value_or(most), neginf.value_or(-most)}) detail::expect_fits("nan_to_num", v, dtype);
  return ORDO_LOOP_OP("nan_to_num", nan_to_num)({t}, dtype, dtype,
                                                {nan, posinf.value_or(most), neginf.value_or(-most)});
}

}  // namespace ordo::kernels
