#include <ordo/autograd/ops/comparison.h>

#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/elementwise/comparison.h>
#include <ordo/kernels/elementwise/functions.h>

namespace ordo {

Tensor eq(const Tensor& a, const Tensor& b) { return kernels::eq(a, b); }
Tensor eq(const Tensor& a, Scalar b) { return kernels::eq(a, b); }
Tensor ne(const Tensor& a, const Tensor& b) { return kernels::ne(a, b); }
Tensor ne(const Tensor& a, Scalar b) { return kernels::ne(a, b); }
Tensor lt(const Tensor& a, const Tensor& b) { return kernels::lt(a, b); }
Tensor lt(const Tensor& a, Scalar b) { return kernels::lt(a, b); }
Tensor le(const Tensor& a, const Tensor& b) { return kernels::le(a, b); }
Tensor le(const Tensor& a, Scalar b) { return kernels::le(a, b); }
Tensor gt(const Tensor& a, const Tensor& b) { return kernels::gt(a, b); }
Tensor gt(const Tensor& a, Scalar b) { return kernels::gt(a, b); }
Tensor ge(const Tensor& a, const Tensor& b) { return kernels::ge(a, b); }
Tensor ge(const Tensor& a, Scalar b) { return kernels::ge(a, b); }

Tensor logical_and(const Tensor& a, const Tensor& b) { return kernels::logical_and(a, b); }
Tensor logical_or(const Tensor& a, const Tensor& b) { return kernels::logical_or(a, b); }
Tensor logical_not(const Tensor& t) { return kernels::logical_not(t); }
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

Tensor operator&(const Tensor& a, const Tensor& b) { return kernels::logical_and(mask("&", a), mask("&", b)); }
Tensor operator|(const Tensor& a, const Tensor& b) { return kernels::logical_or(mask("|", a), mask("|", b)); }
Tensor operator^(const Tensor& a, const Tensor& b) { return kernels::ne(mask("^", a), mask("^", b)); }
Tensor operator~(const Tensor& t) { return kernels::logical_not(mask("~", t)); }

Tensor isnan(const Tensor& t) { return kernels::isnan(t); }
Tensor isinf(const Tensor& t) { return kernels::isinf(t); }
Tensor isfinite(const Tensor& t) { return kernels::isfinite(t); }

}  // namespace ordo
