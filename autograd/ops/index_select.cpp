#include <ordo/autograd/ops/index_select.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/indexing/gather.h>

namespace ordo {

Tensor index_select(const Tensor& input, int64_t dim, const Tensor& index) {
  const OpCall call("index_select", input, dim, index);
  Tensor out = kernels::index_select(input, dim, index);
  return record(call, std::move(out), {input},
                [sizes = input.sizes(), dim, index = Saved(index)](const Tensor& grad) -> TensorList {
                  return {zeros(sizes, grad.options()).index_add_(dim, index.get().reshape({-1}), grad)};
                });
}

}  // namespace ordo
