// Cross products, a vector at a time.
#pragma once

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/linalg/cross.h>
#include <ordo/kernels/math/arithmetic_functors.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

/// kSide: the elements of a vector are known to lie side by side.
template <class T, bool kSide>
class CrossOfVectors {
  using V = math_t<T>;

 public:
  CrossOfVectors(const Tensor& a, const Tensor& b, const Tensor& out, int64_t inner, bool to_zero)
      : a_(a.data<T>()), b_(b.data<T>()), out_(out.data<T>()), inner_(inner), to_zero_(to_zero) {}

  ORDO_HD void operator()(int64_t vector) const {
    const int64_t step = kSide ? 1 : inner_, at = kSide ? 3 * vector : vector + vector / step * 2 * step;
    const T *x = a_ + at, *y = b_ + at;
    const V zero = to_zero_ ? V(0) : Addition<V>::identity();
    const T first = minor(x, y, step, 2 * step, zero), second = minor(x, y, 2 * step, 0, zero),
            third = minor(x, y, 0, step, zero);
    out_[at] = first;
    out_[at + step] = second;
    out_[at + 2 * step] = third;
  }

 private:
  ORDO_HD static T minor(const T* x, const T* y, int64_t i, int64_t j, V zero) {
    return T(Add()(V(T(Sub()(V(T(Mul()(V(x[i]), V(y[j])))), V(T(Mul()(V(x[j]), V(y[i]))))))), zero));
  }

  const T *a_, *b_;
  T* out_;
  int64_t inner_;
  bool to_zero_;
};

namespace ORDO_LOOPS_DEVICE {

void cross(const Tensor& a, const Tensor& b, const Tensor& out, int64_t inner, bool to_zero) {
  dispatch_numeric("cross", a.dtype(), [&]<class T>() {
    const auto of_all = [&]<bool kSide>() {
      each(out.numel() / 3, CrossOfVectors<T, kSide>(a, b, out, inner, to_zero), out.device());
    };
    if constexpr (std::is_floating_point_v<T>)
      if (inner == 1) return of_all.template operator()<true>();
    of_all.template operator()<false>();
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
