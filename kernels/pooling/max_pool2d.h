// Maximum pooling on plain tensors. The differentiable functions are in <ordo/autograd/ops/max_pool2d.h>.
#pragma once

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/pooling/size2.h>
#include <ordo/kernels/pooling/windows.h>

namespace ordo {

/// Maxima, and where they lie: flat positions h W + w in their [H, W] plane, int64.
struct MaxPoolResult {
  Tensor values;
  Tensor indices;
};

namespace kernels {

Tensor max_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride = {}, Size2 padding = 0, Size2 dilation = 1,
                  bool ceil_mode = false);
MaxPoolResult max_pool2d_with_indices(const Tensor& input, Size2 kernel, OptionalSize2 stride = {}, Size2 padding = 0,
                                      Size2 dilation = 1, bool ceil_mode = false);
/// The gradient with respect to an input of `input_sizes`. algorithm: automatic, atomic or gather.
Tensor max_pool2d_backward(const Tensor& grad, const Tensor& indices, const Dims& input_sizes, Size2 kernel,
                           OptionalSize2 stride = {}, Size2 padding = 0, Size2 dilation = 1, bool ceil_mode = false,
                           Algorithm algorithm = Algorithm::automatic);

// Per device. `input` and `grad` are contiguous; forward, `indices` may be undefined. Results are overwritten.
namespace cpu {
void max_pool2d(const Tensor& input, const Tensor& values, const Tensor& indices, const SlidingWindows& windows);
void max_pool2d_backward(const Tensor& grad, const Tensor& indices, const Tensor& output, const SlidingWindows& windows,
                         Algorithm algorithm);
}  // namespace cpu
namespace cuda {
void max_pool2d(const Tensor& input, const Tensor& values, const Tensor& indices, const SlidingWindows& windows);
void max_pool2d_backward(const Tensor& grad, const Tensor& indices, const Tensor& output, const SlidingWindows& windows,
                         Algorithm algorithm);
}  // namespace cuda

}  // namespace kernels
}  // namespace ordo
