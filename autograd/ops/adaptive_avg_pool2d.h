#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/pooling/size2.h>

namespace ordo {

/// Average pooling to a fixed size: output (i, j) of output_size (O_h, O_w) is the average of the rows
/// [floor(i H / O_h), ceil((i + 1) H / O_h)) and the columns [floor(j W / O_w), ceil((j + 1) W / O_w)).
/// input: [N, C, H, W] or [C, H, W], floating. Order, determinism and errors as avg_pool2d.
/// As torch.nn.functional.adaptive_avg_pool2d.
Tensor adaptive_avg_pool2d(const Tensor& input, Size2 output_size);

}  // namespace ordo
