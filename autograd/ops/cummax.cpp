#include <ordo/autograd/ops/cummax.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/scan/scan.h>

namespace ordo {
namespace {

MaxResult extremum(const OpCall& call, std::pair<Tensor, Tensor> out, const Tensor& input, int64_t dim) {
  const TensorList both =
      record(call, {out.first, out.second}, {input},
             [dim, indices = Saved(out.second)](const TensorList& grads) -> TensorList {
               return {zeros(indices.sizes(), grads[0].options()).scatter_add_(dim, indices.get(), grads[0])};
             });
  return {both[0], both[1]};
}

}  // namespace

MaxResult cummax(const Tensor& input, int64_t dim) {
  const OpCall call("cummax", input, dim);
  return extremum(call, kernels::cummax(input, dim), input, dim);
}
MaxResult cummin(const Tensor& input, int64_t dim) {
  const OpCall call("cummin", input, dim);
  return extremum(call, kernels::cummin(input, dim), input, dim);
}

}  // namespace ordo
