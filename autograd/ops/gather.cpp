#include <ordo/autograd/ops/gather.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/indexing/gather.h>

namespace ordo {

Tensor gather(const Tensor& input, int64_t dim, const Tensor& index) {
  const OpCall call("gather", input, dim, index);
  Tensor out = kernels::gather(input, dim, index);
  return record(call, std::move(out), {input},
                [sizes = input.sizes(), dim, index = Saved(index)](const Tensor& grad) -> TensorList {
                  return {zeros(sizes, grad.options()).scatter_add_(dim, index.get(), grad)};
                });
}

}  // namespace ordo
