// Losses of pairs.
#pragma once

#include <ordo/kernels/loss/mse_loss.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

template <class T, PairLoss::Kind kKind>
struct PairElement {
  using A = accumulate_t<T>;
  const T *a, *b;
  T* out;
  A bend, half_bend, half_scale, slope;
  static PairElement of(const PairLoss& l, const T* a, const T* b, T* out) {
    return {a, b, out, A(l.bend), A(0.5 * l.bend), A(0.5 * l.scale), A(l.scale * l.bend)};
  }
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

template <class F>
void with_pair_kind(PairLoss::Kind kind, const F& go) {
  if (kind == PairLoss::squared) return go.template operator()<PairLoss::squared>();
  if (kind == PairLoss::absolute) return go.template operator()<PairLoss::absolute>();
  go.template operator()<PairLoss::bent>();
}

namespace ORDO_LOOPS_DEVICE {

void pair_loss(const PairLoss& loss, const Tensor& a, const Tensor& b, const Tensor& out, LossReduction reduction) {
  const int64_t n = a.numel();
  dispatch_floating(loss.op, a.dtype(), [&]<class T>() {
    with_pair_kind(loss.kind, [&]<PairLoss::Kind kKind>() {
      const auto element = PairElement<T, kKind>::of(loss, a.data<T>(), b.data<T>(), out.data<T>());
      if (reduction == LossReduction::none) return each(n, element, a.device());
      const accumulate_t<T> divisor(reduction == LossReduction::mean ? double(n) : 1.0);
      reduce(PairReducer<T, kKind>{{}, element, divisor}, reduce_line(n), a.device());
    });
  });
}

void pair_loss_backward(const PairLoss& loss, const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor& out,
                        LossReduction reduction) {
  const int64_t n = a.numel();
  dispatch_floating(loss.op, a.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const A factor(loss.slope() / (reduction == LossReduction::mean ? double(n) : 1.0)), bend(loss.bend);
    const T *g = grad.data<T>(), *x = a.data<T>(), *y = b.data<T>();
    with_pair_kind(loss.kind, [&]<PairLoss::Kind kKind>() {
      if (reduction == LossReduction::none)
        each(n, PairGradient<T, kKind, true>{g, x, y, out.data<T>(), factor, bend}, a.device());
      else
        each(n, PairGradient<T, kKind, false>{g, x, y, out.data<T>(), factor, bend}, a.device());
    });
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
