#include <ordo/kernels/reduce/logsumexp.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/reduce/reduce_cpu.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "logsumexp", .family = "reduce", .dtypes = kFloatingTypes});

Tensor logsumexp(const Tensor& t, const Dims& dims, bool keepdim) {
  const ordo::detail::OperationName name("logsumexp");
  ordo::detail::expect_defined("logsumexp", t, "input");
  ordo::detail::expect_floating("logsumexp", t);
  const unsigned mask = reduced_mask("logsumexp", t.dim(), dims);
  Tensor out = ordo::detail::result(sizes_after(t.sizes(), mask, keepdim), t.dtype(), t.device());
  ORDO_ON_DEVICE(t.device(), logsumexp, t, out, reduce_shape(t, mask));
  return out;
}

void cpu::logsumexp(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_floating("logsumexp", t.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const Scratch<A> max(g.outputs, t.device());
    reduce(WideMaximum<T>{t.data<T>(), max}, g);
    reduce(LogSumExpReducer<T>(t.data<T>(), max, out.data<T>()), g);
  });
}

}  // namespace ordo::kernels
