#include <ordo/nn/optim/rmsprop.h>

#include <ordo/engine/check.h>
#include <ordo/kernels/optim/optim.h>

namespace ordo::optim {

RMSprop::RMSprop(const std::vector<ParameterGroup<RMSpropOptions>>& groups) : OptimizerOf("RMSprop", groups) {
  for (const RMSpropOptions& o : options_) {
    ORDO_CHECK(o.alpha >= 0 && o.alpha < 1, ValueError, "RMSprop", "needs alpha in [0, 1), not {}", o.alpha);
    ORDO_CHECK(o.eps >= 0, ValueError, "RMSprop", "needs eps of at least 0, not {}", o.eps);
    ORDO_CHECK(o.weight_decay >= 0, ValueError, "RMSprop", "needs a weight decay of at least 0, not {}",
               o.weight_decay);
    ORDO_CHECK(o.momentum >= 0, ValueError, "RMSprop", "needs a momentum of at least 0, not {}", o.momentum);
  }
}

void RMSprop::update(size_t i, const Tensor& grad) {
  const Tensor& p = parameters_[i];
  const RMSpropOptions& o = options_of(i);
  RMSpropState& state = state_[i];
  if (!state.square.defined()) {
    state.square = kernels::optimizer_state(p);
    if (o.momentum != 0) state.momentum = kernels::optimizer_state(p);
    if (o.centered) state.mean = kernels::optimizer_state(p);
  }
  kernels::optimizer_step_(
      {"RMSprop", p, grad, {state.square, state.momentum, state.mean}},
      kernels::RmspropStep{
          .lr = rate_of(i), .alpha = o.alpha, .eps = o.eps, .weight_decay = o.weight_decay, .momentum = o.momentum});
}

std::vector<Optimizer::Memory> RMSprop::remembered(size_t i) {
  const RMSpropOptions& o = options_of(i);
  std::vector<Memory> all{{.name = "square_avg", .tensor = &state_[i].square}};
  if (o.momentum != 0) all.push_back({.name = "momentum_buffer", .tensor = &state_[i].momentum});
  if (o.centered) all.push_back({.name = "grad_avg", .tensor = &state_[i].mean});
  return all;
}

}  // namespace ordo::optim
