#include <ordo/kernels/scatter_add/scatter_add.h>

#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "scatter_add",
                  .family = "scatter_add",
                  .dtypes = kNumericTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::sorted, Determinism::device_to_device},
                                 {Algorithm::exact, Determinism::device_to_device, kExactTypes}}});

void scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  add_("scatter_add", IndexOf::elements, self, dim, index, src, 1, algorithm);
}

Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  const ordo::detail::OperationName name("scatter_add");
  ordo::detail::expect_defined("scatter_add", input, "input");
  const Tensor result = clone(input);
  scatter_add_(result, dim, index, src, algorithm);
  return result;
}

}  // namespace ordo::kernels
