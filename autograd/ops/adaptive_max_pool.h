#pragma once

#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/pooling/max_pool_result.h>

namespace ordo {

/// Maximum pooling to a fixed size, in 1, 2 and 3 dimensions. Along each of them, output i of O over an input of I is
/// the maximum of the cells [floor(i I / O), ceil((i + 1) I / O)). input: [N, C, W] or [C, W], [N, C, H, W] or [C, H,
/// W], [N, C, D, H, W] or [C, D, H, W], floating. Ties, NaN, determinism and errors as max_pool2d. As
/// torch.nn.functional.adaptive_max_pool1d, 2d and 3d.
Tensor adaptive_max_pool1d(const Tensor& input, Size1 output_size);
Tensor adaptive_max_pool2d(const Tensor& input, Size2 output_size);
Tensor adaptive_max_pool3d(const Tensor& input, Size3 output_size);

/// As these, and the flat position of each maximum, as max_pool2d_with_indices.
MaxPoolResult adaptive_max_pool1d_with_indices(const Tensor& input, Size1 output_size);
MaxPoolResult adaptive_max_pool2d_with_indices(const Tensor& input, Size2 output_size);
MaxPoolResult adaptive_max_pool3d_with_indices(const Tensor& input, Size3 output_size);

}  // namespace ordo
