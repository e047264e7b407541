#include <ordo/autograd/ops/avg_pool.h>
#include <ordo/autograd/tape.h>
#include <ordo/kernels/pooling/avg_pool.h>

namespace ordo {
namespace {

using Arguments = kernels::PoolArguments;

Tensor backward(const Tensor& grad, const Dims& input_sizes, const Arguments& a);

Tensor forward(const Tensor& input, const Arguments& a) {
  const OpCall call(kernels::kAvgPool[a.rank - 1], input, a);
  return record(call, kernels::avg_pool(input, a), {input},
                [a, sizes = input.sizes()](const Tensor& grad) -> TensorList { return {backward(grad, sizes, a)}; });
}

// Linear, so the gradient of the backward pass is the forward pass.
Tensor backward(const Tensor& grad, const Dims& input_sizes, const Arguments& a) {
  const OpCall call(kernels::kAvgPoolBackward[a.rank - 1], grad, input_sizes, a);
  return record(call, kernels::avg_pool_backward(grad, input_sizes, a), {grad},
                [a](const Tensor& g) -> TensorList { return {forward(g, a)}; });
}

}  // namespace

Tensor avg_pool1d(const Tensor& input, Size1 kernel, OptionalSize1 stride, Size1 padding, bool ceil_mode,
                  bool count_include_pad) {
  return forward(input, kernels::avg_pool_arguments(kernel, stride, padding, ceil_mode, count_include_pad));
}
Tensor avg_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override) {
  return forward(input,
                 kernels::avg_pool_arguments(kernel, stride, padding, ceil_mode, count_include_pad, divisor_override));
}
Tensor avg_pool3d(const Tensor& input, Size3 kernel, OptionalSize3 stride, Size3 padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override) {
  return forward(input,
                 kernels::avg_pool_arguments(kernel, stride, padding, ceil_mode, count_include_pad, divisor_override));
}

}  // namespace ordo
