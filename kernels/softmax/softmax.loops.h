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

void softmax(bool log, const AxisShape& s, const Tensor& t, const Tensor& out) {
  dispatch_floating("softmax", t.dtype(), [&]<class T>() {
    const T* const x = t.data<T>();
    log ? softmax_rows(SoftmaxForward<T, true>{x, out.data<T>()}, s, t.device())
        : softmax_rows(SoftmaxForward<T, false>{x, out.data<T>()}, s, t.device());
  });
}

void softmax_backward(bool log, const AxisShape& s, const Tensor& grad, const Tensor& result, const Tensor& out) {
  dispatch_floating("softmax", result.dtype(), [&]<class T>() {
    const T *g = grad.data<T>(), *y = result.data<T>();
    log ? softmax_rows(SoftmaxGradient<T, true>{g, y, out.data<T>()}, s, out.device())
        : softmax_rows(SoftmaxGradient<T, false>{g, y, out.data<T>()}, s, out.device());
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
