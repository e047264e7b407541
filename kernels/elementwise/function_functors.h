// Scalar formulas of the unary functions, shared by CPU and CUDA. They take and return math_t values. Internal.
#pragma once

#include <ordo/kernels/elementwise/arithmetic_functors.h>
#include <ordo/kernels/elementwise/math.h>

namespace ordo::kernels {

#define ORDO_MATH_FUNCTOR(Name, function) \
  struct Name {                           \
    template <class T>                    \
    ORDO_HD T operator()(T x) const {     \
      return ordo::math::function(x);     \
    }                                     \
  }
ORDO_MATH_FUNCTOR(Exp, exp);
ORDO_MATH_FUNCTOR(Expm1, expm1);
ORDO_MATH_FUNCTOR(Log, log);
ORDO_MATH_FUNCTOR(Log1p, log1p);
ORDO_MATH_FUNCTOR(Sqrt, sqrt);
ORDO_MATH_FUNCTOR(Rsqrt, rsqrt);
ORDO_MATH_FUNCTOR(Sin, sin);
ORDO_MATH_FUNCTOR(Cos, cos);
ORDO_MATH_FUNCTOR(SinModerate, sin_moderate);
ORDO_MATH_FUNCTOR(CosModerate, cos_moderate);
ORDO_MATH_FUNCTOR(Tanh, tanh);
ORDO_MATH_FUNCTOR(Sigmoid, sigmoid);
ORDO_MATH_FUNCTOR(Erf, erf);
ORDO_MATH_FUNCTOR(Gelu, gelu);
ORDO_MATH_FUNCTOR(GeluTanh, gelu_tanh);
ORDO_MATH_FUNCTOR(Floor, floor);
ORDO_MATH_FUNCTOR(Ceil, ceil);
ORDO_MATH_FUNCTOR(Round, round_even);
#undef ORDO_MATH_FUNCTOR

struct Reciprocal {
  template <class T>
  ORDO_HD T operator()(T x) const {
    return T(1) / x;
  }
};

struct Neg {
  template <class T>
  ORDO_HD T operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return T(wrapping_t<T>(0) - wrapping_t<T>(x));
    else
      return -x;
  }
};

struct Abs {
  template <class T>
  ORDO_HD T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return ordo::math::abs(x);
    else
      return std::is_signed_v<T> && x < T(0) ? Neg()(x) : x;
  }
};

struct Square {
  template <class T>
  ORDO_HD T operator()(T x) const {
    return Mul()(x, x);
  }
};

struct Sign {
  template <class T>
  ORDO_HD T operator()(T x) const {
    return x > T(0) ? T(1) : x == T(0) ? T(0) : x != x ? x : T(-1);  // no x < 0, which unsigned types never are
  }
};

struct Relu {
  template <class T>
  ORDO_HD T operator()(T x) const {
    return x > T(0) || x != x ? x : T(0);
  }
};

template <class T>
struct Clamp {
  T low, high;
  ORDO_HD T operator()(T x) const {
    const T raised = x < low ? low : x;
    return raised > high ? high : raised;
  }
};

struct IsNan {
  template <class T>
  ORDO_HD bool operator()(T x) const {
    return x != x;
  }
};

struct IsInf {
  template <class T>
  ORDO_HD bool operator()(T x) const {
    return x == x && x - x != x - x;
  }
};

struct IsFinite {
  template <class T>
  ORDO_HD bool operator()(T x) const {
    return x - x == x - x;
  }
};

struct LogicalNot {
  template <class T>
  ORDO_HD bool operator()(T x) const {
    return x == T(0);
  }
};

}  // namespace ordo::kernels
