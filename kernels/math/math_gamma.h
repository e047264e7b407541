// erfinv, lgamma and its first two derivatives; part of math.h. Those of float compute in double. Series of Bernoulli
// numbers for large arguments, recurrences below 10, reflection below 0 (NIST, "Digital Library of Mathematical
// Functions", 5.4, 5.5, 5.11 and 5.15). erfinv(x) / x is smooth in w = -log(1 - x^2), further out in its root (M. Giles,
// "Approximating the erfinv function", 2010); the coefficients are our own interpolants'.
#pragma once

namespace ordo::math {
namespace detail {

/// erfinv(x) / x for w up to 6.25; with s = sqrt(w), up to 16 and up to 36.75.
ORDO_HD double erfinv_centre(double w) {
  return polynomial(w - 3.125, 0x1.a755e7c99ae86p+0, 0x1.ebd80d9b13df9p-3, -0x1.8b6c33114ea23p-8,
                    -0x1.845769483517bp-11, 0x1.879c2a20adbd6p-13, -0x1.d1d1f7ca6a77bp-17, -0x1.6e8a53c62a181p-20,
                    0x1.c6b4f89a416bbp-22, -0x1.f36cef611920cp-26, -0x1.1a9eb413249c6p-28, 0x1.20f54c081e72ep-30,
                    -0x1.dc3e3c7cf2c82p-35, -0x1.c8a8811872891p-37, 0x1.7231359d731fdp-39, -0x1.6b3a1c87d7831p-44,
                    -0x1.682928cb89bd0p-45, 0x1.d4d85e8e7495bp-48, -0x1.9b0d26df5bbdap-55, -0x1.148abfb39b82bp-53,
                    0x1.27be4cec71327p-56, 0x1.c53f3bb1655cbp-62, -0x1.c1d62fe3cf99fp-62, 0x1.44961d41a7a2bp-65,
                    0x1.505faa67f6d97p-68, -0x1.0e3079eda5d91p-70, -0x1.8fb8bb7570430p-76, 0x1.528a6d91ce2e2p-77);
}
ORDO_HD double erfinv_tail(double s) {
  return polynomial(s - 3.25, 0x1.8abcc380d5a48p+1, 0x1.0158a6d641d55p+0, 0x1.5ffcfe5b6cd38p-8, -0x1.ebadabba02be5p-9,
                    0x1.468eeca944c44p-9, -0x1.ba9240d8768c3p-10, 0x1.f3cc545d9ca81p-11, -0x1.7448bcc8e9aa7p-12,
                    0x1.932e8fd4360edp-16, 0x1.1e6abbe66ca02p-14, -0x1.8cf463501e9a0p-15, 0x1.a241c6f237f34p-17,
                    0x1.899aa0e374402p-19, -0x1.0b79e820e8497p-18, 0x1.8db69feb41fb6p-20, -0x1.da75906425fdap-26,
                    -0x1.079a074d69940p-22, 0x1.1a9484c4d3628p-23, -0x1.674f1725daa65p-26, -0x1.06f1da245bfd3p-26,
                    0x1.07e3c2020286fp-27);
}
ORDO_HD double erfinv_far_tail(double s) {
  return polynomial(s - 5.03125, 0x1.386a23537fba2p+2, 0x1.02a2714048337p+0, -0x1.4c455128b9640p-13,
                    -0x1.af6d2ef378407p-13, 0x1.321f523905318p-14, -0x1.3c4d85fb8e58bp-16, 0x1.2191d2f76edb9p-18,
                    -0x1.f79abec5be7eap-21, 0x1.c5a8481d1de2fp-23, -0x1.fd21252f82e6dp-25, 0x1.a0d0bc1ce3dc0p-26,
                    -0x1.aecebc00b6761p-27, 0x1.beb5eb01e9374p-28, -0x1.9b3c7fb177018p-29, 0x1.3a13b63fec499p-30,
                    -0x1.7f4518422f2b4p-32, 0x1.50345a38182edp-34, 0x1.c601371120510p-38, -0x1.316f2949157d4p-36,
                    0x1.7a40e4c435234p-38);
}

/// log(Gamma(2 + t)) / (t (1 + t)) for -1 <= t <= 1.
ORDO_HD double lgamma_ratio(double t) {
  return polynomial(t, 0x1.b0ee6072093cep-2, -0x1.9ae6509ea109fp-4, 0x1.0e0c9df293532p-5, -0x1.95ce223a9cb35p-7,
                    0x1.47974853aa106p-8, -0x1.145121f9a3d48p-9, 0x1.dfebcf8e90719p-11, -0x1.a96a400c26dccp-12,
                    0x1.7ed733a605f3bp-13, -0x1.5c86b741de9f5p-14, 0x1.402f11c795d90p-15, -0x1.2850376ded721p-16,
                    0x1.13e3f4dc25c16p-17, -0x1.0232c4731cdcep-18, 0x1.e5608b8d76f0ap-20, -0x1.c9aaed1901562p-21,
                    0x1.b13b2fafb86cep-22, -0x1.9e596de4283f8p-23, 0x1.8a7b25085e861p-24, -0x1.60869e758c483p-25,
                    0x1.50b1e729189f9p-26, -0x1.caecbfa877041p-27, 0x1.ba24f5ac62dd8p-28, 0x1.0ebb46aaf26a9p-30,
                    -0x1.0ef4cc8923861p-31, -0x1.72c596f8d59d4p-29, 0x1.68864ad399c84p-30, 0x1.a7ca11a685f3fp-31,
                    -0x1.9d2b347245328p-32, -0x1.e2397c6844932p-33, 0x1.d53b0b16f6bb1p-34);
}

/// From x = 10 on.
ORDO_HD double lgamma_large(double x) {
  const double y = 1.0 / x;
  const double rest =
      y * polynomial(y * y, 0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11,
                     0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8);
  return (x - 0.5) * (log(x) - 1.0) + (0x1.acfe390c97d69p-2 + rest);
}
ORDO_HD double lgamma_positive(double x) {
  if (x >= 10.0) return lgamma_large(x);
  if (x < 1.0) return x * (x - 1.0) * lgamma_ratio(x - 1.0) - log(x);
  double product = 1.0;
  while (x > 3.0) {
    x -= 1.0;
    product *= x;
  }
  const double v = (x - 1.0) * (x - 2.0) * lgamma_ratio(x - 2.0);
  return product > 1.0 ? log(product) + v : v;
}
ORDO_HD double digamma_positive(double x) {
  double sum = 0.0;
  for (; x < 10.0; x += 1.0) sum += 1.0 / x;
  const double y = 1.0 / x, z = y * y;
  const double rest = 0.5 * y + z * polynomial(z, 0x1.5555555555555p-4, -0x1.1111111111111p-7, 0x1.0410410410410p-8,
                                               -0x1.1111111111111p-8, 0x1.f07c1f07c1f08p-8, -0x1.5995995995996p-6,
                                               0x1.5555555555555p-4, -0x1.c5e5e5e5e5e5ep-2);
  return log(x) - (rest + sum);
}
ORDO_HD double trigamma_positive(double x) {
  double sum = 0.0;
  for (; x < 10.0; x += 1.0) sum += 1.0 / (x * x);
  const double y = 1.0 / x, z = y * y;
  const double rest = 0.5 + y * polynomial(z, 0x1.5555555555555p-3, -0x1.1111111111111p-5, 0x1.8618618618618p-6,
                                           -0x1.1111111111111p-5, 0x1.364d9364d9365p-4, -0x1.0330330330330p-2,
                                           0x1.2aaaaaaaaaaabp+0, -0x1.c5e5e5e5e5e5ep+2, 0x1.b7c4f8f13e3c5p+5);
  return sum + (y + z * rest);
}

/// x minus the nearest integer; 0 for an infinity.
ORDO_HD double off_integer(double x) { return magnitude(x) < 0x1p52 ? x - round_even(x) : 0.0; }

}  // namespace detail

/// Infinite at -1 and 1, NaN beyond.
ORDO_HD double erfinv(double x) {
  using namespace detail;
  const double u = magnitude(x);
  if (!(u < 1.0)) return u == 1.0 ? with_sign_of(infinity(), x) : nan();
  const double w = -log((1.0 - u) * (1.0 + u)), s = sqrt(w);
  return x * (w < 6.25 ? erfinv_centre(w) : s < 4.0 ? erfinv_tail(s) : erfinv_far_tail(s));
}

/// log(|Gamma(x)|). Below 0 by Gamma(x) Gamma(-x) = -pi / (x sin(pi x)).
ORDO_HD double lgamma(double x) {
  using namespace detail;
  if (x != x || x > 0.0) return x > 0.0 ? lgamma_positive(x) : x;
  const double size = -x, off = off_integer(x);
  if (off == 0.0) return infinity();
  if (size < 0x1p-60) return -log(size);
  return log(0x1.921fb54442d18p+1 / (size * magnitude(sin(0x1.921fb54442d18p+1 * off)))) - lgamma_positive(size);
}

/// The derivative of lgamma; NaN at -1, -2, ...
ORDO_HD double digamma(double x) {
  using namespace detail;
  if (x != x || x > 0.0) return x > 0.0 ? digamma_positive(x) : x;
  if (x == 0.0) return with_sign_of(infinity(), -x);
  const double off = off_integer(x);
  return off == 0.0 ? nan() : digamma_positive(1.0 - x) - 0x1.921fb54442d18p+1 / tan(0x1.921fb54442d18p+1 * off);
}

/// The derivative of digamma; infinite at 0, -1, -2, ...
ORDO_HD double trigamma(double x) {
  using namespace detail;
  if (x != x || x > 0.0) return x > 0.0 ? trigamma_positive(x) : x;
  const double off = off_integer(x);
  if (off == 0.0) return infinity();
  const double ratio = 0x1.921fb54442d18p+1 / sin(0x1.921fb54442d18p+1 * off);
  return ratio * ratio - trigamma_positive(1.0 - x);
}

ORDO_HD float erfinv(float x) { return float(erfinv(double(x))); }
ORDO_HD float lgamma(float x) { return float(lgamma(double(x))); }
ORDO_HD float digamma(float x) { return float(digamma(double(x))); }
ORDO_HD float trigamma(float x) { return float(trigamma(double(x))); }

}  // namespace ordo::math
