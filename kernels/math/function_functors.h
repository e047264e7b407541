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
ORDO_FUNCTOR(Trunc, T, (T x), x < T(0) ? ordo::math::ceil(x) : ordo::math::floor(x))
ORDO_FUNCTOR(Relu6, T, (T x), x > T(6) ? T(6) : x > T(0) || x != x ? x : T(0))

/// -log(1 + e^-x), where neither exponential overflows.
struct LogSigmoid {
  ORDO_HD double operator()(double x) const {
    const double rest = ordo::math::log1p(ordo::math::exp(-ordo::math::abs(x)));
    return x < 0.0 ? x - rest : -rest;
  }
  ORDO_HD float operator()(float x) const {
    const float rest = ordo::math::detail::log1p_of_unit_float(ordo::math::exp(-ordo::math::abs(x)));
    return x < 0.0f ? x - rest : -rest;
  }
};

/// log(1 + e^(beta x)) / beta, for beta x that are not large.
struct Softplus {
  ORDO_HD double operator()(double x, double beta) const { return ordo::math::log1p(ordo::math::exp(x * beta)) / beta; }
  ORDO_HD float operator()(float x, float beta) const {
    const float w = x * beta, rest = ordo::math::detail::log1p_of_unit_float(ordo::math::exp(-ordo::math::abs(w)));
    return (w > 0.0f ? w + rest : rest) / beta;
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
    uint32_t shifted;
    const float safe = clamped_float(x, -109.0f, 40.0f);
    const Float2 v = exp_rest_pair(safe, 0.0f, shifted);
    const float e = scaled_float(v.hi, shifted), e_low = scaled_float(v.lo, shifted);
    const float n = fused(e, e, 2 * e), n_low = fused(e, e, 2 * e - n) + 2 * e_low * (1 + e);
    const float below = safe < -20.0f ? scaled_float(safe * v.hi, shifted) : fused(safe, n, safe * n_low) / (n + 2);
    return x < 0.0f ? below : fused(x, -2.0f / (n + 2), x);
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
  ORDO_HD double operator()(double grad, double x) const {
    const double safe = ordo::math::detail::clamped(x, -40.0, 40.0);  // beyond, the density is 0
    return grad * (ordo::math::detail::normal_cdf(x) + safe * (kDensity * ordo::math::exp(-0.5 * safe * safe)));
  }
  ORDO_HD float operator()(float grad, float x) const {
    using namespace ordo::math::detail;
    const float size = magnitude_float(x), safe = size > 15.0f ? 15.0f : size;
    const Tail t = lower_tail_float(size);
    const float v = scaled_float(fused(-float(kDensity) * t.exponential, safe, t.hi) + t.lo, t.shifted);  // of -|x|
    return grad * (x < 0.0f ? v : 1.0f - v);
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
    const double safe = ordo::math::detail::clamped(x, -800.0, 50.0);  // beyond, the second term is 0
    return grad * (t + safe * (e / (1.0 + e)) * (1.0 - t * t));
  }
  ORDO_HD float operator()(float grad, float x) const {
    using namespace ordo::math::detail;
    // n / (n + 2) + 4 x e (1 + e) / (n + 2)^2
    const float safe = clamped_float(x, -104.0f, 20.0f), e = ordo::math::exp(safe), n = e * (e + 2.0f);
    const float d = 1.0f / (n + 2.0f);
    return grad * fused(4.0f * d * safe, e * (1.0f + e) * d, n * d);
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
    const float w = clamped_float(x, -11.0f, 11.0f), square = w * w;
    const Tail t = gelu_tanh_tail(x);
    const float e = scaled_float(t.hi, t.shifted), d = 1.0f / (1.0f + e), part = e * d;  // s of -|x|
    const float slope = fused(float(3.0 * 0.044715 * kSlope), square, float(kSlope));
    return grad * fused(w * d * part, slope, x < 0.0f ? part : d);
  }
};

/// Those of functions.def, by the names of their rows.
namespace functors {

#define ORDO_FUNCTION(name, kind, group, formula, ...) ORDO_FUNCTOR(name, T, (T x), formula)
#define ORDO_FUNCTION_OF(name, p, standard, group, formula, ...) ORDO_FUNCTOR_OF(name, (T x), formula, p)
#define ORDO_FUNCTION_OF2(name, p, p_standard, q, q_standard, group, formula, ...) \
  ORDO_FUNCTOR_OF(name, (T x), formula, p, q)
#define ORDO_PREDICATE(name, kind, group, formula, ...) ORDO_FUNCTOR(name, bool, (T x), formula)
#define ORDO_FUNCTION_LOOP(name, group, formula) ORDO_FUNCTOR(name, T, (T x), formula)
#define ORDO_GRADIENT(name, function, group, formula) ORDO_FUNCTOR(name, T, (T grad, T v), formula)
#define ORDO_GRADIENT_OF2(name, function, p, q, group, formula) ORDO_FUNCTOR_OF(name, (T grad, T v), formula, p, q)
#include <ordo/kernels/elementwise/functions.def>

}  // namespace functors
}  // namespace ordo::kernels
