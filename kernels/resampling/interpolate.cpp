#include <ordo/kernels/resampling/interpolate.h>

#include <cmath>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/windows/sliding.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "interpolate",
                  .family = "resampling",
                  .dtypes = kFloatingTypes,
                  .note = "mode area is adaptive_avg_pool, with its algorithms"});

namespace {

constexpr const char* kOp = "interpolate";
constexpr const char* kBackward = "interpolate_backward";

/// The number of spatial dimensions that a mode is for; 0 for any.
int rank_of(InterpolateMode mode) {
  if (mode == InterpolateMode::linear) return 1;
  if (mode == InterpolateMode::bilinear || mode == InterpolateMode::bicubic) return 2;
  return mode == InterpolateMode::trilinear ? 3 : 0;
}

Resample kind_of(InterpolateMode mode) {
  if (mode == InterpolateMode::nearest_exact) return Resample::nearest_exact;
  if (mode == InterpolateMode::bicubic) return Resample::cubic;
  return rank_of(mode) > 0 ? Resample::linear : Resample::nearest;
}

}  // namespace

ResampleArguments resample_arguments(const Tensor& input, const Dims& size, const std::vector<double>& scale_factor,
                                     InterpolateMode mode, std::optional<bool> align_corners,
                                     bool recompute_scale_factor) {
  ordo::detail::expect_floating(kOp, input, "input");
  ordo::detail::expect_enumerator(
      kOp, mode, InterpolateMode::area,
      "a mode: there are nearest, nearest_exact, linear, bilinear, bicubic, trilinear and area");
  const int rank = input.dim() - 2;
  ORDO_CHECK(rank >= 1 && rank <= 3, ShapeError, kOp,
             "takes an input of shape [N, C, W], [N, C, H, W] or [N, C, D, H, W], not {}", input.sizes());
  ORDO_CHECK(rank_of(mode) == 0 || rank_of(mode) == rank, ShapeError, kOp,
             "this mode is for {} spatial dimensions, but the input has shape {}", rank_of(mode), input.sizes());
  check_not_empty(kOp, input.sizes(), rank);
  ORDO_CHECK(size.empty() != scale_factor.empty(), ValueError, kOp, "takes either size or scale_factor");
  const int given = size.empty() ? int(std::min<size_t>(scale_factor.size(), 9)) : size.size();
  ORDO_CHECK(given == 1 || given == rank, ValueError, kOp,
             "takes one number or one for each of {} spatial dimensions, not {}", rank, given);
  ORDO_CHECK(rank_of(mode) > 0 || !align_corners, ValueError, kOp,
             "align_corners is for the modes linear, bilinear, bicubic and trilinear");
  ORDO_CHECK(!recompute_scale_factor || size.empty(), ValueError, kOp,
             "recompute_scale_factor is for scale_factor, not for size");
  ResampleArguments a;
  a.rank = rank;
  a.kind = kind_of(mode);
  a.align_corners = align_corners.value_or(false);
  a.input = in_three(input.sizes(), rank);
  int64_t outputs[3] = {1, 1, 1};
  for (int k = 3 - rank; k < 3; ++k) {
    const int at = given == 1 ? 0 : k - (3 - rank);
    if (!size.empty()) {
      outputs[k] = size[at];
    } else {
      const double factor = scale_factor[size_t(at)], product = std::floor(double(a.input[k]) * factor);
      ORDO_CHECK(factor > 0 && product < 0x1p31, ValueError, kOp,
                 "scale_factor must be greater than 0 and give sizes below 2^31, not {} for {} {}", factor,
                 kAxisNames[k], a.input[k]);
      outputs[k] = int64_t(product);
      if (!recompute_scale_factor) a.scale[k] = 1 / factor;
    }
    ORDO_CHECK(outputs[k] >= 1 && outputs[k] < int64_t(1) << 31 && a.input[k] < int64_t(1) << 31, ValueError, kOp,
               "sizes must be at least 1 (and below 2^31), but {} {} was to become {}", kAxisNames[k], a.input[k],
               outputs[k]);
  }
  a.output = {outputs[0], outputs[1], outputs[2]};
  check_addressable(kOp, with_last(input.sizes(), rank, a.output));
  return a;
}

Tensor interpolate(const Tensor& input, const ResampleArguments& a) {
  const ordo::detail::OperationName name(kOp);
  ordo::detail::expect_floating(kOp, input, "input");
  ORDO_CHECK(input.dim() == a.rank + 2 && in_three(input.sizes(), a.rank) == a.input, ShapeError, kOp,
             "was made for other sizes than {}", input.sizes());
  const Tensor output = ordo::detail::result(with_last(input.sizes(), a.rank, a.output), input.dtype(), input.device());
  if (output.numel() > 0) ORDO_ON_DEVICE(input.device(), interpolate, contiguous(input), output, a);
  return output;
}

Tensor interpolate_backward(const Tensor& grad, const ResampleArguments& a) {
  const ordo::detail::OperationName name(kBackward);
  ordo::detail::expect_floating(kBackward, grad, "grad");
  ORDO_CHECK(grad.dim() == a.rank + 2 && in_three(grad.sizes(), a.rank) == a.output, ShapeError, kBackward,
             "the gradient has shape {}, which is not the result's", grad.sizes());
  const Tensor output = ordo::detail::result(with_last(grad.sizes(), a.rank, a.input), grad.dtype(), grad.device());
  if (output.numel() > 0) ORDO_ON_DEVICE(grad.device(), interpolate_backward, contiguous(grad), output, a);
  return output;
}

}  // namespace ordo::kernels
