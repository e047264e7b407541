// Pooling in 1, 2 and 3 dimensions: maxima, averages and powers of windows.
#pragma once

#include <optional>
#include <vector>

#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/pooling/max_pool_result.h>

namespace ordo {

/// The maximum of every window, in 1, 2 and 3 dimensions. In 2:
///   y[c, i, j] = max x[c, i s_h - p_h + m d_h, j s_w - p_w + n d_w] over m < k_h, n < k_w, padding cells left out.
/// input: [N, C, W] or [C, W], [N, C, H, W] or [C, H, W], [N, C, D, H, W] or [C, D, H, W], floating. stride: the kernel
/// when left out. padding: at most half of the kernel. ceil_mode keeps a last window that runs over the end, if it
/// begins inside the input or its left padding. A NaN in a window is its maximum. Determinism: the forward pass and, at
/// the deterministic levels, the backward pass give the same bits everywhere; at not_guaranteed the backward pass adds
/// the gradients of overlapping windows in the order threads arrive. Errors: DTypeError, ShapeError, ValueError. As
/// torch.nn.functional.max_pool1d, 2d and 3d.
Tensor max_pool1d(const Tensor& input, Size1 kernel, OptionalSize1 stride = {}, Size1 padding = 0, Size1 dilation = 1,
                  bool ceil_mode = false);
Tensor max_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride = {}, Size2 padding = 0, Size2 dilation = 1,
                  bool ceil_mode = false);
Tensor max_pool3d(const Tensor& input, Size3 kernel, OptionalSize3 stride = {}, Size3 padding = 0, Size3 dilation = 1,
                  bool ceil_mode = false);

/// As max_pool1d, 2d and 3d, and where each maximum lies: the flat position w, h W + w or (d H + h) W + w in its
/// sample's channel, int64. Of equal maxima the first one in row-major order counts; of several NaNs the last one.
MaxPoolResult max_pool1d_with_indices(const Tensor& input, Size1 kernel, OptionalSize1 stride = {}, Size1 padding = 0,
                                      Size1 dilation = 1, bool ceil_mode = false);
MaxPoolResult max_pool2d_with_indices(const Tensor& input, Size2 kernel, OptionalSize2 stride = {}, Size2 padding = 0,
                                      Size2 dilation = 1, bool ceil_mode = false);
MaxPoolResult max_pool3d_with_indices(const Tensor& input, Size3 kernel, OptionalSize3 stride = {}, Size3 padding = 0,
                                      Size3 dilation = 1, bool ceil_mode = false);

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

/// Average pooling to a fixed size, in 1, 2 and 3 dimensions. Along each of them, output i of O over an input of I is
/// the average of the cells [floor(i I / O), ceil((i + 1) I / O)). input: [N, C, W] or [C, W], [N, C, H, W] or [C, H,
/// W], [N, C, D, H, W] or [C, D, H, W], floating. Order, determinism and errors as avg_pool2d. As
/// torch.nn.functional.adaptive_avg_pool1d, 2d and 3d.
Tensor adaptive_avg_pool1d(const Tensor& input, Size1 output_size);
Tensor adaptive_avg_pool2d(const Tensor& input, Size2 output_size);
Tensor adaptive_avg_pool3d(const Tensor& input, Size3 output_size);

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

/// The maximum of windows of kernel_size cells. Along an axis window o of O begins at floor((o + u) a) - floor(u a),
/// a = (I - kernel) / (O - 1), and the last one at I - kernel. u are numbers in [0, 1] for each sample, channel and
/// axis.
/// input: [N, C, H, W] or [C, H, W], in 3d [N, C, D, H, W] or [C, D, H, W], floating. Exactly one of output_size and
/// output_ratio is given (ValueError); output_ratio holds one number in (0, 1) or one per axis, and O = floor(ratio I).
/// O + kernel - 1 may not exceed I (ShapeError). random_samples: u, [N, C, 2] with those of (W, H), in 3d [N, C, 3]
/// with those of (D, H, W), N = 1 where input has none, in input's dtype (DTypeError). When left out, they are drawn by
/// rand from the generator. Numbers outside [0, 1] count as the nearer end, NaN as 0.
/// Of half types the windows' places are computed in float32 (PyTorch's 2d function on the CPU: in the half type).
/// Of equal maxima the first in row-major order counts; a NaN, the last one, is a maximum. Indices as
/// max_pool2d_with_indices.
///
/// Determinism: the forward pass gives the same bits everywhere, drawn numbers included. Gradient: scatter_add of the
/// result's at the indices, with its algorithms (windows overlap); the automatic one is atomic at not_guaranteed only.
/// As torch.nn.functional.fractional_max_pool2d and 3d, with random numbers of its own.
Tensor fractional_max_pool2d(const Tensor& input, Size2 kernel_size, OptionalSize2 output_size = {},
                             const std::vector<double>& output_ratio = {}, const Tensor& random_samples = {},
                             Generator* generator = nullptr);
Tensor fractional_max_pool3d(const Tensor& input, Size3 kernel_size, OptionalSize3 output_size = {},
                             const std::vector<double>& output_ratio = {}, const Tensor& random_samples = {},
                             Generator* generator = nullptr);
/// The same, and where each maximum lies.
MaxPoolResult fractional_max_pool2d_with_indices(const Tensor& input, Size2 kernel_size, OptionalSize2 output_size = {},
                                                 const std::vector<double>& output_ratio = {},
                                                 const Tensor& random_samples = {}, Generator* generator = nullptr);
MaxPoolResult fractional_max_pool3d_with_indices(const Tensor& input, Size3 kernel_size, OptionalSize3 output_size = {},
                                                 const std::vector<double>& output_ratio = {},
                                                 const Tensor& random_samples = {}, Generator* generator = nullptr);

/// Zeros, but for each element of the input at the place that `indices` gives: the inverse of
/// max_pool1d_with_indices, 2d and 3d as far as there is one.
/// input and indices: of one shape, [N, C, spatial...] or [C, spatial...]; input floating, indices int64 or int32, flat
/// positions in a channel of the result; negative ones count from its end. output_size: the result's spatial sizes, or
/// all of its sizes; when left out (input - 1) stride - 2 padding + kernel, from which it may differ by less than the
/// stride. stride: the kernel when left out. Of several elements with one place the last one stays, in row-major order.
/// Errors: DTypeError, DeviceError, ShapeError, ValueError; IndexError for an index out of range.
///
/// Determinism: the same bits at every level and on every device. Gradient: of every element the gradient at its place,
/// also of those that did not stay, as in PyTorch. As torch.nn.functional.max_unpool1d, 2d and 3d.
Tensor max_unpool1d(const Tensor& input, const Tensor& indices, Size1 kernel_size, OptionalSize1 stride = {},
                    Size1 padding = 0, const Dims& output_size = {});
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, Size2 kernel_size, OptionalSize2 stride = {},
                    Size2 padding = 0, const Dims& output_size = {});
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, Size3 kernel_size, OptionalSize3 stride = {},
                    Size3 padding = 0, const Dims& output_size = {});

}  // namespace ordo
