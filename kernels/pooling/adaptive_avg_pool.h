// Adaptive average pooling on plain tensors, in 1, 2 and 3 dimensions. The differentiable functions are in
// <ordo/autograd/ops/adaptive_avg_pool.h>.
#pragma once

#include <ordo/kernels/pooling/pool_arguments.h>

namespace ordo::kernels {

Tensor adaptive_avg_pool(const Tensor& input, const AdaptivePoolArguments& arguments);
/// The gradient with respect to an input of `input_sizes`. algorithm: automatic, atomic or gather.
Tensor adaptive_avg_pool_backward(const Tensor& grad, const Dims& input_sizes, int rank,
                                  Algorithm algorithm = Algorithm::automatic);

inline constexpr PoolNames kAdaptiveAvgPool{"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"},
    kAdaptiveAvgPoolBackward{"adaptive_avg_pool1d_backward", "adaptive_avg_pool2d_backward",
                             "adaptive_avg_pool3d_backward"};

// Per device. `input` and `grad` are contiguous; results are overwritten.
namespace cpu {
void adaptive_avg_pool(const Tensor& input, const Tensor& values, const AdaptiveWindows& windows);
void adaptive_avg_pool_backward(const Tensor& grad, const Tensor& output, const AdaptiveWindows& windows,
                                Algorithm algorithm);
}  // namespace cpu
namespace cuda {
void adaptive_avg_pool(const Tensor& input, const Tensor& values, const AdaptiveWindows& windows);
void adaptive_avg_pool_backward(const Tensor& grad, const Tensor& output, const AdaptiveWindows& windows,
                                Algorithm algorithm);
}  // namespace cuda

}  // namespace ordo::kernels
