// Pooling in 1, 2 and 3 dimensions: maxima, averages and powers of windows. ValueError for an undefined tensor.
#pragma once

#include <optional>
#include <vector>

#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/pooling/max_pool_result.h>

namespace ordo {

template <int N>
struct MaxPoolOptions {
  OptionalSize<N> stride = {};  ///< default: the kernel's size
  Size<N> padding = 0;
  Size<N> dilation = 1;
  bool ceil_mode = false;
};
/// The maximum of every window, padding cells left out. In 2 dimensions:
///   y[c, i, j] = max x[c, i s_h - p_h + m d_h, j s_w - p_w + n d_w] over m < k_h, n < k_w
///
/// stride is the kernel if not given. ceil_mode keeps a last window that runs over the end, if it begins inside the
/// input or its left padding. A NaN in a window is its maximum. The functions with indices give also where each maximum
/// lies: the flat position w, h W + w or (d H + h) W + w in its sample's channel, int64. Of equal maxima the first one
/// in row-major order counts; of several NaNs the last one.
///
/// Shapes: [N, C, W] or [C, W], [N, C, H, W] or [C, H, W], [N, C, D, H, W] or [C, D, H, W] -> the windows' numbers in
/// place of W, H and D.
/// Dtypes: floating.
/// Throws: DTypeError when the dtype is not floating; ShapeError when the shape is another, a size is 0, or no window
/// fits; ValueError when a kernel, stride or dilation is below 1, a padding negative or more than half of the kernel,
/// or a window holds padding only.
/// Determinism: the same bits on every device at every level, but the gradient at not_guaranteed: the windows on a cell
/// add in the order threads arrive (`atomic`), else by ordering rule 1 (`gather`).
/// Gradient: of every window, at the place of its maximum.
/// PyTorch: torch.nn.functional.max_pool1d, max_pool2d and max_pool3d; each with _with_indices.
Tensor max_pool1d(const Tensor& input, Size1 kernel, const MaxPoolOptions<1>& options = {});
Tensor max_pool2d(const Tensor& input, Size2 kernel, const MaxPoolOptions<2>& options = {});
Tensor max_pool3d(const Tensor& input, Size3 kernel, const MaxPoolOptions<3>& options = {});
MaxPoolResult max_pool1d_with_indices(const Tensor& input, Size1 kernel, const MaxPoolOptions<1>& options = {});
MaxPoolResult max_pool2d_with_indices(const Tensor& input, Size2 kernel, const MaxPoolOptions<2>& options = {});
MaxPoolResult max_pool3d_with_indices(const Tensor& input, Size3 kernel, const MaxPoolOptions<3>& options = {});

template <int N>
struct AvgPoolOptions {
  OptionalSize<N> stride = {};  ///< default: the kernel's size
  Size<N> padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;                 ///< padding counts in the divisor
  std::optional<int64_t> divisor_override = {};  ///< divides by this instead
};
template <>
struct AvgPoolOptions<1> {
  OptionalSize1 stride = {};
  Size1 padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;
};
/// The average of every window: the sum over its cells, divided by their number.
///
/// The divisor counts padding cells with count_include_pad, never what ceil_mode adds beyond them; or it is
/// divisor_override. stride and ceil_mode are max_pool2d's.
///
/// Shapes, Dtypes, Throws: as max_pool2d; ValueError also when divisor_override is 0.
/// Determinism: as max_pool2d; a window is summed by ordering rule 1, row-major.
/// Gradient: of every window, grad over the divisor at each of its cells.
/// PyTorch: torch.nn.functional.avg_pool1d, avg_pool2d and avg_pool3d.
Tensor avg_pool1d(const Tensor& input, Size1 kernel, const AvgPoolOptions<1>& options = {});
Tensor avg_pool2d(const Tensor& input, Size2 kernel, const AvgPoolOptions<2>& options = {});
Tensor avg_pool3d(const Tensor& input, Size3 kernel, const AvgPoolOptions<3>& options = {});

/// The maximum of windows that cover the input: along each dimension, output i of O over an input of I has the cells
/// [floor(i I / O), ceil((i + 1) I / O)). Indices as max_pool2d_with_indices.
///
/// Shapes, Dtypes: as max_pool2d, to output_size.
/// Throws: DTypeError when the dtype is not floating; ShapeError when the shape is another or a size is 0; ValueError
/// when an output_size is below 1.
/// Determinism, Gradient: as max_pool2d.
/// PyTorch: torch.nn.functional.adaptive_max_pool1d, adaptive_max_pool2d and adaptive_max_pool3d; each with
/// _with_indices.
Tensor adaptive_max_pool1d(const Tensor& input, Size1 output_size);
Tensor adaptive_max_pool2d(const Tensor& input, Size2 output_size);
Tensor adaptive_max_pool3d(const Tensor& input, Size3 output_size);
MaxPoolResult adaptive_max_pool1d_with_indices(const Tensor& input, Size1 output_size);
MaxPoolResult adaptive_max_pool2d_with_indices(const Tensor& input, Size2 output_size);
MaxPoolResult adaptive_max_pool3d_with_indices(const Tensor& input, Size3 output_size);

/// The average of the windows of adaptive_max_pool1d, 2d and 3d.
///
/// Shapes, Dtypes, Throws: as adaptive_max_pool2d.
/// Determinism, Gradient: as avg_pool2d.
/// PyTorch: torch.nn.functional.adaptive_avg_pool1d, adaptive_avg_pool2d and adaptive_avg_pool3d.
Tensor adaptive_avg_pool1d(const Tensor& input, Size1 output_size);
Tensor adaptive_avg_pool2d(const Tensor& input, Size2 output_size);
Tensor adaptive_avg_pool3d(const Tensor& input, Size3 output_size);

template <int N>
struct LPPoolOptions {
  OptionalSize<N> stride = {};  ///< default: the kernel's size
  bool ceil_mode = false;
};
/// (sum of x^p)^(1/p) over every window, p = norm_type; where the sum is negative, 0 takes the place of the root.
///
/// It is made of avg_pool and pow. A window that ceil_mode lets run over the end counts as if it held its average there
/// too.
///
/// Shapes, Dtypes, Throws, Determinism: as avg_pool2d; ValueError also when norm_type is 0.
/// Gradient: avg_pool2d's and pow's.
/// PyTorch: torch.nn.functional.lp_pool1d, lp_pool2d and lp_pool3d.
Tensor lp_pool1d(const Tensor& input, double norm_type, Size1 kernel_size, const LPPoolOptions<1>& options = {});
Tensor lp_pool2d(const Tensor& input, double norm_type, Size2 kernel_size, const LPPoolOptions<2>& options = {});
Tensor lp_pool3d(const Tensor& input, double norm_type, Size3 kernel_size, const LPPoolOptions<3>& options = {});

template <int N>
struct FractionalMaxPoolOptions {
  OptionalSize<N> output_size = {};
  std::vector<double> output_ratio = {};  ///< of the input's size: one number for all axes, or one each
  Tensor random_samples = {};             ///< used instead of drawn numbers
  Generator* generator = nullptr;         ///< which draws them; default: default_generator()
};
/// The maximum of windows of kernel_size cells at random places. Along an axis window o of O begins at
///   floor((o + u) a) - floor(u a), a = (I - kernel) / (O - 1),
/// and the last one at I - kernel. O is output_size, or floor(output_ratio I) of one number or one per axis.
///
/// random_samples holds u for each sample, channel and axis; rand draws them from the generator if not given. Numbers
/// outside of [0, 1] count as the nearer end, NaN as 0. Of half types the windows' places are computed in float32.
/// Ties, NaN and indices as max_pool2d_with_indices.
///
/// Shapes: as max_pool2d and max_pool3d, to O; random_samples [N, C, 2] of (W, H), or [N, C, 3] of (D, H, W), N = 1 if
/// input has none.
/// Dtypes: floating; random_samples of input's dtype.
/// Throws: DTypeError when a dtype, ShapeError when a shape is another, or O + kernel - 1 exceeds I; ValueError unless
/// exactly one of output_size and output_ratio is given, ratios lie in (0, 1), and sizes are at least 1; DeviceError
/// when random_samples is on another device.
/// Determinism: the same bits on every device at every level, drawn numbers included; the gradient as scatter_add's.
/// Gradient: scatter_add of grad at the indices.
/// PyTorch: torch.nn.functional.fractional_max_pool2d and fractional_max_pool3d, each with _with_indices, with random
/// numbers of its own; its 2d on the CPU computes places in the half type.
Tensor fractional_max_pool2d(const Tensor& input, Size2 kernel_size, const FractionalMaxPoolOptions<2>& options = {});
Tensor fractional_max_pool3d(const Tensor& input, Size3 kernel_size, const FractionalMaxPoolOptions<3>& options = {});
MaxPoolResult fractional_max_pool2d_with_indices(const Tensor& input, Size2 kernel_size,
                                                 const FractionalMaxPoolOptions<2>& options = {});
MaxPoolResult fractional_max_pool3d_with_indices(const Tensor& input, Size3 kernel_size,
                                                 const FractionalMaxPoolOptions<3>& options = {});

template <int N>
struct MaxUnpoolOptions {
  OptionalSize<N> stride = {};  ///< default: the kernel's size
  Size<N> padding = 0;
  Dims output_size = {};  ///< the result's spatial sizes, or all of its sizes; default: what fits
};
/// Zeros, but for each element of the input at the place that `indices` gives: the inverse of max_pool1d_with_indices,
/// 2d and 3d as far as there is one.
///
/// Indices are flat positions in a channel of the result; negative ones count from its end. Of several elements with
/// one place the last one stays, in row-major order. stride is the kernel if not given. output_size is the result's
/// spatial sizes, or all of its sizes; if not given (input - 1) stride - 2 padding + kernel, from which it may differ
/// by less than the stride.
///
/// Shapes: input and indices of one shape, [N, C, spatial...] or [C, spatial...] -> output_size.
/// Dtypes: input floating; indices int64 or int32.
/// Throws: DTypeError when a dtype, ShapeError when a shape is another or a size is 0; DeviceError when indices are on
/// another device; ValueError when a kernel_size or stride is below 1, a padding negative, or output_size does not fit;
/// IndexError when an index is out of range.
/// Determinism: the same bits on every device at every level; ordering rule 7.
/// Gradient: of every element grad at its place, also of those that did not stay, as in PyTorch.
/// PyTorch: torch.nn.functional.max_unpool1d, max_unpool2d and max_unpool3d.
Tensor max_unpool1d(const Tensor& input, const Tensor& indices, Size1 kernel_size,
                    const MaxUnpoolOptions<1>& options = {});
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, Size2 kernel_size,
                    const MaxUnpoolOptions<2>& options = {});
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, Size3 kernel_size,
                    const MaxUnpoolOptions<3>& options = {});

}  // namespace ordo
