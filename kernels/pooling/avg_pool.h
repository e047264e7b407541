// Average pooling on plain tensors, in 1, 2 and 3 dimensions. The differentiable functions are in
// <ordo/autograd/ops/avg_pool.h>.
#pragma once

#include <ordo/kernels/pooling/pool_arguments.h>

namespace ordo::kernels {

Tensor avg_pool(const Tensor& input, const PoolArguments& arguments);
/// The gradient with respect to an input of `input_sizes`. algorithm: automatic, atomic or gather.
Tensor avg_pool_backward(const Tensor& grad, const Dims& input_sizes, const PoolArguments& arguments,
                         Algorithm algorithm = Algorithm::automatic);

inline constexpr PoolNames kAvgPool{"avg_pool1d", "avg_pool2d", "avg_pool3d"},
    kAvgPoolBackward{"avg_pool1d_backward", "avg_pool2d_backward", "avg_pool3d_backward"};

// Per device. `input` and `grad` are contiguous; results are overwritten.
namespace cpu {
void avg_pool(const Tensor& input, const Tensor& values, const SlidingWindows& windows);
void avg_pool_backward(const Tensor& grad, const Tensor& output, const SlidingWindows& windows, Algorithm algorithm);
}  // namespace cpu
namespace cuda {
void avg_pool(const Tensor& input, const Tensor& values, const SlidingWindows& windows);
void avg_pool_backward(const Tensor& grad, const Tensor& output, const SlidingWindows& windows, Algorithm algorithm);
}  // namespace cuda

}  // namespace ordo::kernels
