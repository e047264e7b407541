// Average pooling on plain tensors, over sliding and adaptive windows, in 1, 2 and 3 dimensions. The differentiable
// functions are in <ordo/autograd/ops/functional/pooling.h>.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/kernels/pooling/pool_arguments.h>

namespace ordo::kernels {

Tensor avg_pool(const Tensor& input, const PoolArguments& arguments);
/// The gradient with respect to an input of `input_sizes`. algorithm: automatic, atomic or gather; the CPU does what
/// gather says for both, which is as fast.
Tensor avg_pool_backward(const Tensor& grad, const Dims& input_sizes, const PoolArguments& arguments,
                         Algorithm algorithm = Algorithm::automatic);

inline constexpr PoolNames kAvgPool{{"avg_pool1d", "avg_pool2d", "avg_pool3d"},
                                    {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"}};
inline constexpr PoolNames kAvgPoolBackward{
    {"avg_pool1d_backward", "avg_pool2d_backward", "avg_pool3d_backward"},
    {"adaptive_avg_pool1d_backward", "adaptive_avg_pool2d_backward", "adaptive_avg_pool3d_backward"}};

// Per device. `input` and `grad` are contiguous; results are overwritten.
ORDO_DEVICES(void, avg_pool, const Tensor& input, const Tensor& values, const Windows& windows)
ORDO_DEVICES(void, avg_pool_backward, const Tensor& grad, const Tensor& output, const Windows& windows,
             Algorithm algorithm)

}  // namespace ordo::kernels
