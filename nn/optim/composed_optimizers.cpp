// Adadelta, Adamax, NAdam, RAdam and Rprop.
#include <ordo/nn/optim/composed_optimizers.h>

#include <cmath>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/autograd/ops/math/where.h>
#include <ordo/kernels/math/math.h>
#include <ordo/kernels/optim/optim.h>
#include <ordo/nn/optim/optimizer_checks.h>

namespace ordo::optim {

namespace {

void check_adamax(const AdamaxOptions& o) { expect_adam("Adamax", o); }
void check_radam(const RAdamOptions& o) { expect_adam("RAdam", o); }
void check_nadam(const NAdamOptions& o) {
  expect_adam("NAdam", o);
  expect_at_least_0("NAdam", "a decay of the momentum", o.momentum_decay);
}
void check_adadelta(const AdadeltaOptions& o) {
  ORDO_CHECK(o.rho >= 0 && o.rho <= 1, ValueError, "Adadelta", "needs rho in [0, 1], not {}", o.rho);
  expect_at_least_0("Adadelta", "eps", o.eps);
  expect_at_least_0("Adadelta", "a weight decay", o.weight_decay);
}
void check_rprop(const RpropOptions& o) {
  ORDO_CHECK(o.eta_minus > 0 && o.eta_minus < 1 && o.eta_plus > 1, ValueError, "Rprop",
             "needs 0 < eta_minus < 1 < eta_plus, not {} and {}", o.eta_minus, o.eta_plus);
  ORDO_CHECK(o.least >= 0 && o.least <= o.largest, ValueError, "Rprop", "needs 0 <= least <= largest, not {} and {}",
             o.least, o.largest);
}

/// A step in the making: the parameter and its gradient with the weight's decay; copies of both memories.
struct ComposedStep {
  NoGrad guard;
  Tensor parameter, p, g, first, second;
  ComposedState& state;

  ComposedStep(const Tensor& parameter_, const Tensor& grad, double weight_decay, ComposedState& state_)
      : parameter(parameter_), p(wide(parameter.detach())), g(wide(grad)), state(state_) {
    if (!state.first.defined()) {
      state.first = kernels::optimizer_state(parameter);
      state.second = kernels::optimizer_state(parameter);
    }
    first = wide(state.first), second = wide(state.second);
    if (weight_decay != 0) g = g + p * weight_decay;
    state.steps += 1;
  }
  /// Of Adam and its kin.
  void average(const AdamBetas& betas) {
    first = first * betas.first + g * (1 - betas.first);
    second = second * betas.second + g * g * (1 - betas.second);
    power_of(betas);
  }
  void power_of(const AdamBetas& betas) {  // products instead of pow(), whose last bit is the C library's
    state.power1 *= betas.first;
    state.power2 *= betas.second;
  }
  void done(const Tensor& difference) {
    state.first.copy_(first);
    state.second.copy_(second);
    parameter.copy_(p - difference);
  }
};

}  // namespace

// -- Adadelta ---------------------------------------------------------------------------------------------------------

Adadelta::Adadelta(const Groups& groups)
    : ComposedOptimizer("Adadelta", groups, check_adadelta, {"square_avg", "acc_delta"}) {}

void Adadelta::update(size_t i, const Tensor& grad) {
  const AdadeltaOptions& o = options_of(i);
  ComposedStep s(parameters_[i], grad, o.weight_decay, state_[i]);
  s.first = s.first * o.rho + s.g * s.g * (1 - o.rho);
  const Tensor difference = (s.second + o.eps).sqrt() / (s.first + o.eps).sqrt() * s.g;
  s.second = s.second * o.rho + difference * difference * (1 - o.rho);
  s.done(difference * rate_of(i));
}

// -- Adamax -----------------------------------------------------------------------------------------------------------

Adamax::Adamax(const Groups& groups)
    : ComposedOptimizer("Adamax", groups, check_adamax, {"exp_avg", "exp_inf", nullptr, "beta1_power"}) {}

void Adamax::update(size_t i, const Tensor& grad) {
  const AdamaxOptions& o = options_of(i);
  ComposedStep s(parameters_[i], grad, o.weight_decay, state_[i]);
  s.power_of(o.betas);
  s.first = s.first * o.betas.first + s.g * (1 - o.betas.first);
  s.second = (s.second * o.betas.second).maximum(s.g.abs() + o.eps);
  s.done(s.first / s.second * (rate_of(i) / (1 - s.state.power1)));
}

// -- NAdam ------------------------------------------------------------------------------------------------------------

NAdam::NAdam(const Groups& groups)
    : ComposedOptimizer("NAdam", groups, check_nadam, {"exp_avg", "exp_avg_sq", "step", "mu_product", "beta2_power"}) {}

void NAdam::update(size_t i, const Tensor& grad) {
  const NAdamOptions& o = options_of(i);
  ComposedStep s(parameters_[i], grad, o.weight_decay, state_[i]);
  // power1 is the product of all steps' momentums here.
  const auto momentum = [&](double t) {
    return o.betas.first * (1 - 0.5 * math::exp(t * o.momentum_decay * math::log(0.96)));
  };
  const double now = momentum(s.state.steps), next = momentum(s.state.steps + 1);
  s.average({now, o.betas.second});
  s.first = wide(s.state.first) * o.betas.first + s.g * (1 - o.betas.first);
  const Tensor root = (s.second / (1 - s.state.power2)).sqrt() + o.eps;
  s.done((s.first * (rate_of(i) * next / (1 - s.state.power1 * next)) +
          s.g * (rate_of(i) * (1 - now) / (1 - s.state.power1))) /
         root);
}

// -- RAdam ------------------------------------------------------------------------------------------------------------

RAdam::RAdam(const Groups& groups)
    : ComposedOptimizer("RAdam", groups, check_radam, {"exp_avg", "exp_avg_sq", "step", "beta1_power", "beta2_power"}) {
}

void RAdam::update(size_t i, const Tensor& grad) {
  const RAdamOptions& o = options_of(i);
  ComposedStep s(parameters_[i], grad, o.weight_decay, state_[i]);
  s.average(o.betas);
  const double rest1 = 1 - s.state.power1, rest2 = 1 - s.state.power2;
  const double all = 2 / (1 - o.betas.second) - 1, length = all - 2 * s.state.steps * s.state.power2 / rest2;
  double rate = rate_of(i) / rest1;
  if (length <= 5) return s.done(s.first * rate);
  rate *= std::sqrt((length - 4) * (length - 2) * all / ((all - 4) * (all - 2) * length)) * std::sqrt(rest2);
  s.done(s.first * rate / (s.second.sqrt() + o.eps));
}

// -- Rprop ------------------------------------------------------------------------------------------------------------

Rprop::Rprop(const Groups& groups) : ComposedOptimizer("Rprop", groups, check_rprop, {"prev", "step_size", "step"}) {}

void Rprop::update(size_t i, const Tensor& grad) {
  const RpropOptions& o = options_of(i);
  ComposedStep s(parameters_[i], grad, 0, state_[i]);
  if (s.state.steps == 1) s.second = full_like(s.second, options(int64_t(group_of(i))).lr);
  const Tensor sign = (s.g * s.first).sign();
  s.second = where(sign > 0, s.second * o.eta_plus, where(sign < 0, s.second * o.eta_minus, s.second));
  s.second = s.second.clamp(o.least, o.largest);
  s.first = where(sign < 0, 0, s.g);
  s.done(s.first.sign() * s.second * lr_factor());
}

}  // namespace ordo::optim
