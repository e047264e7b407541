#include <ordo/nn/layers/dropout.h>

#include <cmath>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/create/random.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/autograd/ops/math/where.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/description.h>

namespace ordo::nn {

constexpr const char* kDropoutNames[] = {"Dropout1d", "Dropout2d", "Dropout3d"};
constexpr const char* kShapes[] = {"[N, C, L] or [C, L]", "[N, C, H, W] or [C, H, W]",
                                   "[N, C, D, H, W] or [C, D, H, W]"};

DropoutBase::DropoutBase(const char* name, double p) : name_(name), p_(p) {
  ORDO_CHECK(p >= 0 && p <= 1, ValueError, name, "needs a probability between 0 and 1, not {}", p);
}
std::string DropoutBase::description() const { return Description(name_, p_); }

Tensor Dropout::forward(const Tensor& input) { return dropout(input, p_, is_training()); }

template <int N>
ChannelDropout<N>::ChannelDropout(double p) : DropoutBase(kDropoutNames[N - 1], p) {}

template <int N>
Tensor ChannelDropout<N>::forward(const Tensor& input) {
  detail::expect_floating(name_, input, "input");
  ORDO_CHECK(input.dim() == N + 1 || input.dim() == N + 2, ShapeError, name_, "takes inputs {}, not {}", kShapes[N - 1],
             input.sizes());
  if (!is_training() || p_ == 0) return input;
  Dims channels = input.sizes();
  for (int d = input.dim() - N; d < input.dim(); ++d) channels[d] = 1;
  return input * no_grad([&] { return dropout(ones(channels, input.options()), p_); });
}
template struct ChannelDropout<1>;
template struct ChannelDropout<2>;
template struct ChannelDropout<3>;

Tensor AlphaDropout::forward(const Tensor& input) {
  if (!is_training() || p_ == 0) return input;
  detail::expect_floating(name_, input, "input");
  if (p_ == 1) return input * 0;
  constexpr double kLeast = -1.7580993408473766;  // selu(-infinity)
  const double scale = 1 / std::sqrt((1 - p_) * (1 + p_ * kLeast * kLeast));
  const Tensor keep = no_grad([&] { return bernoulli(input.sizes(), 1 - p_, input.options()) > 0; });
  return where(keep, input, kLeast) * scale - scale * p_ * kLeast;
}

}  // namespace ordo::nn
