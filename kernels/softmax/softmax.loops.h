// softmax, log_softmax and their gradients.
#pragma once

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/math/math.h>
#include <ordo/kernels/softmax/softmax.h>

namespace ordo::kernels {

// What is done with a row, for softmax_rows() of both devices: finish() gets the sum of term(), and result() what that
// gave. `v` is first(at); `max` is the greatest of these where kShifted.

template <class T, bool kLog>
struct SoftmaxForward {
  using A = accumulate_t<T>;
  static constexpr bool kShifted = true;
  const T* x;
  T* out;
  ORDO_HD A first(int64_t at) const { return A(x[at]); }
  ORDO_HD A term(A v, int64_t, A max) const { return math::exp(v - max); }
  ORDO_HD A finish(A sum) const { return kLog ? math::log(sum) : sum; }
  ORDO_HD T result(A v, int64_t, A max, A term, A finished) const {
    return T(kLog ? (v - max) - finished : term / finished);
  }
};

template <class T, bool kLog>
struct SoftmaxGradient {
  using A = accumulate_t<T>;
  static constexpr bool kShifted = false;
  const T *grad, *y;
  T* out;
  ORDO_HD A first(int64_t at) const { return A(grad[at]); }
  ORDO_HD A term(A v, int64_t at, A) const { return kLog ? v : v * A(y[at]); }
  ORDO_HD A finish(A sum) const { return sum; }
  ORDO_HD T result(A v, int64_t at, A, A, A sum) const {
    return T(kLog ? v - math::exp(A(y[at])) * sum : A(y[at]) * (v - sum));
  }
};

namespace ORDO_LOOPS_DEVICE {

void softmax(bool log, const AxisShape& s, const Tensor& grad, const Tensor& t, const Tensor& out) {
  dispatch_floating("softmax", t.dtype(), [&]<class T>() {
    const auto rows = [&]<bool kLog>() {
      if (grad.defined())
        softmax_rows(SoftmaxGradient<T, kLog>{grad.data<T>(), t.data<T>(), out.data<T>()}, s, t.device());
      else
        softmax_rows(SoftmaxForward<T, kLog>{t.data<T>(), out.data<T>()}, s, t.device());
    };
    log ? rows.template operator()<true>() : rows.template operator()<false>();
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
