#include <ordo/autograd/ops/interpolate.h>

#include <ordo/autograd/ops/adaptive_avg_pool.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/resampling/interpolate.h>

namespace ordo {
namespace {

Tensor interpolate_call(const Tensor& input, const kernels::ResampleArguments& a);

// Linear, so the gradient of the backward pass is the forward pass.
Tensor interpolate_backward_call(const Tensor& grad, const kernels::ResampleArguments& a) {
  const OpCall call("interpolate_backward", grad, a);
  return record(call, kernels::interpolate_backward(grad, a), {grad},
                [a](const Tensor& g) -> TensorList { return {interpolate_call(g, a)}; });
}

Tensor interpolate_of(const OpCall& call, const Tensor& input, const kernels::ResampleArguments& a) {
  return record(call, kernels::interpolate(input, a), {input},
                [a](const Tensor& grad) -> TensorList { return {interpolate_backward_call(grad, a)}; });
}

Tensor interpolate_call(const Tensor& input, const kernels::ResampleArguments& a) {
  const OpCall call("interpolate", input, a);
  return interpolate_of(call, input, a);
}

Tensor area(const Tensor& input, const kernels::ResampleArguments& a) {
  const Size3& n = a.output;
  if (a.rank == 1) return adaptive_avg_pool1d(input, n[2]);
  if (a.rank == 2) return adaptive_avg_pool2d(input, {n[1], n[2]});
  return adaptive_avg_pool3d(input, n);
}

}  // namespace

Tensor interpolate(const Tensor& input, const Dims& size, const std::vector<double>& scale_factor, InterpolateMode mode,
                   std::optional<bool> align_corners, bool recompute_scale_factor) {
  const OpCall call("interpolate", input, size, scale_factor, mode, align_corners, recompute_scale_factor);
  const kernels::ResampleArguments a =
      kernels::resample_arguments(input, size, scale_factor, mode, align_corners, recompute_scale_factor);
  if (mode == InterpolateMode::area) return call.done(area(input, a));
  return interpolate_of(call, input, a);
}

}  // namespace ordo
