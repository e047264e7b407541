// Average pooling on plain tensors. The differentiable function is in <ordo/autograd/ops/avg_pool2d.h>.
#pragma once

#include <optional>

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/pooling/size2.h>
#include <ordo/kernels/pooling/windows.h>

namespace ordo::kernels {

Tensor avg_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride = {}, Size2 padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<int64_t> divisor_override = std::nullopt);
/// The gradient with respect to an input of `input_sizes`. algorithm: automatic, atomic or gather.
Tensor avg_pool2d_backward(const Tensor& grad, const Dims& input_sizes, Size2 kernel, OptionalSize2 stride = {},
                           Size2 padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                           std::optional<int64_t> divisor_override = std::nullopt,
                           Algorithm algorithm = Algorithm::automatic);

// Per device. `input` and `grad` are contiguous; results are overwritten.
namespace cpu {
void avg_pool2d(const Tensor& input, const Tensor& values, const SlidingWindows& windows);
void avg_pool2d_backward(const Tensor& grad, const Tensor& output, const SlidingWindows& windows, Algorithm algorithm);
}  // namespace cpu
namespace cuda {
void avg_pool2d(const Tensor& input, const Tensor& values, const SlidingWindows& windows);
void avg_pool2d_backward(const Tensor& grad, const Tensor& output, const SlidingWindows& windows, Algorithm algorithm);
}  // namespace cuda

}  // namespace ordo::kernels
