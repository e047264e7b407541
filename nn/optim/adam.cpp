#include <ordo/nn/optim/adam.h>

#include <cmath>

#include <ordo/engine/check.h>
#include <ordo/kernels/optim/optim.h>

namespace ordo::optim {

Adam::Adam(const char* name, TensorList parameters, AdamOptions options, bool decoupled)
    : Optimizer(name, std::move(parameters), options.lr),
      options_(options),
      decoupled_(decoupled),
      state_(parameters_.size()) {
  ORDO_CHECK(
      options.betas.first >= 0 && options.betas.first < 1 && options.betas.second >= 0 && options.betas.second < 1,
      ValueError, name, "needs betas in [0, 1), not {} and {}", options.betas.first, options.betas.second);
  ORDO_CHECK(options.eps >= 0, ValueError, name, "needs eps of at least 0, not {}", options.eps);
  ORDO_CHECK(options.weight_decay >= 0, ValueError, name, "needs a weight decay of at least 0, not {}",
             options.weight_decay);
}

void Adam::update() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor grad = parameters_[i].grad();
    if (!grad.defined()) continue;
    State& state = state_[i];
    if (!state.first.defined()) {
      state.first = kernels::optimizer_state(parameters_[i]);
      state.second = kernels::optimizer_state(parameters_[i]);
    }
    // Products instead of pow(), whose last bit is the C library's.
    state.power1 *= options_.betas.first;
    state.power2 *= options_.betas.second;
    kernels::adam_step_(parameters_[i], grad, state.first, state.second,
                        {.step_size = lr_ / (1 - state.power1),
                         .denominator = std::sqrt(1 - state.power2),
                         .beta1 = options_.betas.first,
                         .beta2 = options_.betas.second,
                         .eps = options_.eps,
                         .decay = decoupled_ ? lr_ * options_.weight_decay : options_.weight_decay,
                         .decoupled = decoupled_});
  }
}

}  // namespace ordo::optim
