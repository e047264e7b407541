// Convolution in 1, 2 and 3 dimensions, its two gradients, and transposed convolution, all differentiable.
#pragma once

#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// Cross-correlation of x with `weight`, plus bias [O]. In 2 dimensions: x [N, C, H, W] (or [C, H, W]), `weight`
/// [O, C / groups, kH, kW],
///   y[n, o, i, j] = bias[o] + sum over c, u, v of weight[o, c, u, v] x[n, c, i stride + u dilation - padding, ...]
/// with zeros outside of x. y is [N, O, oH, oW], oH = floor((H + 2 padding - dilation (kH - 1) - 1) / stride) + 1.
/// In 1: x [N, C, W], weight [O, C / groups, kW]; in 3: x [N, C, D, H, W], weight [O, C / groups, kD, kH, kW].
///
/// Floating dtypes, the same for all. ShapeError when sizes do not fit, ValueError for a stride, dilation or groups
/// below 1 or a negative padding. Determinism: run_to_run by own CPU kernels and cuDNN (without its
/// nondeterministic algorithms; own kernels in 3 dimensions); at device_to_device by rule 4 of docs/ordering.md.
/// As torch.nn.functional.conv1d, conv2d and conv3d.
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size1 stride = 1, Size1 padding = 0,
              Size1 dilation = 1, int64_t groups = 1);
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size2 stride = 1, Size2 padding = 0,
              Size2 dilation = 1, int64_t groups = 1);
Tensor conv3d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size3 stride = 1, Size3 padding = 0,
              Size3 dilation = 1, int64_t groups = 1);

/// The gradient of a convolution with respect to its input of `input_sizes` [N, C, ...], given the one of its result.
Tensor conv1d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad, Size1 stride = 1,
                         Size1 padding = 0, Size1 dilation = 1, int64_t groups = 1);
Tensor conv2d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad, Size2 stride = 1,
                         Size2 padding = 0, Size2 dilation = 1, int64_t groups = 1);
Tensor conv3d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad, Size3 stride = 1,
                         Size3 padding = 0, Size3 dilation = 1, int64_t groups = 1);
/// The gradient of a convolution with respect to its weight of `weight_sizes`, given the one of its result.
Tensor conv1d_weight_grad(const Tensor& x, const Dims& weight_sizes, const Tensor& grad, Size1 stride = 1,
                          Size1 padding = 0, Size1 dilation = 1, int64_t groups = 1);
Tensor conv2d_weight_grad(const Tensor& x, const Dims& weight_sizes, const Tensor& grad, Size2 stride = 1,
                          Size2 padding = 0, Size2 dilation = 1, int64_t groups = 1);
Tensor conv3d_weight_grad(const Tensor& x, const Dims& weight_sizes, const Tensor& grad, Size3 stride = 1,
                          Size3 padding = 0, Size3 dilation = 1, int64_t groups = 1);

/// Transposed convolution: what the input gradient of a convolution computes, plus bias [O]. In 2 dimensions: x
/// [N, C, H, W] (or [C, H, W]), `weight` [C, O / groups, kH, kW], y [N, O, oH, oW],
///   oH = (H - 1) stride - 2 padding + dilation (kH - 1) + output_padding + 1,
/// and every x[n, c, i, j] adds weight[c, o, u, v] x[n, c, i, j] to y[n, o, i stride + u dilation - padding, ...].
/// output_padding, smaller than stride or dilation, adds rows and columns at the end, where nothing is added to most.
///
/// dtypes, errors and determinism as conv2d. The bias is added to the rounded sum.
/// As torch.nn.functional.conv_transpose1d, 2d and 3d.
Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size1 stride = 1,
                        Size1 padding = 0, Size1 output_padding = 0, int64_t groups = 1, Size1 dilation = 1);
Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size2 stride = 1,
                        Size2 padding = 0, Size2 output_padding = 0, int64_t groups = 1, Size2 dilation = 1);
Tensor conv_transpose3d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size3 stride = 1,
                        Size3 padding = 0, Size3 output_padding = 0, int64_t groups = 1, Size3 dilation = 1);

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
