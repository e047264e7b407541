#include <ordo/nn/optim/adam.h>

#include <cmath>

#include <ordo/engine/check.h>
#include <ordo/kernels/optim/optim.h>

namespace ordo::optim {

namespace {

std::vector<ParameterGroup<AdamOptions>> as_adam(const std::vector<ParameterGroup<AdamWOptions>>& groups) {
  const detail::LibraryCall library;
  std::vector<ParameterGroup<AdamOptions>> all;
  for (const auto& [parameters, o] : groups) all.push_back({parameters, {o.lr, o.betas, o.eps, o.weight_decay}});
  return all;
}

}  // namespace

Adam::Adam(const char* name, const std::vector<ParameterGroup<AdamOptions>>& groups, bool decoupled)
    : OptimizerOf(name, groups), name_(name), decoupled_(decoupled) {
  for (const AdamOptions& o : options_) {
    ORDO_CHECK(o.betas.first >= 0 && o.betas.first < 1 && o.betas.second >= 0 && o.betas.second < 1, ValueError, name,
               "needs betas in [0, 1), not {} and {}", o.betas.first, o.betas.second);
    ORDO_CHECK(o.eps >= 0, ValueError, name, "needs eps of at least 0, not {}", o.eps);
    ORDO_CHECK(o.weight_decay >= 0, ValueError, name, "needs a weight decay of at least 0, not {}", o.weight_decay);
  }
}

AdamW::AdamW(const std::vector<ParameterGroup<AdamWOptions>>& groups) : Adam("AdamW", as_adam(groups), true) {}

void Adam::update(size_t i, const Tensor& grad) {
  const AdamOptions& o = options_of(i);
  AdamState& state = state_[i];
  if (!state.first.defined()) {
    state.first = kernels::optimizer_state(parameters_[i]);
    state.second = kernels::optimizer_state(parameters_[i]);
  }
  // Products instead of pow(), whose last bit is the C library's.
  state.power1 *= o.betas.first;
  state.power2 *= o.betas.second;
  kernels::optimizer_step_({name_, parameters_[i], grad, {state.first, state.second}},
                           kernels::AdamStep{.step_size = rate_of(i) / (1 - state.power1),
                                             .denominator = std::sqrt(1 - state.power2),
                                             .beta1 = o.betas.first,
                                             .beta2 = o.betas.second,
                                             .eps = o.eps,
                                             .decay = decoupled_ ? rate_of(i) * o.weight_decay : o.weight_decay,
                                             .decoupled = decoupled_});
}

std::vector<Optimizer::Memory> Adam::remembered(size_t i) {
  AdamState& state = state_[i];
  return {{.name = "exp_avg", .tensor = &state.first},
          {.name = "exp_avg_sq", .tensor = &state.second},
          {.name = "beta1_power", .number = &state.power1, .first = 1},
          {.name = "beta2_power", .number = &state.power2, .first = 1}};
}

}  // namespace ordo::optim
