// Scalar formulas of the arithmetic operations, shared by CPU and CUDA. They take and return math_t values. Internal.
#pragma once

#include <ordo/kernels/elementwise/convert.h>
#include <ordo/kernels/math/wrapping.h>

namespace ordo::kernels {

struct Add {
  template <class T>
  ORDO_HD T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>)
      return a || b;
    else
      return wrapping_add(a, b);
  }
};

struct Sub {
  template <class T>
  ORDO_HD T operator()(T a, T b) const {
    return T(wrapping_t<T>(a) - wrapping_t<T>(b));
  }
};

struct Mul {
  template <class T>
  ORDO_HD T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>)
      return a && b;
    else
      return wrapping_mul(a, b);
  }
};

struct Div {
  template <class T>
  ORDO_HD T operator()(T a, T b) const {
    return a / b;
  }
};

/// a + alpha b: a product, rounded, and a sum, rounded.
template <class T>
struct AddScaled {
  T alpha;
  ORDO_HD T operator()(T a, T b) const { return Add()(a, Mul()(alpha, b)); }
};

struct Minimum {
  template <class T>
  ORDO_HD T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};

struct Maximum {
  template <class T>
  ORDO_HD T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};

}  // namespace ordo::kernels
