#include <ordo/autograd/ops/comparison.h>

#include <ordo/engine/check.h>
#include <ordo/engine/op_call.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/elementwise/comparison.h>
#include <ordo/kernels/elementwise/functions.h>

namespace ordo {

Tensor eq(const Tensor& a, const Tensor& b) {
  const OpCall call("eq", a, b);
  return call.done(kernels::eq(a, b));
}
Tensor eq(const Tensor& a, Scalar b) {
  const OpCall call("eq", a, b);
  return call.done(kernels::eq(a, b));
}
Tensor ne(const Tensor& a, const Tensor& b) {
  const OpCall call("ne", a, b);
  return call.done(kernels::ne(a, b));
}
Tensor ne(const Tensor& a, Scalar b) {
  const OpCall call("ne", a, b);
  return call.done(kernels::ne(a, b));
}
Tensor lt(const Tensor& a, const Tensor& b) {
  const OpCall call("lt", a, b);
  return call.done(kernels::lt(a, b));
}
Tensor lt(const Tensor& a, Scalar b) {
  const OpCall call("lt", a, b);
  return call.done(kernels::lt(a, b));
}
Tensor le(const Tensor& a, const Tensor& b) {
  const OpCall call("le", a, b);
  return call.done(kernels::le(a, b));
}
Tensor le(const Tensor& a, Scalar b) {
  const OpCall call("le", a, b);
  return call.done(kernels::le(a, b));
}
Tensor gt(const Tensor& a, const Tensor& b) {
  const OpCall call("gt", a, b);
  return call.done(kernels::gt(a, b));
}
Tensor gt(const Tensor& a, Scalar b) {
  const OpCall call("gt", a, b);
  return call.done(kernels::gt(a, b));
}
Tensor ge(const Tensor& a, const Tensor& b) {
  const OpCall call("ge", a, b);
  return call.done(kernels::ge(a, b));
}
Tensor ge(const Tensor& a, Scalar b) {
  const OpCall call("ge", a, b);
  return call.done(kernels::ge(a, b));
}

Tensor logical_and(const Tensor& a, const Tensor& b) {
  const OpCall call("logical_and", a, b);
  return call.done(kernels::logical_and(a, b));
}
Tensor logical_or(const Tensor& a, const Tensor& b) {
  const OpCall call("logical_or", a, b);
  return call.done(kernels::logical_or(a, b));
}
Tensor logical_not(const Tensor& t) {
  const OpCall call("logical_not", t);
  return call.done(kernels::logical_not(t));
}

namespace {
const Tensor& mask(const char* op, const Tensor& t) {
  detail::expect_defined(op, t, "operand");
  ORDO_CHECK(
      t.dtype() == boolean, DTypeError, op,
      "combines bool tensors, not {}; compare first, as in `(x > 0) & (x < 1)`, or use logical_and and logical_or",
      t.dtype());
  return t;
}
}  // namespace

Tensor operator&(const Tensor& a, const Tensor& b) { return logical_and(mask("&", a), mask("&", b)); }
Tensor operator|(const Tensor& a, const Tensor& b) { return logical_or(mask("|", a), mask("|", b)); }
Tensor operator^(const Tensor& a, const Tensor& b) { return ne(mask("^", a), mask("^", b)); }
Tensor operator~(const Tensor& t) { return logical_not(mask("~", t)); }

Tensor isnan(const Tensor& t) {
  const OpCall call("isnan", t);
  return call.done(kernels::isnan(t));
}
Tensor isinf(const Tensor& t) {
  const OpCall call("isinf", t);
  return call.done(kernels::isinf(t));
}
Tensor isfinite(const Tensor& t) {
  const OpCall call("isfinite", t);
  return call.done(kernels::isfinite(t));
}

}  // namespace ordo
