#include <ordo/nn/batch_norm.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/normalization.h>
#include <ordo/engine/check.h>
#include <ordo/engine/out_of_memory.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/nn/description.h>

namespace ordo::nn {
namespace {

constexpr const char* kNames[] = {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d"};
constexpr const char* kShapes[] = {"[N, C] or [N, C, L]", "[N, C, H, W]", "[N, C, D, H, W]"};

}  // namespace

template <int N>
BatchNorm<N>::BatchNorm(int64_t channels, BatchNormOptions options) : channels_(channels), options_(options) {
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
Tensor BatchNorm<N>::forward(const Tensor& input) {
  detail::expect_defined(kNames[N - 1], input, "input");
  ORDO_CHECK(input.dim() == N + 2 || (N == 1 && input.dim() == 2), ShapeError, kNames[N - 1], "takes inputs {}, not {}",
             kShapes[N - 1], input.sizes());
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
std::string BatchNorm<N>::description() const {
  return Description(kNames[N - 1], channels_)
      .with_options(options_, "eps", "momentum", "affine", "track_running_stats");
}

template class BatchNorm<1>;
template class BatchNorm<2>;
template class BatchNorm<3>;

}  // namespace ordo::nn
