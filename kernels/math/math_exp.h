// exp, exp2, expm1, sigmoid, silu and tanh; part of math.h.
#pragma once

#include <ordo/kernels/math/math_bits.h>

namespace ordo::math {
namespace detail {

// e^x = 2^n e^r with n the integer nearest x / ln 2 and |r| <= ln(2) / 2; e^r - 1 = r + r^2 P(r), P a Chebyshev
// interpolant of degree 6 (absolute error 2^-35, for results that become float) or 11 (2^-65).
struct ExpReduced {
  int64_t n;
  double r;  // with r_low: the remainder
  double r_low;
};

ORDO_HD int64_t nearest_power(double x, double& n) {
  const double shifted = x * 0x1.71547652b82fep+0 + kRounder;
  n = shifted - kRounder;
  return int64_t(to_bits(shifted)) - int64_t(to_bits(kRounder));
}

ORDO_HD double exp_tail_float(double r) {
  return r + r * r *
                 polynomial(r, 0.5, 0x1.55555567532adp-3, 0x1.5555555c87148p-5, 0x1.1110c632a3088p-7,
                            0x1.6c16858b7acb9p-10, 0x1.a15179d80ae96p-13, 0x1.a1132015ba37ep-16);
}

/// r^2 P(r)
ORDO_HD double exp_square_tail(double r) {
  return r * r *
         polynomial(r, 0.5, 0x1.5555555555555p-3, 0x1.5555555555557p-5, 0x1.1111111111111p-7, 0x1.6c16c16c15a68p-10,
                    0x1.a01a01a0196acp-13, 0x1.a01a01a9e991bp-16, 0x1.71de3a5aa7bb7p-19, 0x1.27e4d41966f2fp-22,
                    0x1.ae642c82e33d5p-26, 0x1.1f7f2776cfaf2p-29, 0x1.61bfaa228dde5p-33);
}

/// |x| < 2000. The high part of ln 2 has 32 bits, so that its product with n is exact.
ORDO_HD ExpReduced exp_reduce(double x, double x_low) {
  double n;
  const int64_t k = nearest_power(x, n);
  const double hi = x - n * 0x1.62e42fee00000p-1, lo = n * 0x1.a39ef35793c76p-33 - x_low;
  const double r = hi - lo;
  return {k, r, (hi - r) - lo};
}

/// v 2^n, in two steps so that subnormal results are rounded once.
ORDO_HD double scaled(double v, int64_t n) {
  const int64_t half = n >> 1;
  return v * power_of_two(half) * power_of_two(n - half);
}

ORDO_HD double clamped(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

/// e^(x + x_low), rounded to double.
ORDO_HD double exp2parts(double x, double x_low) {
  const double safe = clamped(x, -746.0, 710.0);
  const ExpReduced e = exp_reduce(safe, safe == x ? x_low : 0.0);
  return scaled(1.0 + (e.r + (exp_square_tail(e.r) + e.r_low)), e.n);
}

/// e^x good to 2^-38, for |x| < 700. A loop with a call to it would not vectorise.
[[gnu::always_inline]] ORDO_HD double exp_near(double x) {
  double n;
  const int64_t k = nearest_power(x, n);
  return (1.0 + exp_tail_float(x - n * 0x1.62e42fefa39efp-1)) * power_of_two(k);
}

// In floats: e^r = 1 + (r + r^2 P(r)), P of degree 4 (absolute error 2^-28.1) or 5 (2^-27.8 of e^r - 1), and
// 2^f = 1 + f Q(f), |f| <= 1/2, Q of degree 5 (2^-27.9).

/// Adding this to a float below 2^22 rounds it to an integer n, which then stands in the low bits. Shifting them left
/// by 23 leaves n alone.
inline constexpr float kFloatRounder = 0x1.8p23f;

/// 2^n for -127 < n < 128; infinity for n = 128. n in the low bits.
[[gnu::always_inline]] ORDO_HD float float_power_of_two(uint32_t n) { return from_bits_float((n << 23) + 0x3f800000u); }

[[gnu::always_inline]] ORDO_HD float clamped_float(float x, float least, float most) {
  return x < least ? least : x > most ? most : x;
}

/// x / ln 2 rounded to an integer n, which then stands in the low bits of `shifted`; |x| < 2^20.
[[gnu::always_inline]] ORDO_HD float nearest_power_float(float x, uint32_t& shifted) {
  const float sum = fused(x, 0x1.715476p+0f, kFloatRounder);
  shifted = to_bits_float(sum);
  return sum - kFloatRounder;
}

/// e^r with r = x - n ln 2, n the integer nearest x / ln 2, and n in the low bits of `shifted`; |x| < 110. The high
/// part of ln 2 has 15 bits, so that its product with n is exact.
[[gnu::always_inline]] ORDO_HD float exp_rest_minus_1(float x, float x_low, uint32_t& shifted) {
  const float n = nearest_power_float(x, shifted), r = fused(n, -0x1.7f7d1cp-20f, fused(n, -0x1.62e4p-1f, x)) + x_low;
  const float p = polynomial(r, 0x1p-1f, 0x1.555482p-3f, 0x1.555526p-5f, 0x1.1244b8p-7f, 0x1.6cf9a4p-10f);
  return fused(r * r, p, r);
}
[[gnu::always_inline]] ORDO_HD float exp_rest(float x, uint32_t& shifted) {
  return 1.0f + exp_rest_minus_1(x, 0.0f, shifted);
}
/// The same of x + x_low, in two floats.
[[gnu::always_inline]] ORDO_HD Float2 exp_rest_pair(float x, float x_low, uint32_t& shifted) {
  return exact_sum_ordered(1.0f, exp_rest_minus_1(x, x_low, shifted));
}

/// v 2^n, in two steps so that subnormal results are rounded once.
[[gnu::always_inline]] ORDO_HD float scaled_float(float v, uint32_t shifted) {
  const uint32_t half = shifted >> 1;
  return v * float_power_of_two(half) * float_power_of_two(shifted - half);
}

/// The same for 1/2 <= v < 2 and n >= -151, where that is below 2^128. No float on the way is subnormal: on many
/// processors one takes a hundred cycles. The bits of a subnormal number are how many times 2^-149 it is: a sum with 2^23
/// rounds that. A normal number is 2^23 times that and more.
[[gnu::always_inline]] ORDO_HD float scaled_near_1(float v, uint32_t shifted) {
  constexpr int32_t kLeastNormal = 0x00800000;
  const int32_t bits = int32_t(to_bits_float(v) + (shifted << 23)), low = bits < kLeastNormal ? bits : kLeastNormal;
  const float multiple = from_bits_float(uint32_t(low) + (149u << 23));
  const int32_t rounded = int32_t(to_bits_float(multiple + 0x1p23f) - to_bits_float(0x1p23f));
  return from_bits_float(uint32_t(bits > rounded ? bits : rounded));
}

/// 1 + e^-x; infinite below -88.3.
[[gnu::always_inline]] ORDO_HD float logistic_denominator(float x) {
  uint32_t n;
  const float v = exp_rest(clamped_float(-x, -80.0f, 89.0f), n);
  return 1.0f + v * float_power_of_two(n);
}

}  // namespace detail

/// 2^x: of the nearest integer n and the rest f, 2^n e^(f ln 2), ln 2 in two doubles. Integers give powers of two
/// exactly.
ORDO_HD double exp2(double x) {
  using namespace detail;
  const double safe = clamped(x, -1080.0, 1030.0), shifted = safe + kRounder, f = safe - (shifted - kRounder);
  const Double2 r = exact_product(f, 0x1.62e42fefa39efp-1);
  const double low = r.lo + f * 0x1.abc9e3b39803fp-56;
  return scaled(1.0 + (r.hi + (exp_square_tail(r.hi) + low)), int64_t(to_bits(shifted)) - int64_t(to_bits(kRounder)));
}
[[gnu::always_inline]] ORDO_HD float exp2(float x) {
  using namespace detail;
  const float safe = x > -151.0f ? x : -151.0f, shifted = safe + kFloatRounder;
  const float f = safe - (shifted - kFloatRounder);
  const float q =
      polynomial(f, 0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6af6cp-5f, 0x1.3b2a54p-7f, 0x1.5f089p-10f, 0x1.44138ap-13f);
  const float v = scaled_near_1(fused(f, q, 1.0f), to_bits_float(shifted));
  return x < 128.0f ? v : x + float(infinity());
}

ORDO_HD double exp(double x) { return detail::exp2parts(x, 0.0); }
[[gnu::always_inline]] ORDO_HD float exp(float x) {
  using namespace detail;
  uint32_t n;
  const float rest = exp_rest(x > -104.0f ? x : -104.0f, n), v = scaled_near_1(rest, n);
  return x < 0x1.62e43p+6f ? v : x + float(infinity());
}

ORDO_HD double expm1(double x) {
  using namespace detail;
  const double safe = clamped(x, -40.0, 710.0);
  const ExpReduced e = exp_reduce(safe, 0.0);
  const double tail = e.r + (exp_square_tail(e.r) + e.r_low);  // e^r - 1
  const int64_t half = e.n >> 1;
  const double a = power_of_two(half), b = power_of_two(e.n - half);
  // For large n the 1 no longer counts, and 2^n may overflow where 2^n (1 + tail) does not.
  const double large = (1.0 + tail) * a * b, moderate = tail * (a * b) + (a * b - 1.0);
  const double v = e.n > 60 ? large : moderate;
  return magnitude(x) < 0x1p-54 ? x : v;
}
/// Twice 2^(n-1) e^r - 1/2, each sum with its rounding error.
[[gnu::always_inline]] ORDO_HD float expm1(float x) {
  using namespace detail;
  const float safe = clamped_float(x, -18.0f, 89.0f);
  uint32_t shifted;
  const float n = nearest_power_float(safe, shifted), rough = fused(n, -0x1.62e4p-1f, safe);
  const float r = fused(n, -0x1.7f7d1cp-20f, rough), r_low = fused(n, -0x1.7f7d1cp-20f, rough - r);
  const float p =
      polynomial(r, 0x1p-1f, 0x1.555556p-3f, 0x1.5554f4p-5f, 0x1.110fe4p-7f, 0x1.6d7c48p-10f, 0x1.a2890cp-13f);
  const float scale = float_power_of_two(shifted - 1), tail = fused(r * r, p, r_low);
  const Float2 a = exact_sum_float(scale, -0.5f), b = exact_sum_float(a.hi, scale * r);
  const float v = 2.0f * (b.hi + ((a.lo + b.lo) + scale * tail));
  return magnitude_float(x) < 0x1p-24f ? x : v;
}

/// 1 / (1 + e^-x); of floats 0 below -88.3.
ORDO_HD double sigmoid(double x) {
  const double e = exp(-detail::magnitude(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}
[[gnu::always_inline]] ORDO_HD float sigmoid(float x) { return 1.0f / detail::logistic_denominator(x); }

/// x / (1 + e^-x)
ORDO_HD double silu(double x) { return x / (1.0 + exp(-x)); }
[[gnu::always_inline]] ORDO_HD float silu(float x) { return x / detail::logistic_denominator(x); }

/// With t = e^2|x| - 1: t / (t + 2). Beyond 20 the result rounds to 1.
ORDO_HD double tanh(double x) {
  const double size = detail::magnitude(x);
  const double t = expm1(2.0 * (size > 20.0 ? 20.0 : size));
  // Near 1 the distance to 1 is computed, so that only its error counts.
  const double v = size > 0.55 ? 1.0 - 2.0 / (t + 2.0) : t / (t + 2.0);
  return detail::with_sign_of(size < 0x1p-28 ? size : v, x);
}
/// Below 0.9 the series; above, 1 - 2 / (e^2|x| + 1), which beyond 10 rounds to 1.
[[gnu::always_inline]] ORDO_HD float tanh(float x) {
  using namespace detail;
  const float size = magnitude_float(x), z = x * x;
  const float p = polynomial(z, -0x1.55554ep-2f, 0x1.110f36p-3f, -0x1.b9c9c8p-5f, 0x1.62eccep-6f, -0x1.0ed2e6p-7f,
                             0x1.5302fap-9f, -0x1.e0e916p-12f);
  uint32_t n;
  const float rest = exp_rest(2.0f * (size > 10.0f ? 10.0f : size), n), e = rest * float_power_of_two(n);
  const float v = size < 0.9f ? fused(size * z, p, size) : 1.0f - 2.0f / (e + 1.0f);
  return x == x ? with_sign_of_float(v, x) : x;
}

}  // namespace ordo::math
