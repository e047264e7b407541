#include <ordo/kernels/reduce/norm.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/reduce/norm_reducers.h>
#include <ordo/kernels/reduce/reduce_cpu.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "norm", .family = "reduce", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "square_sum", .family = "reduce", .dtypes = kFloatingTypes});

namespace {

Tensor reduced(const char* op, const Tensor& t, double p, bool root, const Dims& dims, bool keepdim) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, t, "input");
  ordo::detail::expect_floating(op, t);
  ORDO_CHECK(p == p, ValueError, op, "p must be a number, but is NaN");
  const unsigned mask = reduced_mask(op, t.dim(), dims);
  const ReduceShape g = reduce_shape(t, mask);
  ORDO_CHECK(p >= 0 || g.length > 0 || g.outputs == 0, ValueError, op,
             "has no result over no values for p = {}: the input's shape is {}", p, t.sizes());
  Tensor out = ordo::detail::result(sizes_after(t.sizes(), mask, keepdim), t.dtype(), t.device());
  ORDO_ON_DEVICE(t.device(), norm, t, out, g, p, root);
  return out;
}

}  // namespace

Tensor norm(const Tensor& t, double p, const Dims& dims, bool keepdim) {
  return reduced("norm", t, p, true, dims, keepdim);
}
Tensor square_sum(const Tensor& t, const Dims& dims, bool keepdim) {
  return reduced("square_sum", t, 2, false, dims, keepdim);
}

void cpu::norm(const Tensor& t, const Tensor& out, const ReduceShape& g, double p, bool root) {
  dispatch_floating("norm", t.dtype(), [&]<class T>() {
    with_norm_reducer<T>(t.data<T>(), out.data<T>(), p, root, [&](const auto& r) { reduce(r, g); });
  });
}

}  // namespace ordo::kernels
