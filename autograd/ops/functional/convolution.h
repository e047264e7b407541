// Convolution in 1, 2 and 3 dimensions, its two gradients, and transposed convolution, all differentiable.
#pragma once

#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// Cross-correlation of x with weight, plus bias. In 2 dimensions:
///   y[n, o, i, j] = bias[o] + sum over c, u, v of weight[o, c, u, v] x[n, c, i stride + u dilation - padding, ...]
/// x is 0 outside of its sizes.
///
/// Shapes: in 1 dimension x [N, C, W], weight [O, C / groups, kW]; in 2 x [N, C, H, W], weight [O, C / groups, kH, kW];
/// in 3 x [N, C, D, H, W], weight [O, C / groups, kD, kH, kW]. x may lack N. bias [O] or undefined. y [N, O, oH, oW],
/// oH = floor((H + 2 padding - dilation (kH - 1) - 1) / stride) + 1.
/// Dtypes: floating, one for all.
/// Throws: ShapeError when sizes do not fit; ValueError when a stride, dilation or groups is below 1, or a padding
/// negative; DTypeError, DeviceError when tensors differ.
/// Determinism: run_to_run by own CPU kernels and cuDNN without its nondeterministic algorithms (own kernels in 3
/// dimensions); at device_to_device by ordering rule 4.
/// Gradient: of x and weight, those below; of bias, the sum of grad by ordering rule 2.
/// PyTorch: torch.nn.functional.conv1d, conv2d, conv3d.
Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size1 stride = 1, Size1 padding = 0,
              Size1 dilation = 1, int64_t groups = 1);
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size2 stride = 1, Size2 padding = 0,
              Size2 dilation = 1, int64_t groups = 1);
Tensor conv3d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size3 stride = 1, Size3 padding = 0,
              Size3 dilation = 1, int64_t groups = 1);

/// The gradient of a convolution in its input, given the one of its result.
///
/// Shapes: input_sizes are the input's; weight and grad as weight and y of conv1d, 2d, 3d. The result has input_sizes.
/// Dtypes, Throws, Determinism: as conv1d.
/// Gradient: of weight and grad.
/// PyTorch: torch.nn.grad.conv1d_input, conv2d_input, conv3d_input.
Tensor conv1d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad, Size1 stride = 1,
                         Size1 padding = 0, Size1 dilation = 1, int64_t groups = 1);
Tensor conv2d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad, Size2 stride = 1,
                         Size2 padding = 0, Size2 dilation = 1, int64_t groups = 1);
Tensor conv3d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad, Size3 stride = 1,
                         Size3 padding = 0, Size3 dilation = 1, int64_t groups = 1);
/// The gradient of a convolution in its weight, given the one of its result.
///
/// Shapes: weight_sizes are the weight's; x and grad as x and y of conv1d, 2d, 3d. The result has weight_sizes.
/// Dtypes, Throws, Determinism: as conv1d.
/// Gradient: of x and grad.
/// PyTorch: torch.nn.grad.conv1d_weight, conv2d_weight, conv3d_weight.
Tensor conv1d_weight_grad(const Tensor& x, const Dims& weight_sizes, const Tensor& grad, Size1 stride = 1,
                          Size1 padding = 0, Size1 dilation = 1, int64_t groups = 1);
Tensor conv2d_weight_grad(const Tensor& x, const Dims& weight_sizes, const Tensor& grad, Size2 stride = 1,
                          Size2 padding = 0, Size2 dilation = 1, int64_t groups = 1);
Tensor conv3d_weight_grad(const Tensor& x, const Dims& weight_sizes, const Tensor& grad, Size3 stride = 1,
                          Size3 padding = 0, Size3 dilation = 1, int64_t groups = 1);

/// Transposed convolution: what the input gradient of a convolution computes, plus bias, which is added to the rounded
/// sum. In 2 dimensions every x[n, c, i, j] adds weight[c, o, u, v] x[n, c, i, j] to y[n, o, i stride + u dilation -
/// padding, ...]. output_padding adds rows and columns at the end, where nothing is added to most.
///
/// Shapes: x [N, C, H, W] (in 1 and 3 dimensions likewise, and N may lack), weight [C, O / groups, kH, kW], bias [O] or
/// undefined, y [N, O, oH, oW], oH = (H - 1) stride - 2 padding + dilation (kH - 1) + output_padding + 1.
/// Dtypes: as conv1d.
/// Throws: as conv1d; ValueError also when output_padding is not smaller than stride or dilation.
/// Determinism: as conv1d.
/// Gradient: of x, weight and bias, as conv1d.
/// PyTorch: torch.nn.functional.conv_transpose1d, conv_transpose2d, conv_transpose3d.
Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size1 stride = 1,
                        Size1 padding = 0, Size1 output_padding = 0, int64_t groups = 1, Size1 dilation = 1);
Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size2 stride = 1,
                        Size2 padding = 0, Size2 output_padding = 0, int64_t groups = 1, Size2 dilation = 1);
Tensor conv_transpose3d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size3 stride = 1,
                        Size3 padding = 0, Size3 output_padding = 0, int64_t groups = 1, Size3 dilation = 1);

/// The windows of images as columns. Row (c, u, v) of column (i, j) is x[c, i s_h - p_h + u d_h, j s_w - p_w + v d_w],
/// zero in the padding; both count row-major.
///
/// Shapes: [N, C, H, W] -> [N, C k_h k_w, L], or without N; L is the number of windows that fit.
/// Dtypes: floating.
/// Throws: ShapeError when no window fits or dimensions are others; ValueError when a size, stride or dilation is below
/// 1, or a padding negative; DTypeError when input is not floating.
/// Determinism: the same bits on every device at every level.
/// Gradient: fold of grad.
/// PyTorch: torch.nn.functional.unfold.
Tensor unfold(const Tensor& input, Size2 kernel_size, Size2 dilation = 1, Size2 padding = 0, Size2 stride = 1);

/// Adds the columns of windows to images: a cell is the sum of what unfold would have copied from it, added to zero.
///
/// Shapes: [N, C k_h k_w, L] -> [N, C, H, W], H and W being output_size, or without N.
/// Dtypes: floating.
/// Throws: as unfold; ShapeError also when L is not the number of windows that fit.
/// Determinism: the same bits on every device at every level; the cells of the window, row-major, by ordering rule 1.
/// Gradient: unfold of grad.
/// PyTorch: torch.nn.functional.fold.
Tensor fold(const Tensor& input, Size2 output_size, Size2 kernel_size, Size2 dilation = 1, Size2 padding = 0,
            Size2 stride = 1);

}  // namespace ordo
