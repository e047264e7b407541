#include <ordo/autograd/ops/bincount.h>

#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/bincount/bincount.h>

namespace ordo {

Tensor bincount(const Tensor& input, const Tensor& weights, int64_t minlength, Algorithm algorithm) {
  const OpCall call("bincount", input, weights, minlength, algorithm);
  Tensor result = kernels::bincount(input, weights, minlength, algorithm);
  if (!weights.defined() || !is_floating(weights.dtype())) return call.done(std::move(result));
  return record(call, std::move(result), {weights},
                [input = Saved(input), dtype = weights.dtype()](const Tensor& grad) -> TensorList {
                  return {index_select(grad, 0, input.get().to(int64)).to(dtype)};
                });
}

}  // namespace ordo
