// Convolution in 1, 2 and 3 dimensions, its two gradients, and transposed convolution, all differentiable.
// ValueError for an undefined tensor, but a bias; DeviceError for tensors on different devices.
#pragma once

#include <concepts>

#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// What the constant `same` is of.
struct Same {};
/// `conv2d(x, w, b, {.padding = same})`: as much padding as makes the result as large as the input.
inline constexpr Same same;

/// The padding of a convolution: one number, one for each dimension, or `same`.
template <int N>
class ConvPadding {
 public:
  constexpr ConvPadding(Size<N> size) : size_(size) {}
  constexpr ConvPadding(int64_t all) : size_(all) {}
  template <std::integral... I>
  requires(N > 1 && sizeof...(I) == N) constexpr ConvPadding(I... each) : size_(each...) {}
  constexpr ConvPadding(Same) : size_(0), same_(true) {}

  constexpr bool is_same() const { return same_; }
  constexpr Size<N> size() const { return size_; }  ///< 0 for `same`

  friend constexpr bool operator==(const ConvPadding&, const ConvPadding&) = default;

 private:
  Size<N> size_;
  bool same_ = false;
};

template <int N>
struct ConvFuncOptions {
  Size<N> stride = 1;
  ConvPadding<N> padding = 0;
  Size<N> dilation = 1;
  int64_t groups = 1;
};

/// Cross-correlation of input, zero outside, with `weight`, plus bias. In 2 dimensions:
/// y[n, o, i, j] = bias[o] + sum over c, u, v of weight[o, c, u, v] input[n, c, i stride + u dilation - padding, ...].
///
/// Shapes: input [N, C, H, W] or [C, H, W], weight [O, C / groups, kH, kW], bias [O] or none -> [N, O, oH, oW] or [O,
/// oH, oW], oH = floor((H + 2 padding - dilation (kH - 1) - 1) / stride) + 1. In 1: W, kW and oW only; in 3: D, kD and
/// oD too. `same` pads dilation (kH - 1) rows, half of them at each end, and what is odd at the end.
/// Dtypes: floating, one for all.
/// Throws: ShapeError when sizes do not fit or no window does; DTypeError when dtypes differ or are not floating;
/// ValueError when a stride, dilation or groups is below 1, a padding is negative, or it is `same` with another stride
/// than 1.
/// Determinism: on the CPU, and at device_to_device, by ordering rule 4; else on CUDA cuDNN's (own kernels in 3
/// dimensions), at run_to_run without its nondeterministic algorithms.
/// Gradient: of input, conv2d_input_grad; of weight, conv2d_weight_grad; of bias, grad's sum over samples and
/// positions.
/// PyTorch: torch.nn.functional.conv1d, conv2d and conv3d.
Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              const ConvFuncOptions<1>& options = {});
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              const ConvFuncOptions<2>& options = {});
Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              const ConvFuncOptions<3>& options = {});

/// The gradient of a convolution with respect to its input or its weight, given `grad`, that of its result.
///
/// Shapes: grad and input are batched, [N, ...] -> input_sizes [N, C, ...], or weight_sizes.
/// Dtypes, Throws, Determinism: as conv2d; ValueError when the padding is `same`.
/// Gradient: conv2d and the other of the two, of which they are made.
/// PyTorch: torch.nn.grad.conv1d_input, conv2d_input, conv3d_input, conv1d_weight, conv2d_weight and conv3d_weight.
Tensor conv1d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad,
                         const ConvFuncOptions<1>& options = {});
Tensor conv2d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad,
                         const ConvFuncOptions<2>& options = {});
Tensor conv3d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad,
                         const ConvFuncOptions<3>& options = {});
Tensor conv1d_weight_grad(const Tensor& input, const Dims& weight_sizes, const Tensor& grad,
                          const ConvFuncOptions<1>& options = {});
Tensor conv2d_weight_grad(const Tensor& input, const Dims& weight_sizes, const Tensor& grad,
                          const ConvFuncOptions<2>& options = {});
Tensor conv3d_weight_grad(const Tensor& input, const Dims& weight_sizes, const Tensor& grad,
                          const ConvFuncOptions<3>& options = {});

template <int N>
struct ConvTransposeFuncOptions {
  Size<N> stride = 1;
  Size<N> padding = 0;
  Size<N> output_padding = 0;
  int64_t groups = 1;
  Size<N> dilation = 1;
};

/// What the input gradient of a convolution computes, plus bias. In 2 dimensions every input[n, c, i, j] adds weight[c,
/// o, u, v] input[n, c, i, j] to y[n, o, i stride + u dilation - padding, ...]. output_padding adds rows and columns at
/// the end, where nothing is added to most.
///
/// Shapes: input [N, C, H, W] or [C, H, W], weight [C, O / groups, kH, kW], bias [O] or none -> [N, O, oH, oW] or [O,
/// oH, oW], oH = (H - 1) stride - 2 padding + dilation (kH - 1) + output_padding + 1. In 1 and 3 as conv1d and conv3d.
/// Dtypes: as conv2d.
/// Throws: as conv2d; ValueError also when an output_padding is negative, or not smaller than stride or dilation.
/// Determinism: as conv2d; the bias is added to the rounded sum.
/// Gradient: of input, conv2d of grad; of weight, conv2d_weight_grad; of bias, grad's sum over samples and positions.
/// PyTorch: torch.nn.functional.conv_transpose1d, conv_transpose2d and conv_transpose3d.
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        const ConvTransposeFuncOptions<1>& options = {});
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        const ConvTransposeFuncOptions<2>& options = {});
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                        const ConvTransposeFuncOptions<3>& options = {});

struct UnfoldOptions {
  Size2 dilation = 1;
  Size2 padding = 0;
  Size2 stride = 1;
};

/// The windows of images as columns: row (c, u, v) of column (i, j) is x[c, i s_h - p_h + u d_h, j s_w - p_w + v d_w],
/// zero in the padding. Rows and columns count row-major.
///
/// Shapes, Dtypes: [N, C, H, W] -> [N, C k_h k_w, L], or [C, H, W] -> [C k_h k_w, L], of L windows that fit; floating.
/// Throws: DTypeError when the dtype is not floating; ShapeError when the shape is another or no window fits;
/// ValueError when a kernel_size, dilation or stride is below 1, or a padding is negative.
/// Determinism: the same bits on every device at every level.
/// Gradient: fold.
/// PyTorch: torch.nn.functional.unfold.
Tensor unfold(const Tensor& input, Size2 kernel_size, const UnfoldOptions& options = {});

/// The images of size `output_size` to whose cells the columns of their windows are added: a cell is the sum of what
/// unfold would have copied from it.
///
/// Shapes, Dtypes: [N, C k_h k_w, L] -> [N, C, H, W], or [C k_h k_w, L] -> [C, H, W]; floating.
/// Throws: as unfold; ShapeError also unless L is the number of windows that fit and k_h k_w divides the rows;
/// ValueError also when an output_size is below 1.
/// Determinism: the same bits on every device at every level; ordering rule 1, over (row, column) of the window, then
/// added to zero.
/// Gradient: unfold.
/// PyTorch: torch.nn.functional.fold.
Tensor fold(const Tensor& input, Size2 output_size, Size2 kernel_size, const UnfoldOptions& options = {});

}  // namespace ordo
