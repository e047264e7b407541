// Cross products, a vector at a time.
#pragma once

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/linalg/cross.h>
#include <ordo/kernels/math/arithmetic_functors.h>

namespace ordo::kernels {

template <class T>
struct CrossOfVectors {
  using V = math_t<T>;
  const T *a, *b;
  T* out;
  int64_t inner;
  bool to_zero;

  ORDO_HD T minor(const T* x, const T* y, int64_t i, int64_t j) const {
    const T v(Sub()(V(T(Mul()(V(x[i]), V(y[j])))), V(T(Mul()(V(x[j]), V(y[i]))))));
    return to_zero ? T(Add()(V(v), V(0))) : v;
  }
  ORDO_HD void operator()(int64_t vector) const {
    const int64_t at = inner == 1 ? 3 * vector : vector + vector / inner * 2 * inner;
    const T *x = a + at, *y = b + at;
    const T first = minor(x, y, inner, 2 * inner), second = minor(x, y, 2 * inner, 0), third = minor(x, y, 0, inner);
    out[at] = first;
    out[at + inner] = second;
    out[at + 2 * inner] = third;
  }
};

namespace ORDO_LOOPS_DEVICE {

void cross(const Tensor& a, const Tensor& b, const Tensor& out, int64_t inner, bool to_zero) {
  dispatch_numeric("cross", a.dtype(), [&]<class T>() {
    each(out.numel() / 3, CrossOfVectors<T>{a.data<T>(), b.data<T>(), out.data<T>(), inner, to_zero}, out.device());
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
