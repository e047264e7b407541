#include <ordo/nn/batch_norm2d.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/batch_norm.h>
#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo::nn {

BatchNorm2d::BatchNorm2d(int64_t channels, BatchNormOptions options) : options_(options) {
  ORDO_CHECK(channels > 0, ValueError, "BatchNorm2d", "needs a positive number of channels, not {}", channels);
  if (options.affine) {
    weight = add_parameter("weight", ones({channels}));
    bias = add_parameter("bias", zeros({channels}));
  }
  if (options.track_running_stats) {
    running_mean = add_buffer("running_mean", zeros({channels}));
    running_var = add_buffer("running_var", ones({channels}));
    num_batches_tracked = add_buffer("num_batches_tracked", zeros({}, {.dtype = int64}));
  }
}

Tensor BatchNorm2d::forward(const Tensor& input) {
  detail::expect_defined("BatchNorm2d", input, "input");
  ORDO_CHECK(input.dim() == 4, ShapeError, "BatchNorm2d", "takes inputs [N, C, H, W], not {}", input.sizes());
  const bool tracked = running_mean.defined();
  double momentum = options_.momentum.value_or(0);
  if (is_training() && tracked) {
    NoGrad guard;
    num_batches_tracked.add_(1);
    if (!options_.momentum) momentum = 1.0 / num_batches_tracked.item<double>();
  }
  return batch_norm(input, running_mean, running_var, weight, bias, is_training() || !tracked, momentum, options_.eps);
}

}  // namespace ordo::nn
