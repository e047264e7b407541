// Pooling in 1, 2 and 3 dimensions: maxima, averages and powers of windows.
#pragma once

#include <optional>
#include <vector>

#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/pooling/max_pool_result.h>

namespace ordo {

/// The maximum of every window. In 2 dimensions:
///   y[c, i, j] = max x[c, i s_h - p_h + m d_h, j s_w - p_w + n d_w] over m < k_h, n < k_w, padding cells left out.
/// A NaN in a window is its maximum. stride: the kernel when left out. ceil_mode keeps a last window that runs over the
/// end, if it begins inside the input or its left padding.
///
/// Shapes: input [N, C, W], [N, C, H, W] or [N, C, D, H, W], or without N; the result has as many windows as fit.
/// Dtypes: floating.
/// Throws: ShapeError when dimensions are others or no window fits; ValueError when a size, stride or dilation is below
/// 1, or a padding negative or more than half of the kernel; DTypeError when input is not floating.
/// Determinism: the same bits on every device at every level but not_guaranteed, where the gradient adds those of
/// overlapping windows in the order threads arrive.
/// Gradient: of every window, added to the first of its equal maxima in row-major order, or its last NaN.
/// PyTorch: torch.nn.functional.max_pool1d, max_pool2d, max_pool3d.
Tensor max_pool1d(const Tensor& input, Size1 kernel, OptionalSize1 stride = {}, Size1 padding = 0, Size1 dilation = 1,
                  bool ceil_mode = false);
Tensor max_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride = {}, Size2 padding = 0, Size2 dilation = 1,
                  bool ceil_mode = false);
Tensor max_pool3d(const Tensor& input, Size3 kernel, OptionalSize3 stride = {}, Size3 padding = 0, Size3 dilation = 1,
                  bool ceil_mode = false);

/// max_pool1d, 2d and 3d, and where each maximum lies: the flat position w, h W + w or (d H + h) W + w in its sample's
/// channel, int64. Of equal maxima the first one in row-major order counts; of several NaNs the last one.
///
/// Shapes, Dtypes, Throws, Determinism, Gradient: as max_pool1d.
/// PyTorch: torch.nn.functional.max_pool1d and others with return_indices.
MaxPoolResult max_pool1d_with_indices(const Tensor& input, Size1 kernel, OptionalSize1 stride = {}, Size1 padding = 0,
                                      Size1 dilation = 1, bool ceil_mode = false);
MaxPoolResult max_pool2d_with_indices(const Tensor& input, Size2 kernel, OptionalSize2 stride = {}, Size2 padding = 0,
                                      Size2 dilation = 1, bool ceil_mode = false);
MaxPoolResult max_pool3d_with_indices(const Tensor& input, Size3 kernel, OptionalSize3 stride = {}, Size3 padding = 0,
                                      Size3 dilation = 1, bool ceil_mode = false);

/// The average of every window: the sum over its cells, divided by their number. The divisor counts padding cells with
/// count_include_pad (never what ceil_mode adds beyond them), or is divisor_override. stride and ceil_mode as
/// max_pool1d.
///
/// Shapes, Dtypes, Throws: as max_pool1d; ValueError also when divisor_override is 0.
/// Determinism: as max_pool1d; a window is summed in row-major order by ordering rule 1.
/// Gradient: of every window, divided as the sum was, added to its cells.
/// PyTorch: torch.nn.functional.avg_pool1d, avg_pool2d, avg_pool3d.
Tensor avg_pool1d(const Tensor& input, Size1 kernel, OptionalSize1 stride = {}, Size1 padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true);
Tensor avg_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride = {}, Size2 padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<int64_t> divisor_override = std::nullopt);
Tensor avg_pool3d(const Tensor& input, Size3 kernel, OptionalSize3 stride = {}, Size3 padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<int64_t> divisor_override = std::nullopt);

/// Maximum pooling to a fixed size: along each axis, output i of O over an input of I is the maximum of the cells
/// [floor(i I / O), ceil((i + 1) I / O)).
///
/// Shapes: input [N, C, W], [N, C, H, W] or [N, C, D, H, W], or without N; the result's spatial sizes are output_size.
/// Dtypes, Throws, Determinism, Gradient: as max_pool1d.
/// PyTorch: torch.nn.functional.adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d.
Tensor adaptive_max_pool1d(const Tensor& input, Size1 output_size);
Tensor adaptive_max_pool2d(const Tensor& input, Size2 output_size);
Tensor adaptive_max_pool3d(const Tensor& input, Size3 output_size);

/// adaptive_max_pool1d, 2d and 3d, and the flat position of each maximum, as max_pool1d_with_indices.
///
/// Shapes, Dtypes, Throws, Determinism, Gradient: as adaptive_max_pool1d.
/// PyTorch: torch.nn.functional.adaptive_max_pool1d and others with return_indices.
MaxPoolResult adaptive_max_pool1d_with_indices(const Tensor& input, Size1 output_size);
MaxPoolResult adaptive_max_pool2d_with_indices(const Tensor& input, Size2 output_size);
MaxPoolResult adaptive_max_pool3d_with_indices(const Tensor& input, Size3 output_size);

/// Average pooling to a fixed size, with the windows of adaptive_max_pool1d.
///
/// Shapes: as adaptive_max_pool1d.
/// Dtypes, Throws, Determinism, Gradient: as avg_pool1d.
/// PyTorch: torch.nn.functional.adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d.
Tensor adaptive_avg_pool1d(const Tensor& input, Size1 output_size);
Tensor adaptive_avg_pool2d(const Tensor& input, Size2 output_size);
Tensor adaptive_avg_pool3d(const Tensor& input, Size3 output_size);

/// (sum of x^p)^(1/p) over every window, p = norm_type: made of avg_pool and pow, as in PyTorch, which takes 0 for the
/// root where the sum is negative. A window that ceil_mode lets run over the end counts as if it held its average there
/// too.
///
/// Shapes, Dtypes, Throws, Determinism: as avg_pool1d.
/// Gradient: of input, through avg_pool and pow.
/// PyTorch: torch.nn.functional.lp_pool1d, lp_pool2d, lp_pool3d.
Tensor lp_pool1d(const Tensor& input, double norm_type, Size1 kernel_size, OptionalSize1 stride = {},
                 bool ceil_mode = false);
Tensor lp_pool2d(const Tensor& input, double norm_type, Size2 kernel_size, OptionalSize2 stride = {},
                 bool ceil_mode = false);
Tensor lp_pool3d(const Tensor& input, double norm_type, Size3 kernel_size, OptionalSize3 stride = {},
                 bool ceil_mode = false);

/// The maximum of windows of kernel_size cells at places that random numbers choose. Along an axis window o of O begins
/// at floor((o + u) a) - floor(u a), a = (I - kernel) / (O - 1), and the last one at I - kernel. u are numbers in [0,
/// 1] for each sample, channel and axis: random_samples, or drawn by rand from the generator. Those outside [0, 1]
/// count as the nearer end, NaN as 0. Ties and NaNs as max_pool1d.
///
/// Shapes: input [N, C, H, W], in 3d [N, C, D, H, W], or without N. O is output_size or floor(output_ratio I), of which
/// one is given; output_ratio holds one number in (0, 1) or one per axis. random_samples [N, C, 2] with those of (W,
/// H), in 3d [N, C, 3] with those of (D, H, W), N = 1 where input has none.
/// Dtypes: floating; random_samples of input's dtype. Places are computed in float32 for half types (PyTorch's 2d
/// function on the CPU: in the half type).
/// Throws: ShapeError when O + kernel - 1 exceeds I or shapes do not fit; ValueError when output_size and output_ratio
/// are both given, or none, or a ratio is not in (0, 1); DTypeError, DeviceError when tensors differ.
/// Determinism: as max_pool1d, drawn numbers included; the gradient adds by scatter_add, whose algorithm is atomic at
/// not_guaranteed only.
/// Gradient: of every window, added to its maximum.
/// PyTorch: torch.nn.functional.fractional_max_pool2d, fractional_max_pool3d, with random numbers of their own.
Tensor fractional_max_pool2d(const Tensor& input, Size2 kernel_size, OptionalSize2 output_size = {},
                             const std::vector<double>& output_ratio = {}, const Tensor& random_samples = {},
                             Generator* generator = nullptr);
Tensor fractional_max_pool3d(const Tensor& input, Size3 kernel_size, OptionalSize3 output_size = {},
                             const std::vector<double>& output_ratio = {}, const Tensor& random_samples = {},
                             Generator* generator = nullptr);
/// fractional_max_pool2d and 3d, and where each maximum lies, as max_pool1d_with_indices.
///
/// Shapes, Dtypes, Throws, Determinism, Gradient: as fractional_max_pool2d.
/// PyTorch: torch.nn.functional.fractional_max_pool2d and 3d with return_indices.
MaxPoolResult fractional_max_pool2d_with_indices(const Tensor& input, Size2 kernel_size, OptionalSize2 output_size = {},
                                                 const std::vector<double>& output_ratio = {},
                                                 const Tensor& random_samples = {}, Generator* generator = nullptr);
MaxPoolResult fractional_max_pool3d_with_indices(const Tensor& input, Size3 kernel_size, OptionalSize3 output_size = {},
                                                 const std::vector<double>& output_ratio = {},
                                                 const Tensor& random_samples = {}, Generator* generator = nullptr);

/// Zeros, but for each element of input at the place that `indices` gives: the inverse of max_pool1d_with_indices, 2d
/// and 3d as far as there is one. Of several elements with one place the last one stays, in row-major order.
///
/// Shapes: input and indices of one shape, [N, C, W], [N, C, H, W] or [N, C, D, H, W], or without N. indices are flat
/// positions in a channel of the result; negative ones count from its end. output_size: the result's spatial sizes, or
/// all of its sizes; when left out (input - 1) stride - 2 padding + kernel, from which it may differ by less than the
/// stride. stride: the kernel when left out.
/// Dtypes: input floating; indices int64 or int32.
/// Throws: IndexError when an index is out of range; ShapeError, DTypeError, DeviceError when tensors or output_size do
/// not fit; ValueError when a size, stride or padding is not as in max_pool1d.
/// Determinism: the same bits on every device at every level.
/// Gradient: of every element the gradient at its place, also of those that did not stay, as in PyTorch.
/// PyTorch: torch.nn.functional.max_unpool1d, max_unpool2d, max_unpool3d.
Tensor max_unpool1d(const Tensor& input, const Tensor& indices, Size1 kernel_size, OptionalSize1 stride = {},
                    Size1 padding = 0, const Dims& output_size = {});
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, Size2 kernel_size, OptionalSize2 stride = {},
                    Size2 padding = 0, const Dims& output_size = {});
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, Size3 kernel_size, OptionalSize3 stride = {},
                    Size3 padding = 0, const Dims& output_size = {});

}  // namespace ordo
