#include <ordo/kernels/index_add/index_add.h>

#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "index_add",
                  .family = "index_add",
                  .dtypes = kNumericTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::sorted, Determinism::device_to_device},
                                 {Algorithm::exact, Determinism::device_to_device, kExactTypes}}});

namespace {

Tensor sum(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
           Algorithm algorithm, const IndexPlan* plan) {
  const ordo::detail::OperationName name("index_add");
  ordo::detail::expect_defined("index_add", input, "input");
  const Tensor result = clone(input);
  add_("index_add", IndexOf::slices, result, dim, index, source, alpha, algorithm, plan);
  return result;
}

}  // namespace

void index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                Algorithm algorithm) {
  add_("index_add", IndexOf::slices, self, dim, index, source, alpha, algorithm);
}

Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                 Algorithm algorithm) {
  return sum(input, dim, index, source, alpha, algorithm, nullptr);
}

Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha) {
  return sum(input, dim, plan.index(), source, alpha, Algorithm::sorted, &plan);
}

}  // namespace ordo::kernels
