// Maximum and average pooling on plain tensors, over sliding and adaptive windows, in 1, 2 and 3 dimensions; arguments,
// checks and registry rows of all pooling. The differentiable functions are in
// <ordo/autograd/ops/functional/pooling.h>.
#pragma once

#include <optional>

#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/pooling/max_pool_result.h>
#include <ordo/kernels/windows/sliding.h>

namespace ordo::kernels {

/// The arguments of max_pool and avg_pool over `rank` spatial dimensions.
struct PoolArguments {
  int rank;
  Size3 kernel, stride, padding, dilation;
  bool ceil_mode = false;
  bool count_include_pad = true;                 ///< avg_pool
  std::optional<int64_t> divisor_override = {};  ///< avg_pool
  std::optional<Size3> output_size = {};         ///< adaptive pooling: in place of all the others
};
inline void report(ordo::detail::OpArguments& call, const PoolArguments& a) {
  if (a.output_size) return call.add(*a.output_size);
  for (const Size3& size : {a.kernel, a.stride, a.padding, a.dilation}) call.add(size);
  call.add(a.ceil_mode);
  call.add(a.count_include_pad);
  call.add(a.divisor_override);
}

template <int N>
PoolArguments max_pool_arguments(Size<N> kernel, OptionalSize<N> stride = {}, Size<N> padding = 0, Size<N> dilation = 1,
                                 bool ceil_mode = false) {
  return {
      N,        in_three(kernel, 1), in_three(stride.value_or(kernel), 1), in_three(padding, 0), in_three(dilation, 1),
      ceil_mode};
}

template <int N>
PoolArguments avg_pool_arguments(Size<N> kernel, OptionalSize<N> stride = {}, Size<N> padding = 0,
                                 bool ceil_mode = false, bool count_include_pad = true,
                                 std::optional<int64_t> divisor_override = std::nullopt) {
  PoolArguments a = max_pool_arguments<N>(kernel, stride, padding, 1, ceil_mode);
  a.count_include_pad = count_include_pad;
  a.divisor_override = divisor_override;
  return a;
}

template <int N>
PoolArguments adaptive_pool_arguments(Size<N> output_size) {
  PoolArguments a{N, 1, 1, 0, 1};
  a.output_size = in_three(output_size, 1);
  return a;
}

/// The names of a pooling operation, or of its backward pass, over both kinds of windows: sliding[rank - 1].
struct PoolNames {
  const char* sliding[3];
  const char* adaptive[3];
  const char* of(const PoolArguments& a) const { return (a.output_size ? adaptive : sliding)[a.rank - 1]; }
};

/// The names of an operation that has one kind of windows: of 1, 2 and 3 dimensions.
using RankNames = const char* const[3];
inline constexpr RankNames kLpPool = {"lp_pool1d", "lp_pool2d", "lp_pool3d"};
inline constexpr RankNames kMaxUnpool = {"max_unpool1d", "max_unpool2d", "max_unpool3d"};
inline constexpr RankNames kFractionalMaxPool = {"", "fractional_max_pool2d", "fractional_max_pool3d"};
inline constexpr RankNames kFractionalMaxPoolWithIndices = {"", "fractional_max_pool2d_with_indices",
                                                            "fractional_max_pool3d_with_indices"};

/// Puts the rows of a pooling operation into the registry, one for each name.
struct PoolRows {
  PoolRows(const RankNames& names, const char* note);
};

/// Checks dtype and shape ([N, C, spatial...] or [C, spatial...], no spatial size 0) of a pooling input.
void check_pool_input(const char* op, const Tensor& input, int rank);

/// The windows over an input of `sizes`; ValueError or ShapeError when they do not fit.
Windows pool_windows(const char* op, const Dims& sizes, const PoolArguments& arguments);

Tensor max_pool(const Tensor& input, const PoolArguments& arguments);
MaxPoolResult max_pool_with_indices(const Tensor& input, const PoolArguments& arguments);
Tensor avg_pool(const Tensor& input, const PoolArguments& arguments);
/// The gradients with respect to an input of `input_sizes`. algorithm: automatic, atomic or gather; the CPU does what
/// gather says for both, which is as fast.
Tensor max_pool_backward(const Tensor& grad, const Tensor& indices, const Dims& input_sizes,
                         const PoolArguments& arguments, Algorithm algorithm = Algorithm::automatic);
Tensor avg_pool_backward(const Tensor& grad, const Dims& input_sizes, const PoolArguments& arguments,
                         Algorithm algorithm = Algorithm::automatic);

inline constexpr PoolNames kMaxPool{{"max_pool1d", "max_pool2d", "max_pool3d"},
                                    {"adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"}};
inline constexpr PoolNames kMaxPoolWithIndices{
    {"max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices"},
    {"adaptive_max_pool1d_with_indices", "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d_with_indices"}};
inline constexpr PoolNames kMaxPoolBackward{
    {"max_pool1d_backward", "max_pool2d_backward", "max_pool3d_backward"},
    {"adaptive_max_pool1d_backward", "adaptive_max_pool2d_backward", "adaptive_max_pool3d_backward"}};
inline constexpr PoolNames kAvgPool{{"avg_pool1d", "avg_pool2d", "avg_pool3d"},
                                    {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"}};
inline constexpr PoolNames kAvgPoolBackward{
    {"avg_pool1d_backward", "avg_pool2d_backward", "avg_pool3d_backward"},
    {"adaptive_avg_pool1d_backward", "adaptive_avg_pool2d_backward", "adaptive_avg_pool3d_backward"}};

// Per device. `input` and `grad` are contiguous; forward, `indices` may be undefined. Results are overwritten.
ORDO_DEVICES(void, max_pool, const Tensor& input, const Tensor& values, const Tensor& indices, const Windows& windows)
ORDO_DEVICES(void, max_pool_backward, const Tensor& grad, const Tensor& indices, const Tensor& output,
             const Windows& windows, Algorithm algorithm)
ORDO_DEVICES(void, avg_pool, const Tensor& input, const Tensor& values, const Windows& windows)
ORDO_DEVICES(void, avg_pool_backward, const Tensor& grad, const Tensor& output, const Windows& windows,
             Algorithm algorithm)

}  // namespace ordo::kernels
