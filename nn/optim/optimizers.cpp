// SGD, Adam, AdamW, RMSprop and Adagrad.
#include <cmath>

#include <ordo/engine/calls/check.h>
#include <ordo/kernels/optim/optim.h>
#include <ordo/nn/optim/optimizers.h>

namespace ordo::optim {

namespace {

void expect_at_least_0(const char* optimizer, const char* what, double value) {
  ORDO_CHECK(value >= 0, ValueError, optimizer, "needs {} of at least 0, not {}", what, value);
}

std::vector<ParameterGroup<AdamOptions>> as_adam(const std::vector<ParameterGroup<AdamWOptions>>& groups) {
  const detail::LibraryCall library;
  std::vector<ParameterGroup<AdamOptions>> all;
  for (const auto& [parameters, o] : groups) all.push_back({parameters, {o.lr, o.betas, o.eps, o.weight_decay}});
  return all;
}

}  // namespace

// -- SGD --------------------------------------------------------------------------------------------------------------

SGD::SGD(const std::vector<ParameterGroup<SGDOptions>>& groups) : OptimizerOf("SGD", groups) {
  for (const SGDOptions& o : options_) {
    expect_at_least_0("SGD", "a momentum", o.momentum);
    expect_at_least_0("SGD", "a weight decay", o.weight_decay);
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

// -- Adam and AdamW ---------------------------------------------------------------------------------------------------

Adam::Adam(const char* name, const std::vector<ParameterGroup<AdamOptions>>& groups, bool decoupled)
    : OptimizerOf(name, groups), name_(name), decoupled_(decoupled) {
  for (const AdamOptions& o : options_) {
    ORDO_CHECK(o.betas.first >= 0 && o.betas.first < 1 && o.betas.second >= 0 && o.betas.second < 1, ValueError, name,
               "needs betas in [0, 1), not {} and {}", o.betas.first, o.betas.second);
    expect_at_least_0(name, "eps", o.eps);
    expect_at_least_0(name, "a weight decay", o.weight_decay);
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

// -- RMSprop ----------------------------------------------------------------------------------------------------------

RMSprop::RMSprop(const std::vector<ParameterGroup<RMSpropOptions>>& groups) : OptimizerOf("RMSprop", groups) {
  for (const RMSpropOptions& o : options_) {
    ORDO_CHECK(o.alpha >= 0 && o.alpha < 1, ValueError, "RMSprop", "needs alpha in [0, 1), not {}", o.alpha);
    expect_at_least_0("RMSprop", "eps", o.eps);
    expect_at_least_0("RMSprop", "a weight decay", o.weight_decay);
    expect_at_least_0("RMSprop", "a momentum", o.momentum);
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

// -- Adagrad ----------------------------------------------------------------------------------------------------------

Adagrad::Adagrad(const std::vector<ParameterGroup<AdagradOptions>>& groups) : OptimizerOf("Adagrad", groups) {
  for (const AdagradOptions& o : options_) {
    expect_at_least_0("Adagrad", "a decay of the learning rate", o.lr_decay);
    expect_at_least_0("Adagrad", "a weight decay", o.weight_decay);
    expect_at_least_0("Adagrad", "an initial sum", o.initial_accumulator_value);
    expect_at_least_0("Adagrad", "eps", o.eps);
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
