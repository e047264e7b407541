#pragma once

#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// Average pooling to a fixed size, in 1, 2 and 3 dimensions. Along each of them, output i of O over an input of I is
/// the average of the cells [floor(i I / O), ceil((i + 1) I / O)). input: [N, C, W] or [C, W], [N, C, H, W] or [C, H,
/// W], [N, C, D, H, W] or [C, D, H, W], floating. Order, determinism and errors as avg_pool2d. As
/// torch.nn.functional.adaptive_avg_pool1d, 2d and 3d.
Tensor adaptive_avg_pool1d(const Tensor& input, Size1 output_size);
Tensor adaptive_avg_pool2d(const Tensor& input, Size2 output_size);
Tensor adaptive_avg_pool3d(const Tensor& input, Size3 output_size);

}  // namespace ordo
