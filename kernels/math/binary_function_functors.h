// Scalar formulas of binary_functions.def, shared by CPU and CUDA. They take and return math_t values. Internal.
#pragma once

#include <ordo/kernels/math/arithmetic_functors.h>
#include <ordo/kernels/math/math.h>

namespace ordo::kernels {

/// Whether the signs of two numbers differ; zeros have none.
template <class T>
ORDO_HD bool signs_differ(T a, T b) {
  return std::is_signed_v<T> && (a < T(0)) != (b < T(0));
}

/// The quotient of the least integer and -1 is beyond T's range; it wraps.
template <class T>
ORDO_HD bool is_minus_one(T b) {
  return std::is_signed_v<T> && b == T(-1);
}

struct Fmod {
  template <class T>
  ORDO_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return b == T(0) || is_minus_one(b) ? T(0) : T(a % b);
    else
      return ordo::math::fmod(a, b);
  }
};

struct Remainder {
  template <class T>
  ORDO_HD static T of(T rest, T b) {
    return rest != T(0) && signs_differ(rest, b) ? T(rest + b) : rest;
  }
  template <class T>
  ORDO_HD T operator()(T a, T b) const {
    return of(Fmod()(a, b), b);
  }
};

struct FloorDivide {
  /// Of floating types; `rest` is what fmod gives.
  template <class T>
  ORDO_HD static T of(T a, T b, T rest) {
    const T ratio = a / b, towards_zero = (a - rest) / b;  // an integer, but for rounding
    const T quotient = rest != T(0) && signs_differ(rest, b) ? towards_zero - T(1) : towards_zero;
    const T rounded = quotient == T(0) ? ordo::math::copysign(T(0), ratio) : ordo::math::round_even(quotient);
    return b == T(0) ? ratio : rounded;
  }
  template <class T>
  ORDO_HD T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == T(0)) return T(0);
      if (is_minus_one(b)) return T(wrapping_t<T>(0) - wrapping_t<T>(a));
      return T(a / b - T(a % b != T(0) && signs_differ(a, b)));
    } else {
      return of(a, b, ordo::math::fmod(a, b));
    }
  }
};

/// x to the power of y, for floating types and integers.
struct Pow {
  template <class T>
  ORDO_HD T operator()(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>) {
      return ordo::math::pow(x, y);
    } else {
      // 1 / x^-y as an integer: 0 unless x is 1 or -1.
      if (std::is_signed_v<T> && y < T(0)) return x == T(1) ? T(1) : x == T(-1) ? (y & T(1) ? T(-1) : T(1)) : T(0);
      wrapping_t<T> result = 1, square = wrapping_t<T>(x);
      for (uint64_t rest = uint64_t(y); rest != 0; rest >>= 1) {
        if (rest & 1u) result *= square;
        square *= square;
      }
      return T(result);
    }
  }
};

/// (t - 1) max(log(1 - x), -100) - t max(log(x), -100); a NaN stays one.
struct BinaryCrossEntropy {
  template <class T>
  ORDO_HD static T bounded(T logarithm) {
    return logarithm < T(-100) ? T(-100) : logarithm;
  }
  template <class T>
  ORDO_HD T operator()(T x, T t) const {
    return (t - T(1)) * bounded(ordo::math::log1p(-x)) - t * bounded(ordo::math::log(x));
  }
};

/// By the names of the table's rows.
namespace functors {

#define ORDO_FUNCTION2(name, kind, formula, ...) ORDO_FUNCTOR(name, T, (T a, T b), formula)
#define ORDO_FUNCTION2_LOOP(name, formula) ORDO_FUNCTION2(name, floating, formula)
#include <ordo/kernels/elementwise/binary_functions.def>

}  // namespace functors
}  // namespace ordo::kernels
