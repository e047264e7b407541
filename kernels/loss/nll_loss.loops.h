// nll_loss.
#pragma once

#include <ordo/engine/tensor/dtype.h>
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
  ORDO_HD A loss(int64_t i, int64_t c) const { return -(weight_of(c) * A(x[s.element(i, c)])); }
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

/// The one element of the gradient of sample i that is not zero.
template <class T>
struct NllGradient {
  using A = accumulate_t<T>;
  NllShape s;
  const T* grad;
  IndexView target;
  const T* weight;
  const A* total_weight;
  T* out;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t c = target.raw(i);
    if (c == s.ignore_index || uint64_t(c) >= uint64_t(s.classes)) return;  // out of range: recorded, not yet an error
    const A w = weight ? A(weight[c]) : A(1), g = A(grad[s.reduction == LossReduction::none ? i : 0]);
    out[s.element(i, c)] = T(s.reduction == LossReduction::mean ? -(w * g) / *total_weight : -(w * g));
  }
};

namespace ORDO_LOOPS_DEVICE {

void nll_loss(const NllShape& s, const Tensor& input, const Tensor& target, const Tensor& weight, const Tensor& out,
              const Tensor& total_weight) {
  const Device device = input.device();
  const IndexGuard guard("nll_loss", "target", input.dim() == 1 ? 0 : 1, s.classes, device);
  dispatch_floating("nll_loss", input.dtype(), [&]<class T>() {
    const NllSamples<T> samples{s, input.data<T>(), index_view(target, s.classes, guard),
                                weight.defined() ? weight.data<T>() : nullptr};
    if (s.reduction == LossReduction::none)
      each(target.numel(), NllElement<T>{samples, out.data<T>()}, device);
    else
      reduce(NllReducer<T>{samples, out.data<T>(), total_weight.data<accumulate_t<T>>()}, reduce_line(target.numel()),
             device);
  });
  guard.finish();
}

void nll_loss_backward(const NllShape& s, const Tensor& grad, const Tensor& target, const Tensor& weight,
                       const Tensor& total_weight, const Tensor& out) {
  dispatch_floating("nll_loss", grad.dtype(), [&]<class T>() {
    each(target.numel(),
         NllGradient<T>{s, grad.data<T>(), index_view(target), weight.defined() ? weight.data<T>() : nullptr,
                        total_weight.defined() ? total_weight.data<accumulate_t<T>>() : nullptr, out.data<T>()},
         grad.device());
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
