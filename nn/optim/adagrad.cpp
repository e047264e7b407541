#include <ordo/nn/optim/adagrad.h>

#include <ordo/engine/check.h>
#include <ordo/kernels/optim/optim.h>

namespace ordo::optim {

Adagrad::Adagrad(const std::vector<ParameterGroup<AdagradOptions>>& groups) : OptimizerOf("Adagrad", groups) {
  for (const AdagradOptions& o : options_) {
    ORDO_CHECK(o.lr_decay >= 0, ValueError, "Adagrad", "needs a decay of the learning rate of at least 0, not {}",
               o.lr_decay);
    ORDO_CHECK(o.weight_decay >= 0, ValueError, "Adagrad", "needs a weight decay of at least 0, not {}",
               o.weight_decay);
    ORDO_CHECK(o.initial_accumulator_value >= 0, ValueError, "Adagrad", "needs an initial sum of at least 0, not {}",
               o.initial_accumulator_value);
    ORDO_CHECK(o.eps >= 0, ValueError, "Adagrad", "needs eps of at least 0, not {}", o.eps);
  }
}

void Adagrad::update(size_t i, const Tensor& grad) {
  const AdagradOptions& o = options_of(i);
  AdagradState& state = state_[i];
  if (!state.sum.defined()) {
    state.sum = kernels::optimizer_state(parameters_[i]);
    state.sum.fill_(o.initial_accumulator_value);
  }
  const double rate = rate_of(i) / (1 + state.steps * o.lr_decay);
  state.steps += 1;
  kernels::optimizer_step_({"Adagrad", parameters_[i], grad, {state.sum}},
                           kernels::AdagradStep{.lr = rate, .weight_decay = o.weight_decay, .eps = o.eps});
}

std::vector<Optimizer::Memory> Adagrad::remembered(size_t i) {
  return {{.name = "sum", .tensor = &state_[i].sum}, {.name = "step", .number = &state_[i].steps}};
}

}  // namespace ordo::optim
