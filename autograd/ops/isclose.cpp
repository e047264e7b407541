#include <ordo/autograd/ops/isclose.h>

#include <ordo/autograd/ops/operation.h>

namespace ordo {

ORDO_REGISTER_OP(
    {.name = "isclose", .family = "elementwise", .dtypes = kAllTypes, .differentiable = false, .note = "gives bool"});
ORDO_REGISTER_OP({.name = "allclose",
                  .family = "elementwise",
                  .dtypes = kAllTypes,
                  .differentiable = false,
                  .note = "waits for the device"});
ORDO_REGISTER_OP({.name = "equal",
                  .family = "elementwise",
                  .dtypes = kAllTypes,
                  .differentiable = false,
                  .note = "waits for the device"});

Tensor isclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  const OpCall call("isclose", a, b, rtol, atol, equal_nan);
  detail::expect_defined("isclose", a, "input");
  detail::expect_defined("isclose", b, "other");
  detail::expect_same_device("isclose", a, b);
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
  detail::expect_defined("equal", a, "input");
  detail::expect_defined("equal", b, "other");
  detail::expect_same_device("equal", a, b);
  const TensorOptions options{boolean, a.device()};
  return call.done(a.sizes() == b.sizes() ? all(eq(a, b)) : full({}, false, options)).item<bool>();
}

}  // namespace ordo
