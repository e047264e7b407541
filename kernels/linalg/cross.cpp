#include <ordo/kernels/linalg/cross.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "cross", .family = "linalg", .dtypes = kNumericTypes});

Tensor cross(const Tensor& a, const Tensor& b, int dim, bool to_zero) {
  const ordo::detail::OperationName name("cross");
  Tensor out = ordo::detail::result(a.sizes(), a.dtype(), a.device());
  const int64_t inner = Dims(a.sizes().begin() + dim + 1, a.dim() - dim - 1).product();
  ORDO_ON_DEVICE(a.device(), cross, contiguous(a), contiguous(b), out, inner, to_zero);
  return out;
}

}  // namespace ordo::kernels
