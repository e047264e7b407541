// Adaptive maximum pooling on plain tensors. The differentiable functions are in
// <ordo/autograd/ops/adaptive_max_pool2d.h>.
#pragma once

#include <ordo/kernels/pooling/max_pool2d.h>

namespace ordo::kernels {

Tensor adaptive_max_pool2d(const Tensor& input, Size2 output_size);
MaxPoolResult adaptive_max_pool2d_with_indices(const Tensor& input, Size2 output_size);
/// The gradient with respect to an input of `input_sizes`. algorithm: automatic, atomic or gather.
Tensor adaptive_max_pool2d_backward(const Tensor& grad, const Tensor& indices, const Dims& input_sizes,
                                    Algorithm algorithm = Algorithm::automatic);

// Per device. `input` and `grad` are contiguous; forward, `indices` may be undefined. Results are overwritten.
namespace cpu {
void adaptive_max_pool2d(const Tensor& input, const Tensor& values, const Tensor& indices,
                         const AdaptiveWindows& windows);
void adaptive_max_pool2d_backward(const Tensor& grad, const Tensor& indices, const Tensor& output,
                                  const AdaptiveWindows& windows, Algorithm algorithm);
}  // namespace cpu
namespace cuda {
void adaptive_max_pool2d(const Tensor& input, const Tensor& values, const Tensor& indices,
                         const AdaptiveWindows& windows);
void adaptive_max_pool2d_backward(const Tensor& grad, const Tensor& indices, const Tensor& output,
                                  const AdaptiveWindows& windows, Algorithm algorithm);
}  // namespace cuda

}  // namespace ordo::kernels
