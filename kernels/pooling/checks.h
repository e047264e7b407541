// Argument checks that the pooling operations share. Internal.
#pragma once

#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/pooling/size2.h>
#include <ordo/kernels/pooling/windows.h>

namespace ordo::kernels {

/// Checks dtype and shape ([N, C, H, W] or [C, H, W], H and W not 0) of a pooling input.
void check_pool_input(const char* op, const Tensor& input);

/// The windows over an input of `sizes`; ValueError or ShapeError when they do not fit.
SlidingWindows sliding_windows(const char* op, const Dims& sizes, Size2 kernel, Size2 stride, Size2 padding,
                               Size2 dilation, bool ceil_mode);
AdaptiveWindows adaptive_windows(const char* op, const Dims& sizes, Size2 output_size);

/// `sizes` with its last two dimensions replaced.
Dims pooled_sizes(const Dims& sizes, int64_t h, int64_t w);

/// Checks a gradient of the result against the shape of the result; `indices` may be undefined.
void check_pool_grad(const char* op, const Tensor& grad, const Tensor& indices, const Dims& expected);

}  // namespace ordo::kernels
