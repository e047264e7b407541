#pragma once

#include <optional>

#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// The average of every window, in 1, 2 and 3 dimensions: the sum over its cells, divided by their number.
/// input: [N, C, W] or [C, W], [N, C, H, W] or [C, H, W], [N, C, D, H, W] or [C, D, H, W], floating. stride: the kernel
/// when left out. padding: at most half of the kernel. ceil_mode keeps a last window that runs over the end, if it
/// begins inside the input or its left padding. The divisor counts padding cells with count_include_pad (never what
/// ceil_mode adds beyond them), or is divisor_override, which 1-d pooling does not have. A window is summed in
/// row-major order by rule 1 of docs/ordering.md. Determinism as max_pool2d. Errors: DTypeError, ShapeError,
/// ValueError. As torch.nn.functional.avg_pool1d, 2d and 3d.
Tensor avg_pool1d(const Tensor& input, Size1 kernel, OptionalSize1 stride = {}, Size1 padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true);
Tensor avg_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride = {}, Size2 padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<int64_t> divisor_override = std::nullopt);
Tensor avg_pool3d(const Tensor& input, Size3 kernel, OptionalSize3 stride = {}, Size3 padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<int64_t> divisor_override = std::nullopt);

}  // namespace ordo
