// Windows of images as columns, and back.
#pragma once

#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// The windows of images as columns: [N, C k_h k_w, L] of an input [N, C, H, W], or [C k_h k_w, L] of [C, H, W],
/// floating. Row (c, u, v) of column (i, j) is x[c, i s_h - p_h + u d_h, j s_w - p_w + v d_w], zero in the padding;
/// both count row-major, and L is the number of windows that fit. Errors: DTypeError, ShapeError, ValueError.
/// Determinism: the same bits at every level and on every device. Gradient: fold. As torch.nn.functional.unfold.
Tensor unfold(const Tensor& input, Size2 kernel_size, Size2 dilation = 1, Size2 padding = 0, Size2 stride = 1);

/// The images [N, C, H, W] of size `output_size` to whose cells the columns [N, C k_h k_w, L] of their windows are
/// added; without N too. A cell is the sum of what unfold would have copied from it, in the order of the cells of the
/// window, row-major, by rule 1 of docs/ordering.md, added to zero. ShapeError unless L is the number of windows that
/// fit; DTypeError, ValueError. Determinism: the same bits at every level and on every device. Gradient: unfold. As
/// torch.nn.functional.fold.
Tensor fold(const Tensor& input, Size2 output_size, Size2 kernel_size, Size2 dilation = 1, Size2 padding = 0,
            Size2 stride = 1);

}  // namespace ordo
