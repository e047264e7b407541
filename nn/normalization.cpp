#include <ordo/nn/normalization.h>

#include <ordo/autograd/ops/normalization.h>
#include <ordo/engine/check.h>
#include <ordo/engine/out_of_memory.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/nn/description.h>

namespace ordo::nn {

LayerNorm::LayerNorm(Dims normalized_shape, LayerNormOptions options) : shape_(normalized_shape), eps_(options.eps) {
  if (!options.elementwise_affine) return;
  weight = add_parameter("weight", ones(shape_));
  if (options.bias) bias = add_parameter("bias", zeros(shape_));
}
Tensor LayerNorm::forward(const Tensor& input) { return layer_norm(input, shape_, weight, bias, eps_); }
std::string LayerNorm::description() const {
  return Description("LayerNorm", shape_)
      .with("eps", eps_, 1e-5)
      .with("elementwise_affine", weight.defined(), true)
      .with("bias", bias.defined(), weight.defined());
}

RMSNorm::RMSNorm(Dims normalized_shape, RMSNormOptions options) : shape_(normalized_shape), eps_(options.eps) {
  if (options.elementwise_affine) weight = add_parameter("weight", ones(shape_));
}
Tensor RMSNorm::forward(const Tensor& input) { return rms_norm(input, shape_, weight, eps_); }
std::string RMSNorm::description() const {
  return Description("RMSNorm", shape_)
      .with("eps", eps_, std::nullopt)
      .with("elementwise_affine", weight.defined(), true);
}

GroupNorm::GroupNorm(int64_t num_groups, int64_t channels, GroupNormOptions options)
    : groups_(num_groups), channels_(channels), eps_(options.eps) {
  ORDO_CHECK(num_groups > 0 && channels > 0 && channels % num_groups == 0, ValueError, "GroupNorm",
             "num_groups = {} must be positive and divide the {} channels", num_groups, channels);
  if (!options.affine) return;
  weight = add_parameter("weight", ones({channels}));
  bias = add_parameter("bias", zeros({channels}));
}
Tensor GroupNorm::forward(const Tensor& input) { return group_norm(input, groups_, weight, bias, eps_); }
std::string GroupNorm::description() const {
  return Description("GroupNorm", groups_, channels_).with("eps", eps_, 1e-5).with("affine", weight.defined(), true);
}

namespace {
constexpr const char* kNames[] = {"InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"};
constexpr const char* kShapes[] = {"[N, C, L] or [C, L]", "[N, C, H, W] or [C, H, W]",
                                   "[N, C, D, H, W] or [C, D, H, W]"};
}  // namespace

template <int N>
InstanceNorm<N>::InstanceNorm(int64_t channels, InstanceNormOptions options) : channels_(channels), options_(options) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(channels > 0, ValueError, kNames[N - 1], "needs a positive number of channels, not {}", channels);
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

template <int N>
Tensor InstanceNorm<N>::forward(const Tensor& input) {
  const char* const op = kNames[N - 1];
  detail::expect_defined(op, input, "input");
  ORDO_CHECK(input.dim() == N + 1 || input.dim() == N + 2, ShapeError, op, "takes inputs {}, not {}", kShapes[N - 1],
             input.sizes());
  ORDO_CHECK(input.size(-N - 1) == channels_, ShapeError, op, "takes inputs of {} channels, not {}", channels_,
             input.sizes());
  const bool batched = input.dim() == N + 2;
  const Tensor y = instance_norm(batched ? input : input.unsqueeze(0), running_mean, running_var, weight, bias,
                                 is_training() || !running_mean.defined(), options_.momentum, options_.eps);
  return batched ? y : y.squeeze(0);
}

template <int N>
std::string InstanceNorm<N>::description() const {
  return Description(kNames[N - 1], channels_)
      .with_options(options_, "eps", "momentum", "affine", "track_running_stats");
}
template class InstanceNorm<1>;
template class InstanceNorm<2>;
template class InstanceNorm<3>;

}  // namespace ordo::nn
