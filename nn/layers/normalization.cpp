#include <ordo/nn/layers/normalization.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/description.h>

namespace ordo::nn {

constexpr const char* kBatchNorm[] = {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d"};
constexpr const char* kBatchShapes[] = {"[N, C] or [N, C, L]", "[N, C, H, W]", "[N, C, D, H, W]"};
constexpr const char* kInstanceNorm[] = {"InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"};
constexpr const char* kInstanceShapes[] = {"[N, C, L] or [C, L]", "[N, C, H, W] or [C, H, W]",
                                           "[N, C, D, H, W] or [C, D, H, W]"};

template <class Options>
NormWithStatistics<Options>::NormWithStatistics(const char* name, int64_t channels, Options options)
    : name_(name), channels_(channels), options_(options) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(channels > 0, ValueError, name, "needs a positive number of channels, not {}", channels);
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

template <class Options>
std::string NormWithStatistics<Options>::description() const {
  return Description(name_, channels_).with_options(options_, "eps", "momentum", "affine", "track_running_stats");
}

template <int N>
BatchNorm<N>::BatchNorm(int64_t channels, BatchNormOptions options)
    : NormWithStatistics(kBatchNorm[N - 1], channels, options) {}

template <int N>
Tensor BatchNorm<N>::forward(const Tensor& input) {
  detail::expect_defined(name_, input, "input");
  ORDO_CHECK(input.dim() == N + 2 || (N == 1 && input.dim() == 2), ShapeError, name_, "takes inputs {}, not {}",
             kBatchShapes[N - 1], input.sizes());
  const bool tracked = running_mean.defined();
  double momentum = options_.momentum.value_or(0);
  if (is_training() && tracked) {
    NoGrad guard;
    num_batches_tracked.add_(1);
    if (!options_.momentum) momentum = 1.0 / num_batches_tracked.item<double>();
  }
  return batch_norm(input, running_mean, running_var, weight, bias, is_training() || !tracked, momentum, options_.eps);
}

template <int N>
InstanceNorm<N>::InstanceNorm(int64_t channels, InstanceNormOptions options)
    : NormWithStatistics(kInstanceNorm[N - 1], channels, options) {}

template <int N>
Tensor InstanceNorm<N>::forward(const Tensor& input) {
  detail::expect_defined(name_, input, "input");
  ORDO_CHECK(input.dim() == N + 1 || input.dim() == N + 2, ShapeError, name_, "takes inputs {}, not {}",
             kInstanceShapes[N - 1], input.sizes());
  ORDO_CHECK(input.size(-N - 1) == channels_, ShapeError, name_, "takes inputs of {} channels, not {}", channels_,
             input.sizes());
  const bool batched = input.dim() == N + 2;
  const Tensor y = instance_norm(batched ? input : input.unsqueeze(0), running_mean, running_var, weight, bias,
                                 is_training() || !running_mean.defined(), options_.momentum, options_.eps);
  return batched ? y : y.squeeze(0);
}

template class NormWithStatistics<BatchNormOptions>;
template class NormWithStatistics<InstanceNormOptions>;
template struct BatchNorm<1>;
template struct BatchNorm<2>;
template struct BatchNorm<3>;
template struct InstanceNorm<1>;
template struct InstanceNorm<2>;
template struct InstanceNorm<3>;

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

LocalResponseNorm::LocalResponseNorm(int64_t size, LocalResponseNormOptions o)
    : Layer({.function = [=](const Tensor& x) { return local_response_norm(x, size, o.alpha, o.beta, o.k); },
             .description = Description("LocalResponseNorm", size).with_options(o, "alpha", "beta", "k")}) {}

}  // namespace ordo::nn
