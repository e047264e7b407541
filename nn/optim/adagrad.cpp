#include <ordo/nn/optim/adagrad.h>

#include <ordo/engine/check.h>
#include <ordo/kernels/optim/optim.h>

namespace ordo::optim {

Adagrad::Adagrad(const std::vector<ParameterGroup<AdagradOptions>>& groups)
    : Optimizer("Adagrad", parameters_of(groups), lr_of(groups)), options_(options_of(groups)) {
  const detail::LibraryCall library;
  state_.resize(parameters_.size());
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

void Adagrad::update() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i];
    const Tensor grad = p.grad();
    if (!grad.defined()) continue;
    const AdagradOptions& o = options_[group_of(i)];
    State& state = state_[i];
    if (!state.sum.defined()) {
      state.sum = kernels::optimizer_state(p);
      state.sum.fill_(o.initial_accumulator_value);
    }
    const double rate = rate_of(i) / (1 + state.steps * o.lr_decay);
    state.steps += 1;
    kernels::optimizer_step_({"Adagrad", p, grad, {state.sum}},
                             kernels::AdagradStep{.lr = rate, .weight_decay = o.weight_decay, .eps = o.eps});
  }
}

std::vector<Optimizer::Memory> Adagrad::remembered(size_t i) {
  return {{.name = "sum", .tensor = &state_[i].sum}, {.name = "step", .number = &state_[i].steps}};
}

}  // namespace ordo::optim
