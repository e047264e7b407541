// atan, atan2, asin and acos; part of math.h. Those of float compute in double.
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
ORDO_HD double atan_tail_float(double z) {
  return polynomial(z, -0x1.55555555553a4p-2, 0x1.99999998d17aap-3, -0x1.249248aa7aa01p-3, 0x1.c71c382a9b0edp-4,
                    -0x1.74563e04a6f0cp-4, 0x1.3a9d98b72e3acp-4, -0x1.0c533de737bdfp-4, 0x1.a76e53429f68dp-5,
                    -0x1.be2efe9a9e93dp-6);
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

/// The angle in double, with an error of 2^-44.
ORDO_HD double arc_float(double a, double b, bool left) {
  const bool low = a <= kTanEighth * b, high = a > kCotEighth * b;
  // One choice after the other: so they vectorise.
  const double n_far = high ? -b : a - b, d_far = high ? a : a + b, quarters_far = high ? 2.0 : 1.0;
  const double n = low ? a : n_far, d = low ? b : d_far, quarters = low ? 0.0 : quarters_far;
  const double r = n / (d == 0.0 ? 1.0 : d), z = r * r;
  const double angle = quarters * 0x1.921fb54442d18p-1 + (r + r * z * atan_tail_float(z));
  return left ? 0x1.921fb54442d18p+1 - angle : angle;
}

/// sqrt(1 - x^2); NaN beyond -1 and 1.
ORDO_HD Double2 other_leg(double x) {
  const Double2 square = exact_product(x, x), rest = exact_sum(1.0, -square.hi);
  const Double2 t = exact_sum(rest.hi, rest.lo - square.lo);
  const double root = sqrt(t.hi);
  const Double2 back = exact_product(root, root);
  return {root, root > 0.0 ? (((t.hi - back.hi) - back.lo) + t.lo) / (2.0 * root) : 0.0};
}
ORDO_HD double other_leg_float(double x) { return sqrt(1.0 - x * x); }

}  // namespace detail

ORDO_HD double atan(double x) {
  const double size = detail::magnitude(x), a = size > 0x1p60 ? 0x1p60 : size;
  return detail::with_sign_of(detail::arc({a, 0.0}, {1.0, 0.0}, false), x);
}
ORDO_HD float atan(float x) {
  const double w = x, size = detail::magnitude(w), a = size > 0x1p60 ? 0x1p60 : size;
  return float(detail::with_sign_of(detail::arc_float(a, 1.0, false), w));
}

ORDO_HD double asin(double x) {
  return detail::with_sign_of(detail::arc({detail::magnitude(x), 0.0}, detail::other_leg(x), false), x);
}
ORDO_HD float asin(float x) {
  const double w = x;
  return float(detail::with_sign_of(detail::arc_float(detail::magnitude(w), detail::other_leg_float(w), false), w));
}

ORDO_HD double acos(double x) { return detail::arc(detail::other_leg(x), {detail::magnitude(x), 0.0}, x < 0.0); }
ORDO_HD float acos(float x) {
  const double w = x;
  return float(detail::arc_float(detail::other_leg_float(w), detail::magnitude(w), w < 0.0));
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
ORDO_HD float atan2(float y, float x) {
  using namespace detail;
  const double size_y = magnitude(y), size_x = magnitude(x), most = size_y > size_x ? size_y : size_x;
  const bool infinite = most == infinity();
  const double a = infinite ? (size_y == most ? 1.0 : 0.0) : size_y;
  const double b = infinite ? (size_x == most ? 1.0 : 0.0) : size_x;
  const double v = with_sign_of(arc_float(a, b, to_bits(x) >> 63 != 0), y);
  return float(x != x || y != y ? nan() : v);
}

}  // namespace ordo::math
