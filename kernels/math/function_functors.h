// Scalar formulas of the unary functions, shared by CPU and CUDA. They take and return math_t values. Internal.
#pragma once

#include <ordo/kernels/math/arithmetic_functors.h>
#include <ordo/kernels/math/math.h>

namespace ordo::math {

// What formulas of gradients call beside math.h: unary.cpp has the same of tensors.

/// a where the condition holds, else b. Both are computed.
template <class A, class B>
ORDO_HD std::common_type_t<A, B> where(bool condition, A a, B b) {
  return condition ? a : b;
}

/// min(x, 0)
template <class T>
ORDO_HD T up_to_zero(T x) {
  return x > T(0) ? T(0) : x;
}

}  // namespace ordo::math

namespace ordo::kernels {

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

/// The integer part, towards zero.
struct Trunc {
  template <class T>
  ORDO_HD T operator()(T x) const {
    return x < T(0) ? ordo::math::ceil(x) : ordo::math::floor(x);
  }
};

struct Relu6 {
  template <class T>
  ORDO_HD T operator()(T x) const {
    return x > T(6) ? T(6) : x > T(0) || x != x ? x : T(0);
  }
};

/// -log(1 + e^-x), where neither exponential overflows.
struct LogSigmoid {
  ORDO_HD double operator()(double x) const {
    const double rest = ordo::math::log1p(ordo::math::exp(-ordo::math::abs(x)));
    return x < 0.0 ? x - rest : -rest;
  }
  ORDO_HD float operator()(float x) const {
    using namespace ordo::math::detail;
    const double w = x, rest = log1p_of_unit(exp_near(clamped(-magnitude(w), -200.0, 0.0)));
    return float(w < 0.0 ? w - rest : -rest);
  }
};

/// log(1 + e^(beta x)) / beta, for beta x that are not large.
struct Softplus {
  ORDO_HD double operator()(double x, double beta) const { return ordo::math::log1p(ordo::math::exp(x * beta)) / beta; }
  ORDO_HD float operator()(float x, float beta) const {
    using namespace ordo::math::detail;
    const double by = beta, w = x * by, rest = log1p_of_unit(exp_near(clamped(-magnitude(w), -200.0, 0.0)));
    return float((w > 0.0 ? w + rest : rest) * (1.0 / by));
  }
};

/// With e = e^x: x tanh(log(1 + e)) = x n / (n + 2), n = e (e + 2). Beyond 20 the fraction rounds to 1.
struct Mish {
  ORDO_HD double operator()(double x) const {
    const double e = ordo::math::exp(x > 40.0 ? 40.0 : x), n = e * (e + 2);
    return x * (n / (n + 2));
  }
  ORDO_HD float operator()(float x) const {
    using namespace ordo::math::detail;
    const double w = x, near = exp_near(clamped(w, -200.0, 40.0)), e = w < -200.0 ? 0.0 : near, n = e * (e + 2);
    return float(w * (n / (n + 2)));
  }
};

/// sin(pi x) / (pi x); of float in double, where pi x is almost exact.
struct Sinc {
  ORDO_HD double operator()(double x) const {
    const double angle = 3.141592653589793 * x;
    return x == 0.0 ? 1.0 : ordo::math::sin(angle) / angle;
  }
  ORDO_HD float operator()(float x) const { return float(operator()(double(x))); }
};

inline constexpr double kSeluScale = 1.0507009873554804934193349852946, kSeluAlpha = 1.6732632423543772848170429916717;

template <class T>
struct Clamp {
  T low, high;
  ORDO_HD T operator()(T x) const {
    const T raised = x < low ? low : x;
    return raised > high ? high : raised;
  }
};

template <class T>
struct NanToNum {
  T nan, highest, lowest;
  ORDO_HD T operator()(T x) const {
    const T end = x > T(0) ? highest : lowest;
    return x != x ? nan : x - x != T(0) ? end : x;
  }
};

struct GeluGradient {
  static constexpr double kDensity = 0x1.9884533d43651p-2;  // 1 / sqrt(2 pi)
  /// The derivative where x is in the middle of the normal distribution function; its bits are those of the whole.
  ORDO_HD static double centre(double grad, double x) {
    return grad * (ordo::math::detail::normal_centre(x) + x * (kDensity * ordo::math::exp(-0.5 * x * x)));
  }
  ORDO_HD static float centre(float grad, float x) {
    using namespace ordo::math::detail;
    const double w = x;
    return float(grad * (normal_centre_float(w) + w * (kDensity * exp_near(-0.5 * w * w))));
  }
  ORDO_HD double operator()(double grad, double x) const {
    const double safe = ordo::math::detail::clamped(x, -40.0, 40.0);  // beyond, the density is 0
    return grad * (ordo::math::detail::normal_cdf(x) + safe * (kDensity * ordo::math::exp(-0.5 * safe * safe)));
  }
  ORDO_HD float operator()(float grad, float x) const {
    using namespace ordo::math::detail;
    const double w = x, safe = clamped(w, -26.0, 26.0);  // beyond, the density is no float
    return float(grad * (normal_cdf_float(w) + safe * (kDensity * exp_near(-0.5 * safe * safe))));
  }
};

/// With s = sigmoid(x): s + x s (1 - s). Of numbers and of tensors.
struct SiluGradient {
  template <class T>
  ORDO_HD T operator()(const T& grad, const T& x, const T& s) const {
    return grad * (s * (x * (1 - s) + 1));
  }
};

/// With e = e^x, n = e (e + 2) and t = tanh(log(1 + e)) = n / (n + 2): t + x e / (1 + e) (1 - t^2).
struct MishGradient {
  ORDO_HD double operator()(double grad, double x) const {
    const double e = ordo::math::exp(x > 40.0 ? 40.0 : x), n = e * (e + 2.0), t = n / (n + 2.0);
    return grad * (t + x * (e / (1.0 + e)) * (1.0 - t * t));
  }
  ORDO_HD float operator()(float grad, float x) const {
    using namespace ordo::math::detail;
    const double w = x, near = exp_near(clamped(w, -200.0, 40.0)), e = w < -200.0 ? 0.0 : near;
    const double n = e * (e + 2.0), t = n / (n + 2.0);
    return float(grad * (t + w * (e / (1.0 + e)) * (1.0 - t * t)));
  }
};

/// With s = sigmoid(u), u = 2 sqrt(2/pi) (x + 0.044715 x^3): s + x s (1 - s) u'.
struct GeluTanhGradient {
  static constexpr double kSlope = 2.0 * 0x1.9884533d43651p-1;
  ORDO_HD double operator()(double grad, double x) const {
    const double w = ordo::math::detail::clamped(x, -30.0, 30.0), square = w * w;  // beyond, the derivative is 0 or 1
    const double s = ordo::math::sigmoid(kSlope * (w + 0.044715 * w * square));
    return grad * (s + w * (s * (1.0 - s)) * (kSlope * (1.0 + 3.0 * 0.044715 * square)));
  }
  ORDO_HD float operator()(float grad, float x) const {
    using namespace ordo::math::detail;
    const double w = clamped(x, -30.0, 30.0), square = w * w;
    const double s = 1.0 / (1.0 + exp_near(-clamped(kSlope * (w + 0.044715 * w * square), -600.0, 600.0)));
    return float(grad * (s + w * (s * (1.0 - s)) * (kSlope * (1.0 + 3.0 * 0.044715 * square))));
  }
};

/// Those of functions.def, by the names of their rows.
namespace functors {

#define ORDO_FUNCTOR(name, result, formula) \
  struct name {                             \
    template <class T>                      \
    ORDO_HD result operator()(T x) const {  \
      return formula;                       \
    }                                       \
  };
#define ORDO_FUNCTION(name, kind, group, formula, ...) ORDO_FUNCTOR(name, T, formula)
#define ORDO_FUNCTION_OF(name, p, standard, group, formula, ...) \
  template <class T>                                             \
  struct name {                                                  \
    T p;                                                         \
    ORDO_HD T operator()(T x) const { return formula; }          \
  };
#define ORDO_FUNCTION_OF2(name, p, p_standard, q, q_standard, group, formula, ...) \
  template <class T>                                                               \
  struct name {                                                                    \
    T p, q;                                                                        \
    ORDO_HD T operator()(T x) const { return formula; }                            \
  };
#define ORDO_PREDICATE(name, kind, group, formula, ...) ORDO_FUNCTOR(name, bool, formula)
#define ORDO_FUNCTION_LOOP(name, group, formula) ORDO_FUNCTOR(name, T, formula)
#define ORDO_GRADIENT(name, function, group, formula) \
  struct name {                                       \
    template <class T>                                \
    ORDO_HD T operator()(T grad, T v) const {         \
      return formula;                                 \
    }                                                 \
  };
#define ORDO_GRADIENT_OF2(name, function, p, q, group, formula) \
  template <class T>                                            \
  struct name {                                                 \
    T p, q;                                                     \
    ORDO_HD T operator()(T grad, T v) const { return formula; } \
  };
#include <ordo/kernels/elementwise/functions.def>

#undef ORDO_FUNCTOR

}  // namespace functors
}  // namespace ordo::kernels
