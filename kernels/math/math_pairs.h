// Functions of two numbers: fmod, hypot, logaddexp, copysign; part of math.h.
#pragma once

namespace ordo::math {
namespace detail {

/// A positive double: number 2^(exponent - 1075), exponent at least 1.
struct Parts {
  uint64_t number;
  int64_t exponent;
};
ORDO_HD Parts parts_of(double v) {
  const uint64_t bits = to_bits(v), fraction = bits & 0xfffffffffffffu;
  const auto exponent = int64_t(bits >> 52);
  return exponent == 0 ? Parts{fraction, 1} : Parts{fraction | uint64_t(1) << 52, exponent};
}

}  // namespace detail

/// a - trunc(a / b) b, exactly: the remainder of integers, eleven bits of the quotient at a time.
ORDO_HD double fmod(double a, double b) {
  using namespace detail;
  const double size = magnitude(a), by = magnitude(b);
  if (!(size < infinity()) || !(by > 0.0)) return nan();  // or NaN
  if (size < by) return a;
  const Parts divided = parts_of(size), divisor = parts_of(by);
  uint64_t rest = divided.number % divisor.number;
  for (int64_t left = divided.exponent - divisor.exponent; left > 0 && rest != 0; left -= 11)
    rest = (rest << (left < 11 ? left : 11)) % divisor.number;
  // 2^(exponent - 1075) may be subnormal.
  const int64_t power = divisor.exponent - 1075;
  const double unit = power < -1022 ? from_bits(uint64_t(1) << (power + 1074)) : power_of_two(power);
  return with_sign_of(double(rest) * unit, a);
}

/// Whether fmod_moderate(a, b) gives the same bits as fmod(a, b).
ORDO_HD bool is_moderate_quotient(float a, float b) {
  const float by = detail::magnitude_float(b);
  return detail::magnitude_float(a) < by * 0x1p24f && by < float(detail::infinity());
}
/// The quotient's integer part is a float, or by its rounding the next integer, which is one, too: the product with b
/// is exact in double, and so is what remains, a float.
ORDO_HD float fmod_moderate(float a, float b) {
  const float by = detail::magnitude_float(b), whole = floor(detail::magnitude_float(a / b));
  const float rest = float(double(detail::magnitude_float(a)) - double(whole) * double(by));
  return detail::with_sign_of_float(rest < 0.0f ? rest + by : rest, a);
}
ORDO_HD float fmod(float a, float b) {
  return is_moderate_quotient(a, b) ? fmod_moderate(a, b) : float(fmod(double(a), double(b)));
}

/// |a| sqrt(1 + (b / a)^2), |a| being the larger; infinite where one is, even beside NaN.
ORDO_HD double hypot(double a, double b) {
  using namespace detail;
  const double x = magnitude(a), y = magnitude(b), large = x > y ? x : y, small = x > y ? y : x;
  const double ratio = small / (large > 0.0 ? large : 1.0), v = large * sqrt(1.0 + ratio * ratio);
  return x == infinity() || y == infinity() ? infinity() : x != x ? x : v;
}
ORDO_HD float hypot(float a, float b) {
  const double x = a, y = b;
  const bool infinite = detail::magnitude(x) == detail::infinity() || detail::magnitude(y) == detail::infinity();
  return infinite ? float(detail::infinity()) : float(sqrt(x * x + y * y));
}

/// log(e^a + e^b): the larger, and log(1 + e^-|a - b|).
ORDO_HD double logaddexp(double a, double b) {
  const double large = a > b ? a : b, rest = log1p(exp(-detail::magnitude(a - b)));
  return a == b && a - a != 0.0 ? a : large + rest;
}
[[gnu::always_inline]] ORDO_HD float logaddexp(float a, float b) {
  const float large = a > b ? a : b, rest = detail::log1p_of_unit_float(exp(-abs(a - b)));
  return a == b && a - a != 0.0f ? a : large + rest;
}

ORDO_HD double copysign(double a, double b) { return detail::with_sign_of(a, b); }
ORDO_HD float copysign(float a, float b) { return detail::with_sign_of_float(a, b); }

}  // namespace ordo::math
