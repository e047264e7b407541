// The formulas of the optimiser steps for one element, shared by both devices. Half types are computed in float and
// rounded where they are stored.
#pragma once

#include <cmath>

#include <ordo/engine/dtype.h>
#include <ordo/engine/host_device.h>
#include <ordo/kernels/optim/optim.h>

namespace ordo::kernels {

template <class T>
struct SgdElement {
  using Acc = accumulate_t<T>;
  T* parameter;
  const T* grad;
  T* momentum_buffer;  // null without momentum
  Acc lr, momentum, keep, weight_decay;
  bool nesterov, first;

  SgdElement(T* p, const T* g, T* m, const SgdStep& s)
      : parameter(p),
        grad(g),
        momentum_buffer(m),
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
struct AdamElement {
  using Acc = accumulate_t<T>;
  T* parameter;
  const T* grad;
  T* first;
  T* second;
  Acc step_size, denominator, beta1, beta2, rest1, rest2, eps, decay;
  bool decoupled;

  AdamElement(T* p, const T* g, T* m, T* v, const AdamStep& s)
      : parameter(p),
        grad(g),
        first(m),
        second(v),
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
    // sqrt is correctly rounded everywhere.
    parameter[i] = T(p - step_size * (m / (sqrt_(v) / denominator + eps)));
  }

 private:
  ORDO_HD static float sqrt_(float x) { return ::sqrtf(x); }
  ORDO_HD static double sqrt_(double x) { return ::sqrt(x); }
};

}  // namespace ordo::kernels
