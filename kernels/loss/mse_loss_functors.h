// What mse_loss and l1_loss compute per element; shared by both devices.
#pragma once

#include <ordo/kernels/loss/mse_loss.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

template <class T, PairLoss kKind>
struct PairElement {
  using A = accumulate_t<T>;
  const T *a, *b;
  T* out;
  ORDO_HD A loss(int64_t i) const {
    const A d = A(a[i]) - A(b[i]);
    return kKind == PairLoss::squared ? d * d : math::abs(d);
  }
  ORDO_HD void operator()(int64_t i) const { out[i] = T(loss(i)); }
};

template <class T, PairLoss kKind>
struct PairReducer : Addition<accumulate_t<T>> {
  static constexpr bool kOneLine = true;
  using A = accumulate_t<T>;
  PairElement<T, kKind> element;
  A divisor;
  PairReducer(PairElement<T, kKind> element, A divisor) : element(element), divisor(divisor) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return element.loss(offset); }
  ORDO_HD void store(int64_t, A s) const { *element.out = T(s / divisor); }
};

/// `factor` is 2 or 1, divided by the number of elements for a mean.
template <class T, PairLoss kKind, bool kEach>
struct PairGradient {
  using A = accumulate_t<T>;
  const T *grad, *a, *b;
  T* out;
  A factor;
  ORDO_HD void operator()(int64_t i) const {
    const A d = A(a[i]) - A(b[i]), g = A(grad[kEach ? i : 0]) * factor;
    out[i] = T(kKind == PairLoss::squared ? d * g : d > A(0) ? g : d < A(0) ? -g : d * g);
  }
};

/// Calls run(functor of elements) or sum(reducer).
template <class T, class Each, class Sum>
void with_pair_loss(PairLoss kind, const T* a, const T* b, T* out, int64_t n, LossReduction reduction, const Each& each,
                    const Sum& sum) {
  const auto go = [&]<PairLoss kKind>() {
    const PairElement<T, kKind> element{a, b, out};
    if (reduction == LossReduction::none) return each(element);
    sum(PairReducer<T, kKind>(element, accumulate_t<T>(reduction == LossReduction::mean ? double(n) : 1.0)));
  };
  kind == PairLoss::squared ? go.template operator()<PairLoss::squared>()
                            : go.template operator()<PairLoss::absolute>();
}

template <class T, class Each>
void with_pair_gradient(PairLoss kind, const T* grad, const T* a, const T* b, T* out, int64_t n,
                        LossReduction reduction, const Each& each) {
  const auto go = [&]<PairLoss kKind>() {
    const accumulate_t<T> factor((kKind == PairLoss::squared ? 2.0 : 1.0) /
                                 (reduction == LossReduction::mean ? double(n) : 1.0));
    if (reduction == LossReduction::none)
      each(PairGradient<T, kKind, true>{grad, a, b, out, factor});
    else
      each(PairGradient<T, kKind, false>{grad, a, b, out, factor});
  };
  kind == PairLoss::squared ? go.template operator()<PairLoss::squared>()
                            : go.template operator()<PairLoss::absolute>();
}

}  // namespace ordo::kernels
