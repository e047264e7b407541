// Loops of ternary.h.
#pragma once

#include <ordo/kernels/elementwise/arithmetic_functors.h>

namespace ordo::kernels {
namespace functors {

/// From the nearer end, so that weights 0 and 1 give the ends.
struct Lerp {
  template <class T>
  ORDO_HD T operator()(T a, T b, T weight) const {
    const T size = weight < T(0) ? -weight : weight;
    return size < T(0.5) ? a + weight * (b - a) : b - (b - a) * (T(1) - weight);
  }
};

template <class T>
struct AddProduct {
  T value;
  ORDO_HD T operator()(T a, T b, T c) const { return Add()(a, Mul()(Mul()(value, b), c)); }
};

template <class T>
struct AddQuotient {
  T value;
  ORDO_HD T operator()(T a, T b, T c) const { return a + value * (b / c); }
};

}  // namespace functors

namespace ORDO_LOOPS_DEVICE {

void lerp(const TernaryArgs& args) {
  dispatch_floating("lerp", args.dtype, [&]<class T>() { ternary_loop<T>(args, functors::Lerp()); });
}
void addcmul(const TernaryArgs& args) {
  dispatch_numeric("addcmul", args.dtype, [&]<class T>() {
    ternary_loop<T>(args, functors::AddProduct<math_t<T>>{scalar_as<T>(args.value)});
  });
}
void addcdiv(const TernaryArgs& args) {
  dispatch_floating("addcdiv", args.dtype, [&]<class T>() {
    ternary_loop<T>(args, functors::AddQuotient<math_t<T>>{scalar_as<T>(args.value)});
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
