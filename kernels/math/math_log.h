// log, log1p and pow; part of math.h.
#pragma once

#include <ordo/kernels/math/math_exp.h>

namespace ordo::math {
namespace detail {

// x = 2^k m with m in [sqrt(1/2), sqrt(2)); with f = m - 1 and s = f / (2 + f),
//   log m = log((1 + s) / (1 - s)) = 2 s + s^3 Q(s^2) = f - f^2/2 + s (f^2/2 + s^2 Q(s^2)),
// Q a Chebyshev interpolant of degree 4 (error 2^-37, for float) or 7 (2^-58).
struct LogReduced {
  double k, m;
};

/// x positive, finite and normal.
ORDO_HD LogReduced log_reduce_normal(double x) {
  const uint64_t bits = to_bits(x), exponent = (bits - 0x3fe6a09e667f3bcdu) & 0xfff0000000000000u;
  // The exponent as a double without an integer conversion, which has no vector instruction everywhere.
  const int64_t k = int64_t(exponent) >> 52;
  const double kd = from_bits(uint64_t(int64_t(to_bits(kRounder)) + k)) - kRounder;
  return {kd, from_bits(bits - exponent)};
}

/// x positive and finite; subnormals are scaled first.
ORDO_HD LogReduced log_reduce(double x) {
  const bool tiny = x < 0x1p-1022;
  const LogReduced l = log_reduce_normal(tiny ? x * 0x1p54 : x);
  return {tiny ? l.k - 54.0 : l.k, l.m};
}

ORDO_HD double log_q_float(double z) {
  return polynomial(z, 0x1.5555555564fdap-1, 0x1.999998ca249fbp-2, 0x1.249324907dae3p-2, 0x1.c67a84e8a4ba0p-3,
                    0x1.8c92867b49a01p-3);
}

/// log of a positive finite x that is a normal double, as all floats are; good to 2^-40.
ORDO_HD double log_near(double x) {
  const LogReduced l = log_reduce_normal(x);
  const double f = l.m - 1.0, s = f / (2.0 + f), z = s * s;
  return l.k * 0x1.62e42fefa39efp-1 + s * (2.0 + z * log_q_float(z));
}

/// What log and log1p share: the ends of their domain. `ratio` is x or 1 + x.
template <class T>
ORDO_HD T log_ends(T v, T ratio) {
  const T most = T(infinity()), at_infinity = ratio == most ? most : v;
  const T in_domain = ratio > T(0) ? at_infinity : ratio == T(0) ? -most : T(nan());
  return in_domain;
}

// In floats: log(1 + f) = f - f^2/2 + f^3 R(f), R of degree 8 (relative error 2^-28.6).

struct LogReducedFloat {
  float k, m;
};

/// x = 2^k m, x positive, finite and normal.
[[gnu::always_inline]] ORDO_HD LogReducedFloat log_reduce_normal_float(float x) {
  const uint32_t bits = to_bits_float(x), exponent = (bits - 0x3f3504f3u) & 0xff800000u;
  return {float(int32_t(exponent) >> 23), from_bits_float(bits - exponent)};
}
/// The same, x also subnormal.
[[gnu::always_inline]] ORDO_HD LogReducedFloat log_reduce_float(float x) {
  const bool tiny = x < 0x1p-126f;
  const LogReducedFloat l = log_reduce_normal_float(tiny ? x * 0x1p24f : x);
  return {tiny ? l.k - 24.0f : l.k, l.m};
}

/// log(1 + f) - f
[[gnu::always_inline]] ORDO_HD float log_tail_float(float f) {
  const float r = polynomial(f, 0x1.555546p-2f, -0x1.0000c8p-2f, 0x1.99a6bp-3f, -0x1.550a7ep-3f, 0x1.22c9a8p-3f,
                             -0x1.035824p-3f, 0x1.f7cf3cp-4f, -0x1.a715ccp-4f, 0x1.596b6cp-5f);
  const float square = f * f;
  return fused(f * square, r, -0.5f * square);
}

/// k c + log(1 + f) + rest, c in two parts: the first of so few bits that its product with k is exact.
[[gnu::always_inline]] ORDO_HD float log_sum_float(float k, float f, float rest) {
  const Float2 start = exact_sum_ordered(k * 0x1.62e4p-1f, f);
  return start.hi + (start.lo + fused(k, 0x1.7f7d1cp-20f, log_tail_float(f) + rest));
}

/// log(1 + w) for w in [0, 1].
[[gnu::always_inline]] ORDO_HD float log1p_of_unit_float(float w) {
  const bool large = w > 0x1.a8279ap-2f;
  return log_sum_float(large ? 1.0f : 0.0f, large ? fused(0.5f, w, -0.5f) : w, 0.0f);
}

/// k ln 2 + log(1 + f) + c, f in [sqrt(1/2) - 1, sqrt(2) - 1), c small.
ORDO_HD double log_sum(double k, double f, double c) {
  const double s = f / (2.0 + f), z = s * s, half_square = 0.5 * f * f;
  const double r =
      z * polynomial(z, 0x1.5555555555555p-1, 0x1.9999999999a39p-2, 0x1.2492492476a1ap-2, 0x1.c71c7201a55d7p-3,
                     0x1.745cf8e4bba1bp-3, 0x1.3b1c3c1c81c8fp-3, 0x1.0fbde0f4ad17bp-3, 0x1.0c0aff044a970p-3);
  const double low = s * (half_square + r) + (k * 0x1.a39ef35793c76p-33 + c);
  return k * 0x1.62e42fee00000p-1 + (f - (half_square - low));
}

/// log x to about 2^-66 of its value, x positive and finite: the series above with its first two terms carried in two
/// doubles. 2/3 and ln 2 have low parts of their own.
ORDO_HD Double2 log_exact(double x) {
  const LogReduced l = log_reduce(x);
  const double f = l.m - 1.0, d = l.m + 1.0, d_low = l.m - (d - 1.0);
  const double s = f / d;
  const Double2 back = exact_product(s, d);
  const double s_low = (((f - back.hi) - back.lo) - s * d_low) / d;
  Double2 z = exact_product(s, s);
  z.lo += 2.0 * s * s_low;
  const double rest =
      z.hi * z.hi *
      polynomial(z.hi, 0x1.999999999999ap-2, 0x1.2492492492522p-2, 0x1.c71c71c6ea5acp-3, 0x1.745d177ad436ap-3,
                 0x1.3b1395b82701ep-3, 0x1.1118cd67251c5p-3, 0x1.df7ba1f4809c3p-4, 0x1.e03a7acf07f85p-4);
  const Double2 third = product(z, {0x1.5555555555555p-1, 0x1.5555555555555p-55});
  Double2 t = exact_sum(third.hi, rest);
  t.lo += third.lo;
  const Double2 cubic = product({s, s_low}, t);
  const Double2 a = exact_sum(l.k * 0x1.62e42fefa0000p-1, 2.0 * s);
  const Double2 b = exact_sum(a.hi, cubic.hi);
  const double low = ((l.k * 0x1.cf79abc9e0000p-40 + 2.0 * s_low) + cubic.lo) + (a.lo + b.lo);
  const double hi = b.hi + low;
  return {hi, (b.hi - hi) + low};
}

/// Non-negative v; infinity counts as an integer.
ORDO_HD bool is_integer(double v) { return v >= 0x1p52 || (v + 0x1p52) - 0x1p52 == v; }

/// x^y from |x|^y, `size` being right for a positive finite |x|: the special cases of C's pow.
ORDO_HD double pow_ends(double x, double y, double size) {
  const double ax = magnitude(x), ay = magnitude(y);
  const double at_zero = y < 0.0 ? infinity() : 0.0, at_infinity = y < 0.0 ? 0.0 : infinity();
  double v = ax == 0.0 ? at_zero : ax == infinity() ? at_infinity : size;
  const bool negative = int64_t(to_bits(x)) < 0, whole = is_integer(ay), odd = whole && !is_integer(0.5 * ay);
  v = negative && odd ? -v : v;
  v = negative && !whole && ax != 0.0 && ax != infinity() ? nan() : v;
  v = x != x || y != y ? nan() : v;
  return y == 0.0 || x == 1.0 ? 1.0 : v;
}

}  // namespace detail

ORDO_HD double log(double x) {
  const detail::LogReduced l = detail::log_reduce(x);
  return detail::log_ends(detail::log_sum(l.k, l.m - 1.0, 0.0), x);
}
[[gnu::always_inline]] ORDO_HD float log(float x) {
  const detail::LogReducedFloat l = detail::log_reduce_float(x);
  return detail::log_ends(detail::log_sum_float(l.k, l.m - 1.0f, 0.0f), x);
}

/// Logarithms to the bases 2 and 10: the natural one in two doubles, times 1 / ln 2 or 1 / ln 10 in two doubles. Powers
/// of the base give integers exactly.
ORDO_HD double log2(double x) {
  using namespace detail;
  const Double2 v = product(log_exact(x), {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
  return log_ends(v.hi + v.lo, x);
}
ORDO_HD double log10(double x) {
  using namespace detail;
  const Double2 v = product(log_exact(x), {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
  return log_ends(v.hi + v.lo, x);
}
namespace detail {

/// k c + log(1 + f) b: c in two parts, the first of so few bits that its product with k is exact; b in two parts.
[[gnu::always_inline]] ORDO_HD float log_of_base_float(LogReducedFloat l, Float2 c, Float2 b) {
  const float f = l.m - 1.0f, v = f * b.hi, v_low = fused(f, b.lo, fused(f, b.hi, -v));
  const Float2 start = exact_sum_ordered(l.k * c.hi, v);
  return start.hi + (start.lo + fused(log_tail_float(f), b.hi, fused(l.k, c.lo, v_low)));
}

}  // namespace detail

[[gnu::always_inline]] ORDO_HD float log2(float x) {
  const detail::LogReducedFloat l = detail::log_reduce_float(x);
  return detail::log_ends(detail::log_of_base_float(l, {1.0f, 0.0f}, {0x1.715476p+0f, 0x1.4ae0cp-26f}), x);
}
[[gnu::always_inline]] ORDO_HD float log10(float x) {
  const detail::LogReducedFloat l = detail::log_reduce_float(x);
  return detail::log_ends(
      detail::log_of_base_float(l, {0x1.344p-2f, 0x1.3509f8p-18f}, {0x1.bcb7b2p-2f, -0x1.5b235ep-27f}), x);
}

/// log(1 + x), also for small x. 1 + x is rounded, and what that lost comes back as the correction c.
ORDO_HD double log1p(double x) {
  using namespace detail;
  const double u = 1.0 + x;
  const double lost = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);
  const LogReduced l = log_reduce(u);
  const bool near_one = l.k == 0.0;
  const double v = log_sum(l.k, near_one ? x : l.m - 1.0, near_one ? 0.0 : lost / u);
  return magnitude(x) < 0x1p-54 ? x : log_ends(v, u);
}
[[gnu::always_inline]] ORDO_HD float log1p(float x) {
  using namespace detail;
  const float u = 1.0f + x;
  const float lost = x < 1.0f ? x - (u - 1.0f) : 1.0f - (u - x);
  const LogReducedFloat l = log_reduce_normal_float(u);
  const bool near_one = l.k == 0.0f;
  const float v = log_sum_float(l.k, near_one ? x : l.m - 1.0f, near_one ? 0.0f : lost / u);
  return magnitude_float(x) < 0x1p-24f ? x : log_ends(v, u);
}

/// x^y, with C's special cases: x^0 = 1^y = 1, negative x only with integer y.
ORDO_HD double pow(double x, double y) {
  using namespace detail;
  const Double2 l = log_exact(magnitude(x));
  // Beyond 2^66 every power other than of 1 overflows or vanishes.
  const double y_safe = clamped(y, -0x1p66, 0x1p66);
  const Double2 p = exact_product(y_safe, l.hi);
  return pow_ends(x, y, exp2parts(p.hi, p.lo + y_safe * l.lo));
}
ORDO_HD float pow(float x, float y) {
  using namespace detail;
  const double size = exp_near(clamped(clamped(y, -0x1p40, 0x1p40) * log_near(magnitude(x)), -110.0, 90.0));
  return float(pow_ends(x, y, size));
}
/// x^y for such x and y, of which none is a special case.
ORDO_HD bool is_ordinary_power(float x, float y) {
  return x > 0.0f && x < float(detail::infinity()) && detail::magnitude_float(y) < float(detail::infinity());
}
ORDO_HD float pow_ordinary(float x, float y) {
  return float(detail::exp_near(detail::clamped(double(y) * detail::log_near(x), -110.0, 90.0)));
}

}  // namespace ordo::math
