// SGD, Adam, AdamW, RMSprop and Adagrad.
#include <cmath>

#include <ordo/kernels/optim/optim.h>
#include <ordo/nn/optim/optimizer_checks.h>
#include <ordo/nn/optim/optimizers.h>

namespace ordo::optim {

static AdamOptions as_adam(const AdamWOptions& o) {
  return {o.lr, o.betas, o.eps, o.weight_decay, o.amsgrad, o.maximize};
}

static Adam::Groups as_adam(const AdamW::Groups& groups) {
  const detail::LibraryCall library;
  Adam::Groups all;
  for (const auto& group : groups) all.push_back({group.parameters, as_adam(group.options)});
  return all;
}

static void check_sgd(const SGDOptions& o) {
  expect_at_least_0("SGD", "a momentum", o.momentum);
  expect_at_least_0("SGD", "a weight decay", o.weight_decay);
  ORDO_CHECK(!o.nesterov || (o.momentum > 0 && o.dampening == 0), ValueError, "SGD",
             "nesterov needs momentum > 0 and dampening == 0, not {} and {}", o.momentum, o.dampening);
}

template <bool decoupled>
static void check_adam(const AdamOptions& o) {
  expect_adam(decoupled ? "AdamW" : "Adam", o);
}

static void check_rmsprop(const RMSpropOptions& o) {
  ORDO_CHECK(o.alpha >= 0 && o.alpha < 1, ValueError, "RMSprop", "needs alpha in [0, 1), not {}", o.alpha);
  expect_at_least_0("RMSprop", "eps", o.eps);
  expect_at_least_0("RMSprop", "a weight decay", o.weight_decay);
  expect_at_least_0("RMSprop", "a momentum", o.momentum);
}

static void check_adagrad(const AdagradOptions& o) {
  expect_at_least_0("Adagrad", "a decay of the learning rate", o.lr_decay);
  expect_at_least_0("Adagrad", "a weight decay", o.weight_decay);
  expect_at_least_0("Adagrad", "an initial sum", o.initial_accumulator_value);
  expect_at_least_0("Adagrad", "eps", o.eps);
}

// -- SGD --------------------------------------------------------------------------------------------------------------

SGD::SGD(const Groups& groups) : OptimizerOf("SGD", groups, check_sgd) {}

void SGD::update(size_t i, const Tensor& grad) {
  const SGDOptions& o = options_of(i);
  kernels::SgdStep step{rate_of(i), o.momentum, o.dampening, o.weight_decay, o.nesterov, false};
  if (o.momentum != 0 && !state_[i].defined()) {
    state_[i] = kernels::optimizer_state(parameters_[i]);
    step.first = true;
  }
  kernels::optimizer_step_({"SGD", parameters_[i], grad, {o.momentum != 0 ? state_[i] : Tensor()}}, step);
}

std::vector<Optimizer::Memory> SGD::remembered(size_t i) {
  if (options_of(i).momentum == 0) return {};
  return {{.name = "momentum_buffer", .tensor = &state_[i]}};
}

// -- Adam and AdamW ---------------------------------------------------------------------------------------------------

Adam::Adam(const char* name, const Groups& groups, bool decoupled)
    : OptimizerOf(name, groups, decoupled ? check_adam<true> : check_adam<false>), name_(name), decoupled_(decoupled) {}

AdamW::AdamW(const Groups& groups) : Adam("AdamW", as_adam(groups), true) {}
void AdamW::add_param_group(const ParameterGroup<AdamWOptions>& group) {
  Adam::add_param_group({group.parameters, as_adam(group.options)});
}
void AdamW::set_options(const AdamWOptions& options, int64_t group) { Adam::set_options(as_adam(options), group); }
AdamWOptions AdamW::options(int64_t group) const {
  const AdamOptions o = Adam::options(group);
  return {o.lr, o.betas, o.eps, o.weight_decay, o.amsgrad, o.maximize};
}

void Adam::update(size_t i, const Tensor& grad) {
  const AdamOptions& o = options_of(i);
  AdamState& state = state_[i];
  if (!state.first.defined()) {
    state.first = kernels::optimizer_state(parameters_[i]);
    state.second = kernels::optimizer_state(parameters_[i]);
  }
  if (o.amsgrad && !state.largest.defined()) state.largest = kernels::optimizer_state(parameters_[i]);
  // Products instead of pow(), whose last bit is the C library's.
  state.power1 *= o.betas.first;
  state.power2 *= o.betas.second;
  kernels::optimizer_step_(
      {name_, parameters_[i], grad, {state.first, state.second, o.amsgrad ? state.largest : Tensor()}},
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
  std::vector<Memory> all{{.name = "exp_avg", .tensor = &state.first},
                          {.name = "exp_avg_sq", .tensor = &state.second},
                          {.name = "beta1_power", .number = &state.power1, .first = 1},
                          {.name = "beta2_power", .number = &state.power2, .first = 1}};
  if (options_of(i).amsgrad) all.push_back({.name = "max_exp_avg_sq", .tensor = &state.largest});
  return all;
}

// -- RMSprop ----------------------------------------------------------------------------------------------------------

RMSprop::RMSprop(const Groups& groups) : OptimizerOf("RMSprop", groups, check_rmsprop) {}

void RMSprop::update(size_t i, const Tensor& grad) {
  const Tensor& p = parameters_[i];
  const RMSpropOptions& o = options_of(i);
  RMSpropState& state = state_[i];
  if (!state.square.defined()) state.square = kernels::optimizer_state(p);
  if (o.momentum != 0 && !state.momentum.defined()) state.momentum = kernels::optimizer_state(p);
  if (o.centered && !state.mean.defined()) state.mean = kernels::optimizer_state(p);
  kernels::optimizer_step_(
      {"RMSprop",
       p,
       grad,
       {state.square, o.momentum != 0 ? state.momentum : Tensor(), o.centered ? state.mean : Tensor()}},
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

Adagrad::Adagrad(const Groups& groups) : OptimizerOf("Adagrad", groups, check_adagrad) {}

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
