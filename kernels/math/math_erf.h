// erf, erfc and gelu; part of math.h.
#pragma once

#include <ordo/kernels/math/math_exp.h>

namespace ordo::math {
namespace detail {

/// erf(x) = x times a polynomial in x^2, for |x| <= 1.
ORDO_HD double erf_centre(double x) {
  return x * polynomial(x * x, 0x1.20dd750429b6dp+0, -0x1.812746b0379e7p-2, 0x1.ce2f21a042bddp-4, -0x1.b82ce3128898dp-6,
                        0x1.565bcd0e647acp-8, -0x1.c02db3fecced0p-11, 0x1.f9a326bdd9420p-14, -0x1.f4d255b078cd5p-17,
                        0x1.b9e649a9fe69bp-20, -0x1.5f6d42f218e51p-23, 0x1.fc3e8f0b390c0p-27, -0x1.4e48c9d4074f1p-30,
                        0x1.7e7e8e7125a0cp-34, -0x1.285e44d97b878p-38);
}

/// e^(x^2) erfc(x) for 1 <= x <= 28. (1 + 2 x) times it is smooth in t = (x - 3) / (x + 3) (Shepherd and Laframboise,
/// "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x", 1981); the coefficients are our own interpolant's.
ORDO_HD double erfc_scaled(double x) {
  const double t = (x - 3.0) / (x + 3.0);
  return polynomial(t, 0x1.40c522d7e4987p+0, -0x1.15c084bb9e8f3p-3, -0x1.85a15c58aa61bp-5, 0x1.098366a5b46dbp-3,
                    -0x1.e88b803a48767p-4, 0x1.17ca2877f0403p-4, -0x1.8574c40c2707cp-6, 0x1.4b884e472203bp-9,
                    0x1.ef1bdd9c3ba42p-10, -0x1.98db51e0c1a90p-11, -0x1.b912a2ba8715cp-14, 0x1.065a57d8abe3ep-13,
                    0x1.4c33e69cc9af6p-18, -0x1.5141bdf97ba83p-16, -0x1.89c2e64292e7dp-21, 0x1.d2d00670ec9a9p-19,
                    0x1.811a86156ff09p-22, -0x1.51d7cad0e4594p-21, -0x1.27e5cdf4b4924p-23, 0x1.f5b6dd5de3404p-24,
                    0x1.04cff7da1eff7p-25, -0x1.4e2f95898fdb4p-26) /
         (1.0 + 2.0 * x);
}

/// (1 + 2 x) e^(x^2) erfc(x) for 1/2 <= x <= 28.
ORDO_HD double erfc_smooth(double x) {
  const double t = (x - 3.0) / (x + 3.0);
  return polynomial(t, 0x1.40c522d7e4987p+0, -0x1.15c084bb9e8f3p-3, -0x1.85a15c58aa612p-5, 0x1.098366a5b46e5p-3,
                    -0x1.e88b803a48944p-4, 0x1.17ca2877f02f3p-4, -0x1.8574c40c15590p-6, 0x1.4b884e46a7221p-9,
                    0x1.ef1bdd87d55f4p-10, -0x1.98db519c3d17bp-11, -0x1.b91296071716dp-14, 0x1.065a48f0bd24dp-13,
                    0x1.4c2f9ce01b7fep-18, -0x1.513e4543a22cap-16, -0x1.896f7c0911cd9p-21, 0x1.d259d177dac88p-19,
                    0x1.8179aff39d0b3p-22, -0x1.4d7d872c6d147p-21, -0x1.339b368311bbdp-23, 0x1.cf60300835294p-24,
                    0x1.63592c841fa6cp-25, -0x1.3415f078d8f98p-26, -0x1.d2f3868c59205p-28, 0x1.5bc949dd3bf9bp-29);
}

/// The normal distribution function, 1/2 erfc(-x / sqrt(2)). In the lower tail e^(-x^2/2) is taken of the exact square.
ORDO_HD double normal_cdf(double x) {
  const double u = magnitude(x), size = u > 39.0 ? 39.0 : u, w = size * 0x1.6a09e667f3bcdp-1;
  const Double2 square = exact_product(size, size);
  const double tail = 0.5 * (exp2parts(-0.5 * square.hi, -0.5 * square.lo) * erfc_scaled(w < 1.0 ? 1.0 : w));
  return w < 1.0 ? 0.5 + 0.5 * erf_centre(x * 0x1.6a09e667f3bcdp-1) : x < 0.0 ? tail : x > 0.0 ? 1.0 - tail : x;
}

/// erf(x) - x c, c being 2 / sqrt(pi) as a float; |x| < 0.9.
[[gnu::always_inline]] ORDO_HD float erf_tail_float(float x) {
  const float z = x * x;
  const float p = polynomial(z, -0x1.812746p-2f, 0x1.ce2eb6p-4f, -0x1.b81c72p-6f, 0x1.554ad6p-8f, -0x1.aeba58p-11f,
                             0x1.6ba09ap-14f);
  return x * fused(z, p, -0x1.f7ac92p-25f);
}

/// In floats, f(u) = e^(-u^2 half) P(t - 1/2) / d with d = 1 + slope u and t = 1 / d, u >= 0: (hi + lo) 2^n, n in the
/// low bits of `shifted`. P = start + (t - 1/2) Q. All errors but Q's are carried along.
struct Tail {
  float hi, lo;
  uint32_t shifted;
  float exponential;  ///< e^(-u^2 half) / 2^n
};
template <class Q>
[[gnu::always_inline]] ORDO_HD Tail tail_float(float u, float half, float slope, float start, Q q) {
  const float d = fused(slope, u, 1.0f), d_low = fused(slope, u, 1.0f - d), t = 1.0f / d, s = t - 0.5f, of_s = q(s);
  // The slope of P is about 3/2 Q.
  const float t_low = (fused(-t, d, 1.0f) - t * d_low) * t, p = fused(s, of_s, start);
  const float p_low = fused(1.5f * t_low, of_s, fused(s, of_s, start - p));
  const float square = u * u, square_low = fused(u, u, -square);
  Tail v;
  const Float2 e = exp_rest_pair(-half * square, -half * square_low, v.shifted);
  const float n = p * e.hi, n_low = fused(p, e.hi, -n) + fused(p, e.lo, p_low * e.hi);
  v.hi = n * t;
  v.lo = fused(n, t, -v.hi) + fused(n, t_low, n_low * t);
  v.exponential = e.hi;
  return v;
}
/// Phi(-u) (relative error of P 2^-26.1)
[[gnu::always_inline]] ORDO_HD Tail lower_tail_float(float u) {
  return tail_float(u > 15.0f ? 15.0f : u, 0.5f, 0x1.3d70a4p-2f, 0x1.d3b688p-3f, [](float s) {
    return polynomial(s, 0x1.54c6dap-2f, 0x1.573884p-2f, 0x1.8a0b3cp-3f, -0x1.3c7d5cp-10f, -0x1.5174ep-4f,
                      -0x1.34184ap-6f, 0x1.5dbb0ep-5f, 0x1.2222d6p-7f, -0x1.49cbdap-6f);
  });
}
/// erfc(u) for u >= 1/2 (relative error of P 2^-26)
[[gnu::always_inline]] ORDO_HD Tail erfc_tail_float(float u) {
  return tail_float(u > 10.5f ? 10.5f : u, 1.0f, 0x1.99999ap-2f, 0x1.afbb4p-2f, [](float s) {
    return polynomial(s, 0x1.4995dep-1f, 0x1.73d888p-1f, 0x1.18933p-1f, 0x1.73cfccp-3f, -0x1.b7379cp-4f,
                      -0x1.f96f8ep-4f, 0x1.46acfp-6f, 0x1.0cece6p-4f);
  });
}

}  // namespace detail

ORDO_HD double erf(double x) {
  using namespace detail;
  const double u = magnitude(x), size = u > 6.5 ? 6.5 : u;
  const double tail = 1.0 - exp(-size * size) * erfc_scaled(size < 1.0 ? 1.0 : size);
  return u < 1.0 ? erf_centre(x) : with_sign_of(tail, x) + 0.0 * (x != x ? x : 0.0);
}
/// Below 0.9 the series; above, 1 - e^-q with q = -log(erfc(|x|)) a polynomial (absolute error of the result 2^-28.6),
/// which beyond 4 rounds to 1.
[[gnu::always_inline]] ORDO_HD float erf(float x) {
  using namespace detail;
  const float size = magnitude_float(x), far = size > 4.0f ? 4.0f : size;
  const float p =
      polynomial(far, 0x1.20b752p+0f, 0x1.4621b6p-1f, 0x1.aa736p-4f, -0x1.6d9d98p-6f, 0x1.91cf36p-9f, -0x1.9fb9eap-13f);
  const float q = fused(far, p, 0x1.5d177p-13f), q_low = fused(far, p, 0x1.5d177p-13f - q);
  uint32_t n;
  const Float2 e = exp_rest_pair(-q, -q_low, n);
  const float scale = float_power_of_two(n);
  const Float2 v = exact_sum_ordered(1.0f, -e.hi * scale);
  const float near = fused(x, 0x1.20dd76p+0f, erf_tail_float(x));
  const float w = size < 0.9f ? near : v.hi + fused(-e.lo, scale, v.lo);
  return x == x ? with_sign_of_float(w, x) : x;
}

/// 1 - erf(x), accurate where that is small: from 1/2 on e^(-x^2) of the exact square.
ORDO_HD double erfc(double x) {
  using namespace detail;
  const double u = magnitude(x), size = u > 28.0 ? 28.0 : u, safe = size < 0.5 ? 0.5 : size;
  const Double2 square = exact_product(safe, safe), by = exact_sum(1.0, 2.0 * safe);
  const Double2 above = exact_product(exp2parts(-square.hi, -square.lo), erfc_smooth(safe));
  const double quotient = above.hi / by.hi;
  const Double2 back = exact_product(quotient, by.hi);
  const double tail = quotient + (((above.hi - back.hi) - back.lo) + (above.lo - quotient * by.lo)) / by.hi;
  return u < 0.5 ? 1.0 - erf_centre(x) : x < 0.0 ? 2.0 - tail : x > 0.0 ? tail : x;
}
[[gnu::always_inline]] ORDO_HD float erfc(float x) {
  using namespace detail;
  const Tail t = erfc_tail_float(magnitude_float(x));
  const float v = scaled_float(t.hi + t.lo, t.shifted), far = x < 0.0f ? 2.0f - v : v;
  const float near = fused(-x, 0x1.20dd76p+0f, 1.0f), low = fused(-x, 0x1.20dd76p+0f, 1.0f - near);
  return magnitude_float(x) < 0.5f ? near + (low - erf_tail_float(x)) : far;
}

/// x Phi(x), Phi the normal distribution function. -0 for x towards minus infinity.
ORDO_HD double gelu(double x) { return x < -39.0 ? -0.0 : x * detail::normal_cdf(x); }
[[gnu::always_inline]] ORDO_HD float gelu(float x) {
  using namespace detail;
  const Tail t = lower_tail_float(magnitude_float(x));
  const float safe = clamped_float(x, -15.0f, 15.0f), factor = x < 0.0f ? safe : 1.0f;
  const float v = scaled_float(fused(factor, t.hi, factor * t.lo), t.shifted);
  return x < 0.0f ? v : fused(-safe, v, x);
}

namespace detail {

/// e^-|u| = (hi + lo) 2^n for u = 2 sqrt(2/pi) (x + 0.044715 x^3), n in the low bits of `shifted`.
[[gnu::always_inline]] ORDO_HD Tail gelu_tanh_tail(float x) {
  const float size = clamped_float(magnitude_float(x), 0.0f, 11.0f), square = size * size;
  const float part = 0x1.2444f2p-4f * square, square_low = fused(size, size, -square);
  const Float2 slope = exact_sum_float(0x1.988454p+0f, part);
  const float slope_low = (slope.lo + fused(0x1.2444f2p-4f, square, -part)) +
                          (fused(0x1.2444f2p-4f, square_low, -0x1.857936p-25f) + 0x1.49b16ap-29f * square);
  const float u = slope.hi * size, u_low = fused(slope.hi, size, -u) + slope_low * size;
  Tail v;
  const Float2 e = exp_rest_pair(-u, -u_low, v.shifted);
  v.hi = e.hi;
  v.lo = e.lo;
  v.exponential = e.hi;
  return v;
}

}  // namespace detail

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), which is x sigmoid of twice that.
ORDO_HD double gelu_tanh(double x) {
  const double u = 2.0 * 0x1.9884533d43651p-1 * (x + 0.044715 * x * x * x);
  return x < -39.0 ? -0.0 : x * sigmoid(u);
}
[[gnu::always_inline]] ORDO_HD float gelu_tanh(float x) {
  using namespace detail;
  const Tail t = gelu_tanh_tail(x);
  // Above 0 x / (1 + e^-u), below x e^u / (1 + e^u).
  const float safe = x < -11.0f ? -11.0f : x;
  const float e = scaled_float(t.hi, t.shifted), below = scaled_float(fused(t.hi, safe, t.lo * safe), t.shifted);
  return (x < 0.0f ? below : x) / (1.0f + e);
}

}  // namespace ordo::math
