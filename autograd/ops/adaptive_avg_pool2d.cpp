#include <ordo/autograd/ops/adaptive_avg_pool2d.h>
#include <ordo/autograd/tape.h>
#include <ordo/kernels/pooling/adaptive_avg_pool2d.h>

namespace ordo {
namespace {

// Linear, so the gradient of the backward pass is the forward pass.
Tensor backward(const Tensor& grad, const Dims& input_sizes) {
  return record("adaptive_avg_pool2d_backward", kernels::adaptive_avg_pool2d_backward(grad, input_sizes), {grad},
                [size = Size2(grad.size(-2), grad.size(-1))](const Tensor& g) -> TensorList {
                  return {adaptive_avg_pool2d(g, size)};
                });
}

}  // namespace

Tensor adaptive_avg_pool2d(const Tensor& input, Size2 output_size) {
  Tensor values = kernels::adaptive_avg_pool2d(input, output_size);
  return record("adaptive_avg_pool2d", std::move(values), {input},
                [sizes = input.sizes()](const Tensor& grad) -> TensorList { return {backward(grad, sizes)}; });
}

}  // namespace ordo
