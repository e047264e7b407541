// The scalar formulas of softmax and log_softmax; shared by both devices. A row is a line of `length` values.
#pragma once

#include <ordo/engine/dtype.h>
#include <ordo/kernels/elementwise/math.h>

namespace ordo::kernels {

template <class T, bool kLog>
struct SoftmaxFormula {
  using A = accumulate_t<T>;
  static ORDO_HD A term(A x, A max) { return math::exp(x - max); }
  /// What a row's sum is used as.
  static ORDO_HD A finish(A sum) { return kLog ? math::log(sum) : sum; }
  static ORDO_HD T result(A x, A max, A finished) {
    return T(kLog ? (x - max) - finished : math::exp(x - max) / finished);
  }
};

/// From the gradient g and the result y.
template <class T, bool kLog>
struct SoftmaxGradient {
  using A = accumulate_t<T>;
  static ORDO_HD A term(A g, A y) { return kLog ? g : g * y; }
  static ORDO_HD T result(A g, A y, A sum) { return T(kLog ? g - math::exp(y) * sum : y * (g - sum)); }
};

}  // namespace ordo::kernels
