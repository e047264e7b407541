// What nll_loss computes per sample; shared by both devices.
#pragma once

#include <ordo/engine/dtype.h>
#include <ordo/kernels/accumulate/index_view.h>
#include <ordo/kernels/loss/nll_loss.h>

namespace ordo::kernels {

template <class T>
struct NllSamples {
  using A = accumulate_t<T>;
  NllShape s;
  const T* x;
  IndexView target;
  const T* weight;  // or null

  ORDO_HD A weight_of(int64_t c) const { return weight ? A(weight[c]) : A(1); }
  /// The class of sample i; -1 when it does not count.
  ORDO_HD int64_t class_of(int64_t i) const {
    const int64_t c = target.raw(i);
    return c == s.ignore_index ? -1 : target.checked(i, c);
  }
  ORDO_HD A loss(int64_t i, int64_t c) const {
    return -(weight_of(c) * A(x[(i / s.inner * s.classes + c) * s.inner + i % s.inner]));
  }
};

template <class T>
struct NllElement {
  NllSamples<T> samples;
  T* out;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t c = samples.class_of(i);
    out[i] = c < 0 ? T(0.0f) : T(samples.loss(i, c));
  }
};

/// Losses and weights, each summed by rule 2.
template <class T>
struct NllReducer {
  static constexpr bool kOneLine = true;
  using A = accumulate_t<T>;
  struct State {
    A loss, weight;
  };
  NllSamples<T> samples;
  T* out;
  A* total_weight;
  static ORDO_HD State identity() { return {A(-0.0), A(-0.0)}; }
  static ORDO_HD State empty() { return {A(0), A(0)}; }
  static ORDO_HD State combine(State a, State b) { return {a.loss + b.loss, a.weight + b.weight}; }
  ORDO_HD State load(int64_t, int64_t i, int64_t) const {
    const int64_t c = samples.class_of(i);
    return c < 0 ? State{A(0), A(0)} : State{samples.loss(i, c), samples.weight_of(c)};
  }
  ORDO_HD void store(int64_t, State v) const {
    *out = T(samples.s.reduction == LossReduction::mean ? v.loss / v.weight : v.loss);
    *total_weight = v.weight;
  }
};

/// One element of the gradient.
template <class T>
struct NllGradient {
  using A = accumulate_t<T>;
  NllShape s;
  const T* grad;
  IndexView target;
  const T* weight;
  const A* total_weight;
  T* out;
  ORDO_HD T value(int64_t i, int64_t c) const {
    const A w = weight ? A(weight[c]) : A(1);
    const A g = A(grad[s.reduction == LossReduction::none ? i : 0]);
    return T(s.reduction == LossReduction::mean ? -(w * g) / *total_weight : -(w * g));
  }
  ORDO_HD void operator()(int64_t at) const {
    const int64_t row = at / s.inner, c = row % s.classes, i = row / s.classes * s.inner + at % s.inner;
    const int64_t t = target.raw(i);
    out[at] = t == c && t != s.ignore_index ? value(i, c) : T(0.0f);
  }
};

}  // namespace ordo::kernels
