// Adaptive average pooling on plain tensors. The differentiable function is in
// <ordo/autograd/ops/adaptive_avg_pool2d.h>.
#pragma once

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/pooling/size2.h>
#include <ordo/kernels/pooling/windows.h>

namespace ordo::kernels {

Tensor adaptive_avg_pool2d(const Tensor& input, Size2 output_size);
/// The gradient with respect to an input of `input_sizes`. algorithm: automatic, atomic or gather.
Tensor adaptive_avg_pool2d_backward(const Tensor& grad, const Dims& input_sizes,
                                    Algorithm algorithm = Algorithm::automatic);

// Per device. `input` and `grad` are contiguous; results are overwritten.
namespace cpu {
void adaptive_avg_pool2d(const Tensor& input, const Tensor& values, const AdaptiveWindows& windows);
void adaptive_avg_pool2d_backward(const Tensor& grad, const Tensor& output, const AdaptiveWindows& windows,
                                  Algorithm algorithm);
}  // namespace cpu
namespace cuda {
void adaptive_avg_pool2d(const Tensor& input, const Tensor& values, const AdaptiveWindows& windows);
void adaptive_avg_pool2d_backward(const Tensor& grad, const Tensor& output, const AdaptiveWindows& windows,
                                  Algorithm algorithm);
}  // namespace cuda

}  // namespace ordo::kernels
