#include <ordo/nn/optim/sgd.h>

#include <ordo/engine/check.h>
#include <ordo/kernels/optim/optim.h>

namespace ordo::optim {

SGD::SGD(const std::vector<ParameterGroup<SGDOptions>>& groups) : OptimizerOf("SGD", groups) {
  for (const SGDOptions& o : options_) {
    ORDO_CHECK(o.momentum >= 0, ValueError, "SGD", "needs a momentum of at least 0, not {}", o.momentum);
    ORDO_CHECK(o.weight_decay >= 0, ValueError, "SGD", "needs a weight decay of at least 0, not {}", o.weight_decay);
    ORDO_CHECK(!o.nesterov || (o.momentum > 0 && o.dampening == 0), ValueError, "SGD",
               "nesterov needs momentum > 0 and dampening == 0, not {} and {}", o.momentum, o.dampening);
  }
}

void SGD::update(size_t i, const Tensor& grad) {
  const SGDOptions& o = options_of(i);
  kernels::SgdStep step{rate_of(i), o.momentum, o.dampening, o.weight_decay, o.nesterov, false};
  if (o.momentum != 0 && !state_[i].defined()) {
    state_[i] = kernels::optimizer_state(parameters_[i]);
    step.first = true;
  }
  kernels::optimizer_step_({"SGD", parameters_[i], grad, {state_[i]}}, step);
}

std::vector<Optimizer::Memory> SGD::remembered(size_t i) {
  if (options_of(i).momentum == 0) return {};
  return {{.name = "momentum_buffer", .tensor = &state_[i]}};
}

}  // namespace ordo::optim
