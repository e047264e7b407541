#include <ordo/autograd/ops/logsumexp.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/reduce/logsumexp.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo {

Tensor logsumexp(const Tensor& input, const Dims& dims, bool keepdim) {
  if (detail::raises(input)) return logsumexp(detail::raise(input), dims, keepdim);
  const OpCall call("logsumexp", input, dims, keepdim);
  return record(call, kernels::logsumexp(input, dims, keepdim), {input},
                [input = Saved(input), dims](const Tensor& grad, const Tensor& result) -> TensorList {
                  const Tensor& x = input.get();
                  const unsigned mask = kernels::reduced_mask("logsumexp", x.dim(), dims);
                  const Dims kept = kernels::sizes_after(x.sizes(), mask, true);
                  return {grad.reshape(kept) * exp(x - result.reshape(kept))};
                });
}

}  // namespace ordo
