#pragma once

#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/pooling/max_pool_result.h>

namespace ordo {

/// The maximum of every window, in 1, 2 and 3 dimensions. In 2:
///   y[c, i, j] = max x[c, i s_h - p_h + m d_h, j s_w - p_w + n d_w] over m < k_h, n < k_w, padding cells left out.
/// input: [N, C, W] or [C, W], [N, C, H, W] or [C, H, W], [N, C, D, H, W] or [C, D, H, W], floating. stride: the kernel
/// when left out. padding: at most half of the kernel. ceil_mode keeps a last window that runs over the end, if it
/// begins inside the input or its left padding. A NaN in a window is its maximum. Determinism: the forward pass and, at
/// the deterministic levels, the backward pass give the same bits everywhere; at not_guaranteed the backward pass adds
/// the gradients of overlapping windows in the order threads arrive. Errors: DTypeError, ShapeError, ValueError. As
/// torch.nn.functional.max_pool1d, 2d and 3d.
Tensor max_pool1d(const Tensor& input, Size1 kernel, OptionalSize1 stride = {}, Size1 padding = 0, Size1 dilation = 1,
                  bool ceil_mode = false);
Tensor max_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride = {}, Size2 padding = 0, Size2 dilation = 1,
                  bool ceil_mode = false);
Tensor max_pool3d(const Tensor& input, Size3 kernel, OptionalSize3 stride = {}, Size3 padding = 0, Size3 dilation = 1,
                  bool ceil_mode = false);

/// As max_pool1d, 2d and 3d, and where each maximum lies: the flat position w, h W + w or (d H + h) W + w in its
/// sample's channel, int64. Of equal maxima the first one in row-major order counts; of several NaNs the last one.
MaxPoolResult max_pool1d_with_indices(const Tensor& input, Size1 kernel, OptionalSize1 stride = {}, Size1 padding = 0,
                                      Size1 dilation = 1, bool ceil_mode = false);
MaxPoolResult max_pool2d_with_indices(const Tensor& input, Size2 kernel, OptionalSize2 stride = {}, Size2 padding = 0,
                                      Size2 dilation = 1, bool ceil_mode = false);
MaxPoolResult max_pool3d_with_indices(const Tensor& input, Size3 kernel, OptionalSize3 stride = {}, Size3 padding = 0,
                                      Size3 dilation = 1, bool ceil_mode = false);

}  // namespace ordo
