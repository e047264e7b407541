#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/pooling/max_pool2d.h>

namespace ordo {

/// Maximum pooling to a fixed size: output (i, j) of output_size (O_h, O_w) is the maximum of the rows
/// [floor(i H / O_h), ceil((i + 1) H / O_h)) and the columns [floor(j W / O_w), ceil((j + 1) W / O_w)).
/// input: [N, C, H, W] or [C, H, W], floating. Ties, NaN, determinism and errors as max_pool2d.
/// As torch.nn.functional.adaptive_max_pool2d.
Tensor adaptive_max_pool2d(const Tensor& input, Size2 output_size);

/// As adaptive_max_pool2d, and the flat position h W + w of each maximum in its plane, int64.
MaxPoolResult adaptive_max_pool2d_with_indices(const Tensor& input, Size2 output_size);

}  // namespace ordo
