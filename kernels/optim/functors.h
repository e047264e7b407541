// The formulas of the optimiser steps for one element, shared by both devices. Half types are computed in float and
// rounded where they are stored.
#pragma once

#include <cmath>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/host_device.h>
#include <ordo/kernels/optim/optim.h>

namespace ordo::kernels {

// Correctly rounded everywhere.
ORDO_HD float square_root(float x) { return ::sqrtf(x); }
ORDO_HD double square_root(double x) { return ::sqrt(x); }

/// StepElement()(i) changes element i of a parameter and its state.
template <class T, class Step>
struct StepElement;

template <class T>
struct StepElement<T, SgdStep> {
  using Acc = accumulate_t<T>;
  T* parameter;
  const T* grad;
  T* momentum_buffer;  // null without momentum
  Acc lr, momentum, keep, weight_decay;
  bool nesterov, first;

  StepElement(T* p, const T* g, T* const (&state)[3], const SgdStep& s)
      : parameter(p),
        grad(g),
        momentum_buffer(state[0]),
        lr(Acc(s.lr)),
        momentum(Acc(s.momentum)),
        keep(Acc(1 - s.dampening)),
        weight_decay(Acc(s.weight_decay)),
        nesterov(s.nesterov),
        first(s.first) {}

  ORDO_HD void operator()(int64_t i) const {
    const Acc p = Acc(parameter[i]);
    Acc g = Acc(grad[i]);
    if (weight_decay != 0) g = g + weight_decay * p;
    if (momentum_buffer) {
      const Acc b = first ? g : momentum * Acc(momentum_buffer[i]) + keep * g;
      momentum_buffer[i] = T(b);
      g = nesterov ? g + momentum * b : b;
    }
    parameter[i] = T(p - lr * g);
  }
};

template <class T>
struct StepElement<T, AdamStep> {
  using Acc = accumulate_t<T>;
  T* parameter;
  const T* grad;
  T* first;
  T* second;
  Acc step_size, denominator, beta1, beta2, rest1, rest2, eps, decay;
  bool decoupled;

  StepElement(T* p, const T* g, T* const (&state)[3], const AdamStep& s)
      : parameter(p),
        grad(g),
        first(state[0]),
        second(state[1]),
        step_size(Acc(s.step_size)),
        denominator(Acc(s.denominator)),
        beta1(Acc(s.beta1)),
        beta2(Acc(s.beta2)),
        rest1(Acc(1 - s.beta1)),
        rest2(Acc(1 - s.beta2)),
        eps(Acc(s.eps)),
        decay(Acc(s.decay)),
        decoupled(s.decoupled) {}

  ORDO_HD void operator()(int64_t i) const {
    Acc p = Acc(parameter[i]);
    Acc g = Acc(grad[i]);
    if (decay != 0) {
      if (decoupled)
        p = p - decay * p;
      else
        g = g + decay * p;
    }
    const Acc m = beta1 * Acc(first[i]) + rest1 * g;
    const Acc v = beta2 * Acc(second[i]) + rest2 * g * g;
    first[i] = T(m);
    second[i] = T(v);
    parameter[i] = T(p - step_size * (m / (square_root(v) / denominator + eps)));
  }
};

template <class T>
struct StepElement<T, RmspropStep> {
  using Acc = accumulate_t<T>;
  T* parameter;
  const T* grad;
  T* square;
  T* momentum_buffer;  // null without momentum
  T* mean;             // null unless centred
  Acc lr, alpha, rest, eps, weight_decay, momentum;

  StepElement(T* p, const T* g, T* const (&state)[3], const RmspropStep& s)
      : parameter(p),
        grad(g),
        square(state[0]),
        momentum_buffer(state[1]),
        mean(state[2]),
        lr(Acc(s.lr)),
        alpha(Acc(s.alpha)),
        rest(Acc(1 - s.alpha)),
        eps(Acc(s.eps)),
        weight_decay(Acc(s.weight_decay)),
        momentum(Acc(s.momentum)) {}

  ORDO_HD void operator()(int64_t i) const {
    const Acc p = Acc(parameter[i]);
    Acc g = Acc(grad[i]);
    if (weight_decay != 0) g = g + weight_decay * p;
    Acc v = alpha * Acc(square[i]) + rest * g * g;
    square[i] = T(v);
    if (mean) {
      const Acc m = alpha * Acc(mean[i]) + rest * g;
      mean[i] = T(m);
      v = v - m * m;
      if (v < 0) v = 0;  // a variance, but for rounding
    }
    Acc step = g / (square_root(v) + eps);
    if (momentum_buffer) {
      step = momentum * Acc(momentum_buffer[i]) + step;
      momentum_buffer[i] = T(step);
    }
    parameter[i] = T(p - lr * step);
  }
};

template <class T>
struct StepElement<T, AdagradStep> {
  using Acc = accumulate_t<T>;
  T* parameter;
  const T* grad;
  T* sum;
  Acc lr, eps, weight_decay;

  StepElement(T* p, const T* g, T* const (&state)[3], const AdagradStep& s)
      : parameter(p), grad(g), sum(state[0]), lr(Acc(s.lr)), eps(Acc(s.eps)), weight_decay(Acc(s.weight_decay)) {}

  ORDO_HD void operator()(int64_t i) const {
    const Acc p = Acc(parameter[i]);
    Acc g = Acc(grad[i]);
    if (weight_decay != 0) g = g + weight_decay * p;
    const Acc v = Acc(sum[i]) + g * g;
    sum[i] = T(v);
    parameter[i] = T(p - lr * (g / (square_root(v) + eps)));
  }
};

/// each(element, n) for the step's tensors.
template <class Each>
void with_element(const StepTensors& t, const OptimizerStep& any, const Each& each) {
  dispatch_floating(t.op, t.parameter.dtype(), [&]<class T>() {
    T* state[3];
    for (int i = 0; i < 3; ++i) state[i] = t.state[i].defined() ? t.state[i].data<T>() : nullptr;
    std::visit(
        [&]<class Step>(const Step& step) {
          each(StepElement<T, Step>(t.parameter.data<T>(), t.grad.data<T>(), state, step), t.parameter.numel());
        },
        any);
  });
}

}  // namespace ordo::kernels
