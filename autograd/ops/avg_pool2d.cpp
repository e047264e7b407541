#include <ordo/autograd/ops/avg_pool2d.h>
#include <ordo/autograd/tape.h>
#include <ordo/kernels/pooling/avg_pool2d.h>

namespace ordo {
namespace {

// Linear, so the gradient of the backward pass is the forward pass.
Tensor backward(const Tensor& grad, const Dims& input_sizes, Size2 kernel, OptionalSize2 stride, Size2 padding,
                bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  return record("avg_pool2d_backward",
                kernels::avg_pool2d_backward(grad, input_sizes, kernel, stride, padding, ceil_mode, count_include_pad,
                                             divisor_override),
                {grad}, [=](const Tensor& g) -> TensorList {
                  return {avg_pool2d(g, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)};
                });
}

}  // namespace

Tensor avg_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override) {
  Tensor values = kernels::avg_pool2d(input, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override);
  return record("avg_pool2d", std::move(values), {input}, [=, sizes = input.sizes()](const Tensor& grad) -> TensorList {
    return {backward(grad, sizes, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)};
  });
}

}  // namespace ordo
