// Pooling by powers.
#pragma once

#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// (sum of x^p)^(1/p) over every window, in 1, 2 and 3 dimensions, p = norm_type: made of avg_pool and pow, as in
/// PyTorch, which takes 0 for the root where the sum is negative. input, kernel, stride, ceil_mode, errors and
/// determinism as avg_pool1d, 2d and 3d, whose backward pass adds. A window that ceil_mode lets run over the end counts
/// as if it held its average there too.
/// As torch.nn.functional.lp_pool1d, 2d and 3d.
Tensor lp_pool1d(const Tensor& input, double norm_type, Size1 kernel_size, OptionalSize1 stride = {},
                 bool ceil_mode = false);
Tensor lp_pool2d(const Tensor& input, double norm_type, Size2 kernel_size, OptionalSize2 stride = {},
                 bool ceil_mode = false);
Tensor lp_pool3d(const Tensor& input, double norm_type, Size3 kernel_size, OptionalSize3 stride = {},
                 bool ceil_mode = false);

}  // namespace ordo
