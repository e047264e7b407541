#include <ordo/autograd/ops/comparison.h>

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

}  // namespace ordo
