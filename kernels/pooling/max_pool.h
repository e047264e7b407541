// Maximum pooling on plain tensors, over sliding and adaptive windows, in 1, 2 and 3 dimensions. The differentiable
// functions are in <ordo/autograd/ops/functional/pooling.h>.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/kernels/pooling/max_pool_result.h>
#include <ordo/kernels/pooling/pool_arguments.h>

namespace ordo::kernels {

Tensor max_pool(const Tensor& input, const PoolArguments& arguments);
MaxPoolResult max_pool_with_indices(const Tensor& input, const PoolArguments& arguments);
/// The gradient with respect to an input of `input_sizes`. algorithm: automatic, atomic or gather; the CPU does what
/// gather says for both, which is as fast.
Tensor max_pool_backward(const Tensor& grad, const Tensor& indices, const Dims& input_sizes,
                         const PoolArguments& arguments, Algorithm algorithm = Algorithm::automatic);

inline constexpr PoolNames kMaxPool{{"max_pool1d", "max_pool2d", "max_pool3d"},
                                    {"adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"}};
inline constexpr PoolNames kMaxPoolWithIndices{
    {"max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices"},
    {"adaptive_max_pool1d_with_indices", "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d_with_indices"}};
inline constexpr PoolNames kMaxPoolBackward{
    {"max_pool1d_backward", "max_pool2d_backward", "max_pool3d_backward"},
    {"adaptive_max_pool1d_backward", "adaptive_max_pool2d_backward", "adaptive_max_pool3d_backward"}};

// Per device. `input` and `grad` are contiguous; forward, `indices` may be undefined. Results are overwritten.
ORDO_DEVICES(void, max_pool, const Tensor& input, const Tensor& values, const Tensor& indices, const Windows& windows)
ORDO_DEVICES(void, max_pool_backward, const Tensor& grad, const Tensor& indices, const Tensor& output,
             const Windows& windows, Algorithm algorithm)

}  // namespace ordo::kernels
