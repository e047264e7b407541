// sin, cos and tan; part of math.h.
#pragma once

#include <ordo/kernels/math/math_bits.h>

namespace ordo::math {
namespace detail {

// x = q pi/2 + r with |r| <= pi/4; sine and cosine of r by Chebyshev interpolants in r^2.
struct Quarter {
  uint64_t q;  // modulo 4
  double r, r_low;
};

/// Up to this magnitude q fits 20 bits, and its products with 33-bit pieces of pi/2 are exact (Cody and Waite).
inline constexpr double kModerate = 0x1p20;

ORDO_HD Quarter reduce_moderate(double x) {
  const double shifted = x * 0x1.45f306dc9c883p-1 + kRounder, n = shifted - kRounder;
  const double first = x - n * 0x1.921fb54400000p+0;  // exact
  const Double2 a = exact_sum(first, -(n * 0x1.0b4611a600000p-34));
  const Double2 b = exact_sum(a.hi, -(n * 0x1.3198a2e000000p-69));
  const double low = (a.lo + b.lo) - n * 0x1.b839a252049c1p-104;
  const double r = b.hi + low;
  return {to_bits(shifted), r, (b.hi - r) + low};
}

/// The same for |x| < 2^20 with an error of 2^-66.
ORDO_HD Quarter reduce_near(double x) {
  const double shifted = x * 0x1.45f306dc9c883p-1 + kRounder, n = shifted - kRounder;
  return {to_bits(shifted), (x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a626331p-34, 0.0};
}

/// Any finite |x| >= 2^20 (Payne and Hanek, "Radian reduction for trigonometric functions", 1983): x = m 2^e; of 2/pi
/// only the 224 bits are multiplied by m that stand below multiples of 4 and above 2^-138 of the product.
ORDO_HD Quarter reduce_huge(double x) {
  constexpr uint32_t two_over_pi[38] = {
      0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
      0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
      0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
      0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
      0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};
  const uint64_t bits = to_bits(x), m = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  const int e = int(bits >> 52 & 0x7ff) - 1075;
  const int skip = e < 2 ? 0 : (e - 2) / 32;  // words of 2/pi that contribute multiples of 4
  // product = m * the seven words from `skip`, little-endian; its value is product * 2^(e - 32 skip - 224).
  uint32_t product[11] = {};
  const uint64_t m_low = uint32_t(m), m_high = m >> 32;
  for (int i = 0; i < 7; ++i) {
    const uint64_t word = two_over_pi[skip + 6 - i];
    uint64_t carry = m_low * word + product[i];
    product[i] = uint32_t(carry);
    carry = (carry >> 32) + m_high * word + product[i + 1];
    product[i + 1] = uint32_t(carry);
    product[i + 2] += uint32_t(carry >> 32);  // still below 2^32: the sum so far is less than m times the words so far
  }
  // The 128 bits that begin with the two before the point: q and 126 bits of fraction.
  const int shift = 224 - (e - 32 * skip) - 126, at = shift / 32, by = shift % 32;
  uint64_t part[4];
  for (int i = 0; i < 4; ++i) part[i] = uint32_t((uint64_t(product[at + i + 1]) << 32 | product[at + i]) >> by);
  uint64_t high = part[3] << 32 | part[2], low = part[1] << 32 | part[0];
  uint64_t q = high >> 62;
  high &= 0x3fffffffffffffffu;
  const bool up = high >> 61 & 1u;  // to the nearest: the fraction minus 1
  if (up) {
    q += 1;
    low = ~low + 1;
    high = (0x3fffffffffffffffu - high) + (low == 0 ? 1 : 0);
  }
  // Exact pieces, largest first.
  Double2 f = exact_sum(double(uint32_t(high >> 32)) * 0x1p-30, double(uint32_t(high)) * 0x1p-62);
  const Double2 g = exact_sum(double(uint32_t(low >> 32)) * 0x1p-94, double(uint32_t(low)) * 0x1p-126);
  const Double2 h = exact_sum(f.hi, (f.lo + g.hi) + g.lo);
  Double2 r = ordo::math::detail::product(h, {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  r = exact_sum(r.hi, r.lo);
  const bool negative = up != (int64_t(bits) < 0);
  if (int64_t(bits) < 0) q = 4 - (q & 3u);
  return {q, negative ? -r.hi : r.hi, negative ? -r.lo : r.lo};
}

/// sin(r), and what rounding it leaves.
ORDO_HD Double2 sin_pair(double r, double r_low) {
  const double z = r * r;
  const double tail = r * z *
                      polynomial(z, -0x1.5555555555555p-3, 0x1.1111111110bb1p-7, -0x1.a01a019e8357dp-13,
                                 0x1.71de37961e4dcp-19, -0x1.ae600a926df9ap-26, 0x1.5e0af18733f9ep-33);
  const double rest = tail + r_low * (1.0 - 0.5 * z), v = r + rest;
  return {v, (r - v) + rest};
}

ORDO_HD Double2 cos_pair(double r, double r_low) {
  const double z = r * r, half = 0.5 * z, w = 1.0 - half;
  const double tail = z * z *
                      polynomial(z, 0x1.5555555555555p-5, -0x1.6c16c16c16966p-10, 0x1.a01a019f4e867p-16,
                                 -0x1.27e4fa17a41bfp-22, 0x1.1eeb68b109cf5p-29, -0x1.907d7aec5a8a3p-37);
  const double rest = ((1.0 - w) - half) + (tail - r * r_low), v = w + rest;
  return {v, (w - v) + rest};
}

/// sin(r + turn pi/2) to double.
ORDO_HD double sin_of(Quarter x, uint64_t turn) {
  const uint64_t q = x.q + turn;
  const double s = sin_pair(x.r, x.r_low).hi, c = cos_pair(x.r, x.r_low).hi;
  const double v = q & 1u ? c : s;
  return q & 2u ? -v : v;
}

/// Sine over cosine, or minus cosine over sine; with the quotient's rounding error.
ORDO_HD double tan_of(Quarter x) {
  const Double2 s = sin_pair(x.r, x.r_low), c = cos_pair(x.r, x.r_low);
  const bool odd = (x.q & 1u) != 0;
  const double n = odd ? -c.hi : s.hi, n_low = odd ? -c.lo : s.lo, d = odd ? s.hi : c.hi, d_low = odd ? s.lo : c.lo;
  const double v = n / d;
  const Double2 back = exact_product(v, d);
  return v + (((n - back.hi) - back.lo) + (n_low - v * d_low)) / d;
}

/// sin(r + turn pi/2) with an error of 2^-45, for random numbers: one polynomial whose coefficients are chosen.
ORDO_HD double sin_near(Quarter x, uint64_t turn) {
  const uint64_t q = x.q + turn;
  const bool odd = (q & 1u) != 0;
  const double r = x.r, z = r * r, start = odd ? 1.0 - 0.5 * z : r, factor = odd ? z * z : r * z;
  const double v = start + factor * polynomial(z, odd ? 0x1.5555555555437p-5 : -0x1.555555555516ap-3,
                                               odd ? -0x1.6c16c16b612abp-10 : 0x1.1111110fd3935p-7,
                                               odd ? 0x1.a019ff534c697p-16 : -0x1.a019fd9a983abp-13,
                                               odd ? -0x1.27e25f0777abbp-22 : 0x1.71d9a97cd54a3p-19,
                                               odd ? 0x1.1c81a3b93befep-29 : -0x1.aa28204c41c58p-26);
  return q & 2u ? -v : v;
}

// In floats, sin(r) = r + r^3 S(r^2) (relative error 2^-27.8) and cos(r) = 1 - r^2/2 + r^4 C(r^2) (2^-32.9).

/// Up to this magnitude q fits 17 bits, so that what the first part of pi/2 leaves is exact.
inline constexpr float kModerateFloat = 0x1p17f;

struct QuarterFloat {
  uint32_t q;  // modulo 4
  float r, r_low;
};
[[gnu::always_inline]] ORDO_HD QuarterFloat reduce_moderate_float(float x) {
  const float shifted = fused(x, 0x1.45f306p-1f, 0x1.8p23f), n = shifted - 0x1.8p23f;
  const float first = fused(n, -0x1.921fb6p+0f, x), second = n * 0x1.777a5cp-25f;  // first is exact
  const Float2 sum = exact_sum_float(first, second);
  const float low = (sum.lo + fused(n, 0x1.777a5cp-25f, -second)) + n * 0x1.ee59dap-50f, r = sum.hi + low;
  return {to_bits_float(shifted), r, (sum.hi - r) + low};
}

[[gnu::always_inline]] ORDO_HD Float2 sin_pair_float(float r, float r_low) {
  const float z = r * r;
  return exact_sum_ordered(r, fused(r * z, polynomial(z, -0x1.555544p-3f, 0x1.1106bp-7f, -0x1.99100ap-13f), r_low));
}
[[gnu::always_inline]] ORDO_HD Float2 cos_pair_float(float r, float r_low) {
  const float z = r * r, half = 0.5f * z, w = 1.0f - half, low = fused(r, r_low, 0.5f * fused(r, r, -z));
  const float tail = z * z * polynomial(z, 0x1.55554ap-5f, -0x1.6c0c04p-10f, 0x1.99d65ap-16f);
  return exact_sum_ordered(w, ((1.0f - w) - half) + (tail - low));
}

/// sin(r + turn pi/2)
[[gnu::always_inline]] ORDO_HD float sin_of_float(QuarterFloat x, uint32_t turn) {
  const uint32_t q = x.q + turn;
  const float s = sin_pair_float(x.r, x.r_low).hi, c = cos_pair_float(x.r, x.r_low).hi;
  return from_bits_float(to_bits_float(q & 1u ? c : s) ^ (q & 2u) << 30);
}
[[gnu::always_inline]] ORDO_HD float tan_of_float(QuarterFloat x) {
  const Float2 s = sin_pair_float(x.r, x.r_low), c = cos_pair_float(x.r, x.r_low);
  const bool odd = (x.q & 1u) != 0;
  const float n = odd ? -c.hi : s.hi, n_low = odd ? -c.lo : s.lo, d = odd ? s.hi : c.hi, d_low = odd ? s.lo : c.lo;
  const float v = n / d;
  return v + (fused(-v, d, n) + fused(-v, d_low, n_low)) / d;
}

}  // namespace detail

/// Whether sin, cos and tan of x take the short way; loops that vectorise ask for a whole stretch at once.
ORDO_HD bool is_moderate_angle(double x) { return detail::magnitude(x) <= detail::kModerate; }
ORDO_HD bool is_moderate_angle(float x) { return detail::magnitude_float(x) <= detail::kModerateFloat; }

/// sin(x), cos(x) and tan(x) for moderate angles.
ORDO_HD double sin_moderate(double x) {
  const double v = detail::sin_of(detail::reduce_moderate(x), 0);
  return x == 0.0 ? x : v;
}
ORDO_HD double cos_moderate(double x) { return detail::sin_of(detail::reduce_moderate(x), 1); }
[[gnu::always_inline]] ORDO_HD float sin_moderate(float x) {
  const float v = detail::sin_of_float(detail::reduce_moderate_float(x), 0);
  return x == 0.0f ? x : v;
}
ORDO_HD double tan_moderate(double x) {
  const double v = detail::tan_of(detail::reduce_moderate(x));
  return x == 0.0 ? x : v;
}
[[gnu::always_inline]] ORDO_HD float tan_moderate(float x) {
  const float v = detail::tan_of_float(detail::reduce_moderate_float(x));
  return x == 0.0f ? x : v;
}
[[gnu::always_inline]] ORDO_HD float cos_moderate(float x) {
  return detail::sin_of_float(detail::reduce_moderate_float(x), 1);
}

ORDO_HD double sin(double x) {
  if (is_moderate_angle(x)) return sin_moderate(x);
  return detail::magnitude(x) < detail::infinity() ? detail::sin_of(detail::reduce_huge(x), 0) : detail::nan();
}
ORDO_HD double cos(double x) {
  if (is_moderate_angle(x)) return cos_moderate(x);
  return detail::magnitude(x) < detail::infinity() ? detail::sin_of(detail::reduce_huge(x), 1) : detail::nan();
}
ORDO_HD double tan(double x) {
  if (is_moderate_angle(x)) return tan_moderate(x);
  return detail::magnitude(x) < detail::infinity() ? detail::tan_of(detail::reduce_huge(x)) : detail::nan();
}
ORDO_HD float tan(float x) { return is_moderate_angle(x) ? tan_moderate(x) : float(tan(double(x))); }
ORDO_HD float sin(float x) { return is_moderate_angle(x) ? sin_moderate(x) : float(sin(double(x))); }
ORDO_HD float cos(float x) { return is_moderate_angle(x) ? cos_moderate(x) : float(cos(double(x))); }

}  // namespace ordo::math
