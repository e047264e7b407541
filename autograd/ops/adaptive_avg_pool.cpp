#include <ordo/autograd/ops/adaptive_avg_pool.h>
#include <ordo/autograd/tape.h>
#include <ordo/kernels/pooling/adaptive_avg_pool.h>

namespace ordo {
namespace {

using Arguments = kernels::AdaptivePoolArguments;

Tensor backward(const Tensor& grad, const Dims& input_sizes, const Arguments& a);

Tensor forward(const Tensor& input, const Arguments& a) {
  const OpCall call(kernels::kAdaptiveAvgPool[a.rank - 1], input, a);
  return record(call, kernels::adaptive_avg_pool(input, a), {input},
                [a, sizes = input.sizes()](const Tensor& grad) -> TensorList { return {backward(grad, sizes, a)}; });
}

// Linear, so the gradient of the backward pass is the forward pass.
Tensor backward(const Tensor& grad, const Dims& input_sizes, const Arguments& a) {
  const OpCall call(kernels::kAdaptiveAvgPoolBackward[a.rank - 1], grad, input_sizes, a);
  return record(call, kernels::adaptive_avg_pool_backward(grad, input_sizes, a.rank), {grad},
                [a](const Tensor& g) -> TensorList { return {forward(g, a)}; });
}

}  // namespace

Tensor adaptive_avg_pool1d(const Tensor& input, Size1 output_size) {
  return forward(input, kernels::adaptive_pool_arguments(output_size));
}
Tensor adaptive_avg_pool2d(const Tensor& input, Size2 output_size) {
  return forward(input, kernels::adaptive_pool_arguments(output_size));
}
Tensor adaptive_avg_pool3d(const Tensor& input, Size3 output_size) {
  return forward(input, kernels::adaptive_pool_arguments(output_size));
}

}  // namespace ordo
