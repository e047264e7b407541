// sinh, cosh and the inverse hyperbolic functions; part of math.h. Formulas: W. Kahan, "Branch Cuts for Complex
// Elementary Functions", 1987. Those of float compute in double.
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

ORDO_HD float sinh(float x) {
  const double t = detail::expm1_near(detail::clamped(detail::magnitude(x), 0.0, 90.0));
  return float(detail::with_sign_of(0.5 * (t + t / (t + 1.0)), x));
}
ORDO_HD float cosh(float x) {
  const double e = detail::exp_near(detail::clamped(detail::magnitude(x), 0.0, 90.0));
  return float(0.5 * e + 0.5 / e);
}
ORDO_HD float asinh(float x) {
  const double size = detail::magnitude(x), square = size * size;
  const double part = size == detail::infinity() ? size : square / (1.0 + sqrt(1.0 + square));
  return float(detail::with_sign_of(detail::log1p_near(size + part), x));
}
ORDO_HD float acosh(float x) {
  const double t = double(x) - 1.0;
  return float(detail::log1p_near(t + sqrt(t < 0.0 ? t : 2.0 * t + t * t)));
}
/// Of half the logarithm of (1 + x) / (1 - x); near 0 two terms of the series.
ORDO_HD float atanh(float x) {
  const double w = x, near = w + w * w * w * 0x1.5555555555555p-2, ratio = (1.0 + w) / (1.0 - w);
  const double v = 0.5 * detail::log_ends(detail::log_near(ratio), ratio);
  return float(detail::magnitude(w) < 0x1p-14 ? near : v);
}

}  // namespace ordo::math
