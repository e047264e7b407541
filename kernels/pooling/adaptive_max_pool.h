// Adaptive maximum pooling on plain tensors, in 1, 2 and 3 dimensions. The differentiable functions are in
// <ordo/autograd/ops/adaptive_max_pool.h>.
#pragma once

#include <ordo/kernels/pooling/max_pool.h>

namespace ordo::kernels {

Tensor adaptive_max_pool(const Tensor& input, const AdaptivePoolArguments& arguments);
MaxPoolResult adaptive_max_pool_with_indices(const Tensor& input, const AdaptivePoolArguments& arguments);
/// The gradient with respect to an input of `input_sizes`. algorithm: automatic, atomic or gather.
Tensor adaptive_max_pool_backward(const Tensor& grad, const Tensor& indices, const Dims& input_sizes, int rank,
                                  Algorithm algorithm = Algorithm::automatic);

inline constexpr PoolNames kAdaptiveMaxPool{"adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"},
    kAdaptiveMaxPoolWithIndices{"adaptive_max_pool1d_with_indices", "adaptive_max_pool2d_with_indices",
                                "adaptive_max_pool3d_with_indices"},
    kAdaptiveMaxPoolBackward{"adaptive_max_pool1d_backward", "adaptive_max_pool2d_backward",
                             "adaptive_max_pool3d_backward"};

// Per device. `input` and `grad` are contiguous; forward, `indices` may be undefined. Results are overwritten.
namespace cpu {
void adaptive_max_pool(const Tensor& input, const Tensor& values, const Tensor& indices,
                       const AdaptiveWindows& windows);
void adaptive_max_pool_backward(const Tensor& grad, const Tensor& indices, const Tensor& output,
                                const AdaptiveWindows& windows, Algorithm algorithm);
}  // namespace cpu
namespace cuda {
void adaptive_max_pool(const Tensor& input, const Tensor& values, const Tensor& indices,
                       const AdaptiveWindows& windows);
void adaptive_max_pool_backward(const Tensor& grad, const Tensor& indices, const Tensor& output,
                                const AdaptiveWindows& windows, Algorithm algorithm);
}  // namespace cuda

}  // namespace ordo::kernels
