// The formulas of the optimiser steps for one element, shared by both devices. Half types are computed in float and
// rounded where they are stored.
#pragma once

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/math/math.h>
#include <ordo/kernels/optim/optim.h>

namespace ordo::kernels {

/// What a step reads and changes; state is null where a step has none.
template <class T>
struct StepMemory {
  T* parameter;
  const T* grad;
  T* state[3];
};

/// StepElement::of(memory, step)(i) changes element i of a parameter and its state.
template <class T, class Step>
struct StepElement;

template <class T>
struct StepElement<T, SgdStep> {
  using Acc = accumulate_t<T>;
  StepMemory<T> at;  // state: the momentum buffer
  Acc lr, momentum, keep, weight_decay;
  bool nesterov, first;

  static StepElement of(const StepMemory<T>& at, const SgdStep& s) {
    return {at, Acc(s.lr), Acc(s.momentum), Acc(1 - s.dampening), Acc(s.weight_decay), s.nesterov, s.first};
  }
  ORDO_HD void operator()(int64_t i) const {
    const Acc p = Acc(at.parameter[i]);
    Acc g = Acc(at.grad[i]);
    if (weight_decay != 0) g = g + weight_decay * p;
    if (T* const momentum_buffer = at.state[0]) {
      const Acc b = first ? g : momentum * Acc(momentum_buffer[i]) + keep * g;
      momentum_buffer[i] = T(b);
      g = nesterov ? g + momentum * b : b;
    }
    at.parameter[i] = T(p - lr * g);
  }
};

template <class T>
struct StepElement<T, AdamStep> {
  using Acc = accumulate_t<T>;
  StepMemory<T> at;  // state: first and second moment; the largest second moment, or null
  Acc step_size, denominator, beta1, beta2, rest1, rest2, eps, decay;
  bool decoupled;

  static StepElement of(const StepMemory<T>& at, const AdamStep& s) {
    return {at,           Acc(s.step_size), Acc(s.denominator), Acc(s.beta1),
            Acc(s.beta2), Acc(1 - s.beta1), Acc(1 - s.beta2),   Acc(s.eps),
            Acc(s.decay), s.decoupled};
  }
  ORDO_HD void operator()(int64_t i) const {
    Acc p = Acc(at.parameter[i]);
    Acc g = Acc(at.grad[i]);
    if (decay != 0) {
      if (decoupled)
        p = p - decay * p;
      else
        g = g + decay * p;
    }
    const Acc m = beta1 * Acc(at.state[0][i]) + rest1 * g;
    Acc v = beta2 * Acc(at.state[1][i]) + rest2 * g * g;
    at.state[0][i] = T(m);
    at.state[1][i] = T(v);
    if (T* const largest = at.state[2]) {
      const Acc before = Acc(largest[i]);
      if (before > v) v = before;  // NaN stays
      largest[i] = T(v);
    }
    at.parameter[i] = T(p - step_size * (m / (math::sqrt(v) / denominator + eps)));
  }
};

template <class T>
struct StepElement<T, RmspropStep> {
  using Acc = accumulate_t<T>;
  StepMemory<T> at;  // state: the mean square; the momentum buffer, or null; the mean if centred, or null
  Acc lr, alpha, rest, eps, weight_decay, momentum;

  static StepElement of(const StepMemory<T>& at, const RmspropStep& s) {
    return {at, Acc(s.lr), Acc(s.alpha), Acc(1 - s.alpha), Acc(s.eps), Acc(s.weight_decay), Acc(s.momentum)};
  }
  ORDO_HD void operator()(int64_t i) const {
    const Acc p = Acc(at.parameter[i]);
    Acc g = Acc(at.grad[i]);
    if (weight_decay != 0) g = g + weight_decay * p;
    Acc v = alpha * Acc(at.state[0][i]) + rest * g * g;
    at.state[0][i] = T(v);
    if (T* const mean = at.state[2]) {
      const Acc m = alpha * Acc(mean[i]) + rest * g;
      mean[i] = T(m);
      v = v - m * m;
      if (v < 0) v = 0;  // a variance, but for rounding
    }
    Acc step = g / (math::sqrt(v) + eps);
    if (T* const momentum_buffer = at.state[1]) {
      step = momentum * Acc(momentum_buffer[i]) + step;
      momentum_buffer[i] = T(step);
    }
    at.parameter[i] = T(p - lr * step);
  }
};

template <class T>
struct StepElement<T, AdagradStep> {
  using Acc = accumulate_t<T>;
  StepMemory<T> at;  // state: the sum of squares
  Acc lr, eps, weight_decay;

  static StepElement of(const StepMemory<T>& at, const AdagradStep& s) {
    return {at, Acc(s.lr), Acc(s.eps), Acc(s.weight_decay)};
  }
  ORDO_HD void operator()(int64_t i) const {
    const Acc p = Acc(at.parameter[i]);
    Acc g = Acc(at.grad[i]);
    if (weight_decay != 0) g = g + weight_decay * p;
    const Acc v = Acc(at.state[0][i]) + g * g;
    at.state[0][i] = T(v);
    at.parameter[i] = T(p - lr * (g / (math::sqrt(v) + eps)));
  }
};

template <class T>
StepMemory<T> memory_of(const StepTensors& t) {
  const auto state = [&](int i) { return data_or_null<T>(t.state[i]); };
  return {t.parameter.data<T>(), t.grad.data<T>(), {state(0), state(1), state(2)}};
}

/// f.operator()<T, Step>() for the element type of the tensors and the kind of step.
template <class F>
void with_step(const StepTensors& t, const OptimizerStep& any, const F& f) {
  dispatch_floating(t.op, t.parameter.dtype(), [&]<class T>() {
    std::visit([&]<class Step>(const Step&) { f.template operator()<T, Step>(); }, any);
  });
}

}  // namespace ordo::kernels
