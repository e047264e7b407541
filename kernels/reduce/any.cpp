#include <ordo/kernels/reduce/any.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/reduce/reduce_cpu.h>
#include <ordo/kernels/reduce/truth_reducer.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "any", .family = "reduce", .dtypes = kAllTypes, .differentiable = false});
ORDO_REGISTER_OP({.name = "all", .family = "reduce", .dtypes = kAllTypes, .differentiable = false});

Tensor test(const char* op, bool any, const Tensor& t, const Dims& dims, bool keepdim) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, t, "input");
  const unsigned mask = reduced_mask(op, t.dim(), dims);
  Tensor out = ordo::detail::result(sizes_after(t.sizes(), mask, keepdim), boolean, t.device());
  ORDO_ON_DEVICE(t.device(), truth, any, t, out, reduce_shape(t, mask));
  return out;
}

}  // namespace

Tensor any(const Tensor& t, const Dims& dims, bool keepdim) { return test("any", true, t, dims, keepdim); }
Tensor all(const Tensor& t, const Dims& dims, bool keepdim) { return test("all", false, t, dims, keepdim); }

void cpu::truth(bool any, const Tensor& t, const Tensor& out, const ReduceShape& g) {
  with_truth_reducer(any, t, out, [&](const auto& r) { reduce(r, g); });
}

}  // namespace ordo::kernels
