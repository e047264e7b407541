// The recorded call of an average pooling, over sliding or adaptive windows. Internal.
#pragma once

#include <ordo/autograd/tape.h>
#include <ordo/kernels/pooling/avg_pool.h>

namespace ordo::detail {

template <class Arguments>
Tensor avg_pool_backward_call(const Tensor& grad, const Dims& input_sizes, const Arguments& a);

template <class Arguments>
Tensor avg_pool_call(const Tensor& input, const Arguments& a) {
  const OpCall call(kernels::kAvgPool.of(a), input, a);
  return record(call, kernels::avg_pool(input, a), {input},
                [a, sizes = input.sizes()](const Tensor& grad) -> TensorList {
                  return {avg_pool_backward_call(grad, sizes, a)};
                });
}

// Linear, so the gradient of the backward pass is the forward pass.
template <class Arguments>
Tensor avg_pool_backward_call(const Tensor& grad, const Dims& input_sizes, const Arguments& a) {
  const OpCall call(kernels::kAvgPoolBackward.of(a), grad, input_sizes, a);
  return record(call, kernels::avg_pool_backward(grad, input_sizes, a), {grad},
                [a](const Tensor& g) -> TensorList { return {avg_pool_call(g, a)}; });
}

}  // namespace ordo::detail
