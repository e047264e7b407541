// sinh, cosh and the inverse hyperbolic functions; part of math.h. Formulas: W. Kahan, "Branch Cuts for Complex
// Elementary Functions", 1987.
#pragma once

namespace ordo::math {

/// With t = e^|x| - 1: (t + t / (t + 1)) / 2. Beyond 709, where e^|x| may overflow, from its square root.
ORDO_HD double sinh(double x) {
  const double size = detail::magnitude(x), root = exp(0.5 * size), t = expm1(size > 709.0 ? 709.0 : size);
  const double v = size > 709.0 ? 0.5 * root * root : 0.5 * (t + t / (t + 1.0));
  return detail::with_sign_of(size < 0x1p-28 ? size : v, x);
}
ORDO_HD double cosh(double x) {
  const double size = detail::magnitude(x), root = exp(0.5 * size), e = exp(size > 709.0 ? 709.0 : size);
  return size > 709.0 ? 0.5 * root * root : 0.5 * e + 0.5 / e;
}

/// log(|x| + sqrt(x^2 + 1)), without losing what is small; log(2 |x|) where the 1 does not count.
ORDO_HD double asinh(double x) {
  const double size = detail::magnitude(x), square = size * size;
  const double v = size > 0x1p28 ? log(size) + 0x1.62e42fefa39efp-1 : log1p(size + square / (1.0 + sqrt(1.0 + square)));
  return detail::with_sign_of(size < 0x1p-28 ? size : v, x);
}
/// With t = x - 1: log(1 + t + sqrt(2 t + t^2)). NaN below 1.
ORDO_HD double acosh(double x) {
  const double t = x - 1.0;
  const double v = x > 0x1p28 ? log(x) + 0x1.62e42fefa39efp-1 : log1p(t + sqrt(2.0 * t + t * t));
  return x < 1.0 ? sqrt(t) : v;
}
ORDO_HD double atanh(double x) {
  const double size = detail::magnitude(x), v = 0.5 * log1p(2.0 * size / (1.0 - size));
  return detail::with_sign_of(size < 0x1p-28 ? size : v, x);
}

namespace detail {

/// e^x / 2, x >= 0.
[[gnu::always_inline]] ORDO_HD float half_exp_float(float x) {
  uint32_t shifted;
  const float v = exp_rest(x > 90.0f ? 90.0f : x, shifted);
  return scaled_float(v, shifted - 1);
}
/// log(2 x), x a normal number or infinity.
[[gnu::always_inline]] ORDO_HD float log_of_twice_float(float x) {
  const LogReducedFloat l = log_reduce_normal_float(x);
  return log_ends(log_sum_float(l.k + 1.0f, l.m - 1.0f, 0.0f), x);
}

}  // namespace detail

/// Below 1 the series; above, h - 1 / (4 h) with h = e^|x| / 2.
[[gnu::always_inline]] ORDO_HD float sinh(float x) {
  using namespace detail;
  const float z = x * x,
              near = fused(x * z, polynomial(z, 0x1.555556p-3f, 0x1.1110e2p-7f, 0x1.a02156p-13f, 0x1.75a6f4p-19f), x);
  const float half = half_exp_float(magnitude_float(x)), far = half - 0.25f / half;
  return magnitude_float(x) < 1.0f ? near : with_sign_of_float(far, x);
}
[[gnu::always_inline]] ORDO_HD float cosh(float x) {
  const float half = detail::half_exp_float(detail::magnitude_float(x));
  return half + 0.25f / half;
}
/// As of double: log(2 |x|) from 2^13 on.
[[gnu::always_inline]] ORDO_HD float asinh(float x) {
  using namespace detail;
  const float size = magnitude_float(x), square = size * size;
  const float near = log1p(size + square / (1.0f + sqrt(1.0f + square)));
  return with_sign_of_float(size > 0x1p13f ? log_of_twice_float(size) : near, x);
}
[[gnu::always_inline]] ORDO_HD float acosh(float x) {
  const float t = x - 1.0f, near = log1p(t + sqrt(t < 0.0f ? t : t * (2.0f + t)));
  return x > 0x1p13f ? detail::log_of_twice_float(x) : near;
}
/// Up to 1/2 the series; above, half the logarithm of (1 + x) / (1 - x), the quotient in two floats.
[[gnu::always_inline]] ORDO_HD float atanh(float x) {
  using namespace detail;
  const float size = magnitude_float(x), z = x * x;
  const float near = fused(size * z,
                           polynomial(z, 0x1.555558p-2f, 0x1.9997ap-3f, 0x1.24d156p-3f, 0x1.bfb89p-4f, 0x1.aeac4ep-4f,
                                      0x1.1bbe4cp-6f, 0x1.7a2ccep-3f),
                           size);
  const float n = 1.0f + size, d = 1.0f - size, ratio = n / d, low = fused(-ratio, d, n) + (size - (n - 1.0f));
  const LogReducedFloat l = log_reduce_normal_float(ratio);
  const float far = 0.5f * log_ends(log_sum_float(l.k, l.m - 1.0f, low / n), ratio);
  return with_sign_of_float(size <= 0.5f ? near : far, x);
}

}  // namespace ordo::math
