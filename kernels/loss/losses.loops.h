// Losses.
#pragma once

#include <ordo/kernels/accumulate/index_view.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/loss/losses.h>
#include <ordo/kernels/reduce/reducers.h>

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
  NllSamples<T> samples;  // x: the gradient of the loss
  const A* total_weight;
  T* out;
  ORDO_HD void operator()(int64_t i) const {
    const NllShape& s = samples.s;
    const int64_t c = samples.target.raw(i);
    if (c == s.ignore_index || uint64_t(c) >= uint64_t(s.classes)) return;  // out of range: recorded, not yet an error
    const A w = samples.weight_of(c), g = A(samples.x[s.reduction == LossReduction::none ? i : 0]);
    out[s.element(i, c)] = T(s.reduction == LossReduction::mean ? -(w * g) / *total_weight : -(w * g));
  }
};

template <class T, PairLoss::Kind kKind>
struct PairElement {
  using A = accumulate_t<T>;
  const T *a, *b;
  T* out;
  A bend, half_bend, half_scale, slope;
  ORDO_HD A loss(int64_t i) const {
    const A d = A(a[i]) - A(b[i]);
    if (kKind == PairLoss::squared) return d * d;
    const A size = math::abs(d);
    if (kKind == PairLoss::absolute) return size;
    const A near = d * d * half_scale, far = (size - half_bend) * slope;  // both: a loop without branches vectorises
    return size < bend ? near : far;
  }
  ORDO_HD void operator()(int64_t i) const { out[i] = T(loss(i)); }
};

template <class T, PairLoss::Kind kKind>
struct PairReducer : Addition<accumulate_t<T>> {
  static constexpr bool kOneLine = true;
  using A = accumulate_t<T>;
  PairElement<T, kKind> element;
  A divisor;
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return element.loss(offset); }
  ORDO_HD void store(int64_t, A s) const { *element.out = T(s / divisor); }
};

/// `factor` is the slope, divided by the number of elements for a mean.
template <class T, PairLoss::Kind kKind, bool kEach>
struct PairGradient {
  using A = accumulate_t<T>;
  const T *grad, *a, *b;
  T* out;
  A factor, bend;
  ORDO_HD void operator()(int64_t i) const {
    const A d = A(a[i]) - A(b[i]), g = A(grad[kEach ? i : 0]) * factor;
    if (kKind == PairLoss::squared)
      out[i] = T(d * g);
    else if (kKind == PairLoss::absolute)
      out[i] = T(d > A(0) ? g : d < A(0) ? -g : d * g);
    else
      out[i] = T((d > bend ? bend : d < -bend ? -bend : d) * g);
  }
};

namespace ORDO_LOOPS_DEVICE {

void nll_loss(const NllShape& s, const Tensor& input, const Tensor& target, const Tensor& weight, const Tensor& out,
              const Tensor& total_weight) {
  const Device device = input.device();
  const IndexGuard guard("nll_loss", "target", input.dim() == 1 ? 0 : 1, s.classes, device);
  dispatch_floating("nll_loss", input.dtype(), [&]<class T>() {
    const NllSamples<T> samples{s, input.data<T>(), index_view(target, s.classes, guard), data_or_null<T>(weight)};
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
         NllGradient<T>{{s, grad.data<T>(), index_view(target), data_or_null<T>(weight)},
                        data_or_null<accumulate_t<T>>(total_weight),
                        out.data<T>()},
         grad.device());
  });
}

void pair_loss(const PairLoss& loss, const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor& out,
               LossReduction reduction) {
  const int64_t n = a.numel();
  const Device device = a.device();
  const bool none = reduction == LossReduction::none;
  const double divisor = reduction == LossReduction::mean ? double(n) : 1.0;
  dispatch_floating(loss.op, a.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const T *x = a.data<T>(), *y = b.data<T>(), *g = data_or_null<T>(grad);
    T* const to = out.data<T>();
    const A factor(loss.slope() / divisor), bend(loss.bend);
    const auto of_kind = [&]<PairLoss::Kind kKind>() {
      const PairElement<T, kKind> element{
          x, y, to, bend, A(0.5 * loss.bend), A(0.5 * loss.scale), A(loss.scale * loss.bend)};
      if (grad.defined() && none) return each(n, PairGradient<T, kKind, true>{g, x, y, to, factor, bend}, device);
      if (grad.defined()) return each(n, PairGradient<T, kKind, false>{g, x, y, to, factor, bend}, device);
      if (none) return each(n, element, device);
      reduce(PairReducer<T, kKind>{{}, element, A(divisor)}, reduce_line(n), device);
    };
    if (loss.kind == PairLoss::squared) return of_kind.template operator()<PairLoss::squared>();
    if (loss.kind == PairLoss::absolute) return of_kind.template operator()<PairLoss::absolute>();
    of_kind.template operator()<PairLoss::bent>();
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
