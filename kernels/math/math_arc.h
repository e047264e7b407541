// atan, atan2, asin and acos; part of math.h.
#pragma once

namespace ordo::math {
namespace detail {

/// (atan(r) / r - 1) / z with z = r^2, for |r| <= tan(pi/8).
ORDO_HD double atan_tail(double z) {
  return polynomial(z, -0x1.5555555555555p-2, 0x1.9999999999997p-3, -0x1.24924924920adp-3, 0x1.c71c71c6ddbfcp-4,
                    -0x1.745d173565149p-4, 0x1.3b13aea9e84b6p-4, -0x1.1110cee80b516p-4, 0x1.e1d8e9bffe59dp-5,
                    -0x1.aebd1fa559894p-5, 0x1.829ce3237ab26p-5, -0x1.503c4469943acp-5, 0x1.f5ef74d05428dp-6,
                    -0x1.c81291cfc455fp-7);
}
/// The same of floats, for |r| <= 1 (relative error of atan 2^-28.6); (asin(r) / r - 1) / z for |r| <= 1/2 (2^-27.6).
[[gnu::always_inline]] ORDO_HD float atan_tail_float(float z) {
  return polynomial(z, -0x1.55554p-2f, 0x1.999266p-3f, -0x1.24262ap-3f, 0x1.c0c8e2p-4f, -0x1.58bcfep-4f, 0x1.dc9854p-5f,
                    -0x1.012f28p-5f, 0x1.696692p-7f, -0x1.dcc6a6p-10f);
}
[[gnu::always_inline]] ORDO_HD float asin_tail_float(float z) {
  return polynomial(z, 0x1.55554cp-3f, 0x1.3338aap-4f, 0x1.6ca7dcp-5f, 0x1.04cd0ap-5f, 0x1.d5897cp-7f, 0x1.349efp-5f);
}

inline constexpr double kTanEighth = 0x1.a827999fcef32p-2, kCotEighth = 0x1.3504f333f9de6p+1;  // of pi/8

/// The angle from 0 to pi of a point at height a >= 0, and at b >= 0 to the right or to the left: that of a multiple of
/// pi/4, and the arc tangent r of a quotient of at most tan(pi/8), whose rounding error is computed.
ORDO_HD double arc(Double2 a, Double2 b, bool left) {
  const bool low = a.hi <= kTanEighth * b.hi, high = a.hi > kCotEighth * b.hi;
  const Double2 difference = exact_sum(a.hi, -b.hi), sum = exact_sum(a.hi, b.hi);
  // One choice after the other: so they vectorise.
  const double n_far = high ? -b.hi : difference.hi, d_far = high ? a.hi : sum.hi;
  const double n_low_far = high ? -b.lo : difference.lo + (a.lo - b.lo);
  const double d_low_far = high ? a.lo : sum.lo + (a.lo + b.lo);
  const double n = low ? a.hi : n_far, d = low ? b.hi : d_far;
  const double n_low = low ? a.lo : n_low_far, d_low = low ? b.lo : d_low_far;
  const double divisor = d == 0.0 ? 1.0 : d, size = n / divisor;
  const Double2 product = exact_product(size, d);
  const double rest = (((n - product.hi) - product.lo) + (n_low - size * d_low)) / divisor;
  const double size_low = magnitude(size) < 0x1p-40 ? 0.0 : rest;
  const double r = left ? -size : size, r_low = left ? -size_low : size_low;
  const double quarters_far = high ? 2.0 : 1.0, quarters_right = low ? 0.0 : quarters_far;
  const double quarters = left ? 4.0 - quarters_right : quarters_right;
  const double start = quarters == 3.0 ? 0x1.2d97c7f3321d2p+1 : quarters * 0x1.921fb54442d18p-1;
  const double start_low = quarters == 3.0 ? 0x1.a79394c9e8a0ap-54 : quarters * 0x1.1a62633145c07p-55;
  const Double2 angle = exact_sum(start, r);
  const double z = r * r;
  return angle.hi + (angle.lo + (r * z * atan_tail(z) + (start_low + r_low)));
}

/// quarters pi/2 + (angle + rest), quarters 0, 1 or 2 and |angle| <= pi/2 where it is not 0.
[[gnu::always_inline]] ORDO_HD float turned_float(float quarters, float angle, float rest) {
  const Float2 v = exact_sum_ordered(quarters * 0x1.921fb6p+0f, angle);
  return v.hi + (v.lo + fused(quarters, -0x1.777a5cp-25f, rest));
}

/// arc() of floats: the arc tangent of a quotient of at most 1, whose rounding error is computed.
[[gnu::always_inline]] ORDO_HD float arc_float(float a, float b, bool left) {
  const bool high = a > b;
  const float n = high ? b : a, d = high ? a : b, inverse = 1.0f / (d == 0.0f ? 1.0f : d), r = n * inverse, z = r * r;
  // The slope of atan is 1 / (1 + z), for the sake of an error 1 - z / 2 is near enough.
  const float r_low = fused(-r, d, n) * inverse * fused(-0.5f, z, 1.0f);
  const float rest = fused(r * z, atan_tail_float(z), r_low);
  // One choice after the other: so they vectorise.
  const float right = high ? 1.0f : 0.0f, quarters = left ? 2.0f - right : right, way = 1.0f - 2.0f * right;
  const float by = left ? -way : way;
  return turned_float(quarters, by * r, by * rest);
}

/// asin(r) = size + rest, r = |x| up to 1/2, else sqrt((1 - |x|) / 2), for asin(x) and acos(x). Numbers choose, 1 where
/// |x| is large and 0 elsewhere: of conditions GCC makes branches, and loops do not vectorise.
struct ArcSine {
  float large, size, rest;
};
[[gnu::always_inline]] ORDO_HD ArcSine arc_sine_float(float x) {
  const float size = magnitude_float(x), half = fused(-0.5f, size, 0.5f), root = ordo::math::sqrt(half);
  const float large = size > 0.5f ? 1.0f : 0.0f, small = 1.0f - large;
  const float z = large * half + small * (x * x), r = large * root + small * size;
  const float root_low = large * fused(-root, root, half) / (2.0f * root + (small + 0x1p-126f));
  return {large, r, fused(r * z, asin_tail_float(z), root_low)};
}

/// sqrt(1 - x^2); NaN beyond -1 and 1.
ORDO_HD Double2 other_leg(double x) {
  const Double2 square = exact_product(x, x), rest = exact_sum(1.0, -square.hi);
  const Double2 t = exact_sum(rest.hi, rest.lo - square.lo);
  const double root = sqrt(t.hi);
  const Double2 back = exact_product(root, root);
  return {root, root > 0.0 ? (((t.hi - back.hi) - back.lo) + t.lo) / (2.0 * root) : 0.0};
}

}  // namespace detail

ORDO_HD double atan(double x) {
  const double size = detail::magnitude(x), a = size > 0x1p60 ? 0x1p60 : size;
  return detail::with_sign_of(detail::arc({a, 0.0}, {1.0, 0.0}, false), x);
}
[[gnu::always_inline]] ORDO_HD float atan(float x) {
  const float size = detail::magnitude_float(x);
  return detail::with_sign_of_float(detail::arc_float(size > 0x1p60f ? 0x1p60f : size, 1.0f, false), x);
}

ORDO_HD double asin(double x) {
  return detail::with_sign_of(detail::arc({detail::magnitude(x), 0.0}, detail::other_leg(x), false), x);
}
[[gnu::always_inline]] ORDO_HD float asin(float x) {
  using namespace detail;
  const ArcSine v = arc_sine_float(x);
  const float by = 1.0f - 3.0f * v.large;
  return with_sign_of_float(turned_float(v.large, by * v.size, by * v.rest), x);
}

ORDO_HD double acos(double x) { return detail::arc(detail::other_leg(x), {detail::magnitude(x), 0.0}, x < 0.0); }
[[gnu::always_inline]] ORDO_HD float acos(float x) {
  using namespace detail;
  const ArcSine v = arc_sine_float(x);
  // Small: pi/2 minus asin(x); large: twice it, or pi minus that.
  const float left = x < 0.0f ? 1.0f : 0.0f, small = 1.0f - v.large;
  const float by = (2.0f * left - 1.0f) * (small - 2.0f * v.large);
  return turned_float(small + 2.0f * left * v.large, by * v.size, by * v.rest);
}

/// The angle of the point (x, y), from -pi to pi; of infinities that of the direction.
ORDO_HD double atan2(double y, double x) {
  using namespace detail;
  const double size_y = magnitude(y), size_x = magnitude(x), most = size_y > size_x ? size_y : size_x;
  const bool infinite = most == infinity();
  // Away from the ends of the range, where products and their errors are exact.
  const double scale = most > 0x1p900 ? 0x1p-120 : most < 0x1p-500 ? 0x1p600 : 1.0;
  const double a = infinite ? (size_y == most ? 1.0 : 0.0) : size_y * scale;
  const double b = infinite ? (size_x == most ? 1.0 : 0.0) : size_x * scale;
  const double v = with_sign_of(arc({a, 0.0}, {b, 0.0}, to_bits(x) >> 63 != 0), y);
  return x != x || y != y ? nan() : v;
}
[[gnu::always_inline]] ORDO_HD float atan2(float y, float x) {
  using namespace detail;
  const float size_y = magnitude_float(y), size_x = magnitude_float(x), most = size_y > size_x ? size_y : size_x;
  const bool infinite = most == float(infinity());
  // Away from the lower end of the range, where products' errors are lost.
  const float scale = most < 0x1p-60f ? 0x1p60f : 1.0f;
  const float a = infinite ? (size_y == most ? 1.0f : 0.0f) : size_y * scale;
  const float b = infinite ? (size_x == most ? 1.0f : 0.0f) : size_x * scale;
  const float v = with_sign_of_float(arc_float(a, b, to_bits_float(x) >> 31 != 0), y);
  return x != x || y != y ? float(nan()) : v;
}

}  // namespace ordo::math
