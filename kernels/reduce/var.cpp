#include <ordo/kernels/reduce/var.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/reduce/reduce_cpu.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "var", .family = "reduce", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "std", .family = "reduce", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "var_mean", .family = "reduce", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "std_mean", .family = "reduce", .dtypes = kFloatingTypes});

Tensor variance(const char* op, bool root, const Tensor& t, const Dims& dims, double correction, bool keepdim) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, t, "input");
  ordo::detail::expect_floating(op, t);
  const unsigned mask = reduced_mask(op, t.dim(), dims);
  Tensor out = ordo::detail::result(sizes_after(t.sizes(), mask, keepdim), t.dtype(), t.device());
  ORDO_ON_DEVICE(t.device(), var, t, out, reduce_shape(t, mask), correction, root);
  return out;
}

}  // namespace

Tensor var(const Tensor& t, const Dims& dims, double correction, bool keepdim) {
  return variance("var", false, t, dims, correction, keepdim);
}
Tensor std(const Tensor& t, const Dims& dims, double correction, bool keepdim) {
  return variance("std", true, t, dims, correction, keepdim);
}

void cpu::var(const Tensor& t, const Tensor& out, const ReduceShape& g, double correction, bool root) {
  dispatch_floating("var", t.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const Scratch<A> mean(g.outputs, t.device());
    reduce(MeanReducer<T, A>(t.data<T>(), mean, g.length), g);
    reduce(VarReducer<T>(t.data<T>(), mean, out.data<T>(), g.length, correction, root), g);
  });
}

}  // namespace ordo::kernels
