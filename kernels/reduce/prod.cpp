#include <ordo/kernels/reduce/prod.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/reduce/reduce_cpu.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "prod", .family = "reduce", .dtypes = kAllTypes});

Tensor prod(const Tensor& t, const Dims& dims, bool keepdim) {
  const ordo::detail::OperationName name("prod");
  ordo::detail::expect_defined("prod", t, "input");
  const unsigned mask = reduced_mask("prod", t.dim(), dims);
  Tensor out = ordo::detail::result(sizes_after(t.sizes(), mask, keepdim), is_floating(t.dtype()) ? t.dtype() : int64,
                                    t.device());
  ORDO_ON_DEVICE(t.device(), prod, t, out, reduce_shape(t, mask));
  return out;
}

void cpu::prod(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_all("prod", t.dtype(), [&]<class T>() { reduce(ProdReducer<T>(t.data<T>(), out.data<sum_t<T>>()), g); });
}

}  // namespace ordo::kernels
