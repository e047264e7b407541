// Scalar formulas of the arithmetic operations, shared by CPU and CUDA. They take and return math_t values. Internal.
#pragma once

#include <ordo/kernels/elementwise/convert.h>
#include <ordo/kernels/math/wrapping.h>

/// A functor of values of one type T: ORDO_FUNCTOR(name, T, (T a, T b), a + b).
#define ORDO_FUNCTOR(name, result, parameters, formula) \
  struct name {                                         \
    template <class T>                                  \
    ORDO_HD result operator() parameters const {        \
      return formula;                                   \
    }                                                   \
  };
/// One that has numbers of that type, which are named last.
#define ORDO_FUNCTOR_OF(name, parameters, formula, ...)       \
  template <class T>                                          \
  struct name {                                               \
    T __VA_ARGS__;                                            \
    ORDO_HD T operator() parameters const { return formula; } \
  };

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

struct Mul {
  template <class T>
  ORDO_HD T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>)
      return a && b;
    else
      return wrapping_mul(a, b);
  }
};

ORDO_FUNCTOR(Sub, T, (T a, T b), T(wrapping_t<T>(a) - wrapping_t<T>(b)))
ORDO_FUNCTOR(Div, T, (T a, T b), a / b)
ORDO_FUNCTOR(Minimum, T, (T a, T b), a < b || a != a ? a : b)
ORDO_FUNCTOR(Maximum, T, (T a, T b), a > b || a != a ? a : b)
/// A product, rounded, and a sum, rounded.
ORDO_FUNCTOR_OF(AddScaled, (T a, T b), Add()(a, Mul()(alpha, b)), alpha)

}  // namespace ordo::kernels
