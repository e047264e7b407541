#include <ordo/autograd/ops/math/comparison.h>

#include <ordo/autograd/ops/math/binary.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/elementwise/comparison.h>
#include <ordo/kernels/elementwise/functions.h>

namespace ordo {

#define ORDO_COMPARISON(name, ...)                \
  Tensor name(const Tensor& a, const Tensor& b) { \
    const OpCall call(#name, a, b);               \
    return call.done(kernels::name(a, b));        \
  }                                               \
  Tensor name(const Tensor& a, Scalar b) {        \
    const OpCall call(#name, a, b);               \
    return call.done(kernels::name(a, b));        \
  }
#define ORDO_EXCHANGED_COMPARISON ORDO_COMPARISON
#define ORDO_LOGICAL(name, ...)                   \
  Tensor name(const Tensor& a, const Tensor& b) { \
    const OpCall call(#name, a, b);               \
    return call.done(kernels::name(a, b));        \
  }
#include <ordo/kernels/elementwise/comparison.def>

#define ORDO_PREDICATE(name, ...)       \
  Tensor name(const Tensor& t) {        \
    const OpCall call(#name, t);        \
    return call.done(kernels::name(t)); \
  }
#include <ordo/kernels/elementwise/functions.def>

/// Whether a and b are masks; they are of integers else.
static bool are_masks(const char* op, const Tensor& a, const Tensor& b) {
  for (const Tensor* t : {&a, &b}) {
    detail::expect_defined(op, *t, "operand");
    ORDO_CHECK(is_integral(t->dtype()), DTypeError, op,
               "combines masks or integers, not {}; compare first, as in `(x > 0) & (x < 1)`, or use logical_and and "
               "logical_or",
               t->dtype());
  }
  return a.dtype() == boolean && b.dtype() == boolean;
}

Tensor operator&(const Tensor& a, const Tensor& b) {
  return are_masks("&", a, b) ? logical_and(a, b) : bitwise_and(a, b);
}
Tensor operator|(const Tensor& a, const Tensor& b) {
  return are_masks("|", a, b) ? logical_or(a, b) : bitwise_or(a, b);
}
Tensor operator^(const Tensor& a, const Tensor& b) { return are_masks("^", a, b) ? ne(a, b) : bitwise_xor(a, b); }
Tensor operator~(const Tensor& t) { return are_masks("~", t, t) ? logical_not(t) : bitwise_not(t); }
Tensor operator&(const Tensor& a, Scalar b) { return bitwise_and(a, b); }
Tensor operator|(const Tensor& a, Scalar b) { return bitwise_or(a, b); }
Tensor operator^(const Tensor& a, Scalar b) { return bitwise_xor(a, b); }

static OpInfo truth_row(std::string_view name, std::string_view note, std::string_view no_rows = {}) {
  return {.name = name,
          .family = "elementwise",
          .dtypes = kAllTypes,
          .differentiable = false,
          .note = note,
          .no_rows = no_rows};
}
ORDO_REGISTER_OP((truth_row("isclose", "gives bool")));
ORDO_REGISTER_OP((truth_row("allclose", "waits for the device", "one answer for all elements")));
ORDO_REGISTER_OP((truth_row("equal", "waits for the device", "one answer for all elements")));

Tensor isclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  const OpCall call("isclose", a, b, rtol, atol, equal_nan);
  detail::expect_pair("isclose", a, "input", b, "other");
  detail::expect_same_dtype("isclose", a, b);
  ORDO_CHECK(rtol >= 0 && atol >= 0, ValueError, "isclose", "rtol and atol must be 0 or more; they are {} and {}", rtol,
             atol);
  const NoGrad guard;
  Tensor close = eq(a, b);
  if (equal_nan && is_floating(a.dtype())) close = logical_or(close, logical_and(isnan(a), isnan(b)));
  if (rtol == 0 && atol == 0) return call.done(std::move(close));
  const Tensor to = is_floating(b.dtype()) ? b : b.to(float32);
  const Tensor distance = abs(a - to), allowed = abs(to * rtol) + atol;
  return call.done(logical_or(close, logical_and(isfinite(distance), distance <= allowed)));
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  const OpCall call("allclose", a, b, rtol, atol, equal_nan);
  return call.done(all(isclose(a, b, rtol, atol, equal_nan))).item<bool>();
}

bool equal(const Tensor& a, const Tensor& b) {
  const OpCall call("equal", a, b);
  detail::expect_pair("equal", a, "input", b, "other");
  const TensorOptions options{boolean, a.device()};
  return call.done(a.sizes() == b.sizes() ? all(eq(a, b)) : full({}, false, options)).item<bool>();
}

}  // namespace ordo
