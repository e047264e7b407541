#include <ordo/kernels/scatter/scatter_add.h>

#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "index_add",
                  .family = "index_add",
                  .dtypes = kNumericTypes,
                  .algorithms = accumulate_levels(kExactTypes)});
ORDO_REGISTER_OP({.name = "scatter_add",
                  .family = "scatter_add",
                  .dtypes = kNumericTypes,
                  .algorithms = accumulate_levels(kExactTypes)});

static Tensor sum(const char* op, IndexOf of, const Tensor& input, int64_t dim, const Tensor& index,
                  const Tensor& source, Scalar alpha, Algorithm algorithm, const IndexPlan* plan = nullptr) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, input, "input");
  const Tensor result = clone(input);
  add_(op, of, result, dim, index, source, alpha, algorithm, plan);
  return result;
}

void index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                Algorithm algorithm) {
  add_("index_add", IndexOf::slices, self, dim, index, source, alpha, algorithm);
}
Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                 Algorithm algorithm) {
  return sum("index_add", IndexOf::slices, input, dim, index, source, alpha, algorithm);
}
Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha) {
  return sum("index_add", IndexOf::slices, input, dim, plan.index(), source, alpha, Algorithm::sorted, &plan);
}

void scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  add_("scatter_add", IndexOf::elements, self, dim, index, src, 1, algorithm);
}
Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  return sum("scatter_add", IndexOf::elements, input, dim, index, src, 1, algorithm);
}

}  // namespace ordo::kernels
