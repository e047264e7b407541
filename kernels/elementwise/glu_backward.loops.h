// Loops of glu_backward.h.
#pragma once

#include <ordo/kernels/elementwise/glu_backward.h>
#include <ordo/kernels/elementwise/math.h>

namespace ordo::kernels {
namespace functors {

struct GluOfA {
  template <class T>
  ORDO_HD T operator()(T grad, T, T b) const {
    return grad * ordo::math::sigmoid(b);
  }
};

struct GluOfB {
  template <class T>
  ORDO_HD T operator()(T grad, T a, T b) const {
    const T gate = ordo::math::sigmoid(b);
    return grad * gate * (a * (T(1) - gate));
  }
};

}  // namespace functors

namespace ORDO_LOOPS_DEVICE {

void glu_backward_of_a(const TernaryArgs& args) {
  dispatch_floating("glu", args.dtype, [&]<class T>() { ternary_loop<T>(args, functors::GluOfA()); });
}
void glu_backward_of_b(const TernaryArgs& args) {
  dispatch_floating("glu", args.dtype, [&]<class T>() { ternary_loop<T>(args, functors::GluOfB()); });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
