#include <ordo/nn/optim/grad_scaler.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/autograd/ops/reduce/reductions.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/optim/optimizer.h>
#include <ordo/nn/state/entries.h>

namespace ordo::amp {

constexpr const char* kGradScaler = "GradScaler";

static void expect_scale(double scale) {
  ORDO_CHECK(scale > 0 && scale <= double(std::numeric_limits<float>::max()), ValueError, kGradScaler,
             "needs a scale above 0 that float32 holds, not {}", scale);
}

GradScaler::GradScaler(GradScalerOptions options) : options_(options), scale_(options.init_scale) {
  expect_scale(options.init_scale);
  ORDO_CHECK(options.growth_factor > 1 && std::isfinite(options.growth_factor), ValueError, kGradScaler,
             "needs a growth_factor above 1, not {}", options.growth_factor);
  ORDO_CHECK(options.backoff_factor > 0 && options.backoff_factor < 1, ValueError, kGradScaler,
             "needs a backoff_factor between 0 and 1, not {}", options.backoff_factor);
  ORDO_CHECK(options.growth_interval > 0, ValueError, kGradScaler, "needs a growth_interval of at least 1, not {}",
             options.growth_interval);
}

Tensor GradScaler::scale(const Tensor& loss) const {
  const ordo::detail::LibraryCall library;
  if (!options_.enabled) return loss;
  detail::expect_floating(kGradScaler, loss, "loss");
  return (loss.dtype() == float64 ? loss : loss.to(float32)) * scale_;
}

void GradScaler::unscale_(optim::Optimizer& optimizer) {
  const ordo::detail::LibraryCall library;
  if (!options_.enabled) return;
  ORDO_CHECK(!seen_.contains(&optimizer), ValueError, kGradScaler,
             "the gradients of this optimiser were unscaled before; call update() first");
  NoGrad guard;
  TensorList gradients, tests;
  for (const Tensor& p : optimizer.parameters()) {
    const Tensor grad = p.grad();
    if (!grad.defined()) continue;
    ORDO_CHECK(grad.dtype() != float16, DTypeError, kGradScaler,
               "a gradient is float16, which loses what the scale saved; keep parameters in float32, under Autocast");
    gradients.push_back(grad.detach());
  }
  for (Tensor& grad : gradients) {
    grad.mul_(1 / scale_);
    tests.push_back(all(isfinite(grad)).to(gradients[0].device()));
  }
  const bool finite = tests.empty() || all(stack(tests, 0)).item<bool>();
  seen_[&optimizer] = {finite, false};
}

bool GradScaler::step(optim::Optimizer& optimizer) {
  const ordo::detail::LibraryCall library;
  if (!options_.enabled) {
    optimizer.step();
    return true;
  }
  const auto before = seen_.find(&optimizer);
  ORDO_CHECK(before == seen_.end() || !before->second.stepped, ValueError, kGradScaler,
             "this optimiser has made its step; call update() first");
  if (before == seen_.end()) unscale_(optimizer);
  Seen& seen = seen_.at(&optimizer);
  seen.stepped = true;
  if (seen.finite) optimizer.step();
  return seen.finite;
}

void GradScaler::update() {
  if (!options_.enabled) return;
  ORDO_CHECK(!seen_.empty(), ValueError, kGradScaler, "there was no step since the last update()");
  bool finite = true;
  for (const auto& entry : seen_) finite = finite && entry.second.finite;
  seen_.clear();
  if (!finite) {
    scale_ *= options_.backoff_factor;
    good_ = 0;
    // Never 0, from which no growth leads back.
    scale_ = std::max(scale_, double(std::numeric_limits<float>::min()));
  } else if (++good_ == options_.growth_interval) {
    if (scale_ * options_.growth_factor <= double(std::numeric_limits<float>::max())) scale_ *= options_.growth_factor;
    good_ = 0;
  }
}

void GradScaler::set_scale(double scale) {
  expect_scale(scale);
  scale_ = scale;
}

nn::NamedTensorList GradScaler::state_dict() const {
  const ordo::detail::LibraryCall library;
  return {nn::state_of("scale", scale_), nn::state_of("growth_tracker", good_)};
}

nn::Commit GradScaler::prepare_state_dict(const nn::NamedTensorList& state) {
  const ordo::detail::LibraryCall library;
  nn::Entries given(kGradScaler, state);
  const double scale = given.take<double>("scale");
  const int64_t good = given.take<int64_t>("growth_tracker");
  given.finish();
  expect_scale(scale);
  ORDO_CHECK(good >= 0, ValueError, kGradScaler, "'growth_tracker' must be at least 0, not {}", good);
  return [=, this] {
    scale_ = scale;
    good_ = good;
    seen_.clear();
  };
}

}  // namespace ordo::amp
