// erf, erfc and gelu; part of math.h.
#pragma once

#include <ordo/kernels/math/math_exp.h>

namespace ordo::math {
namespace detail {

/// erf(x) / x as a polynomial in x^2, for |x| <= 1.
ORDO_HD double erf_ratio(double z) {
  return polynomial(z, 0x1.20dd750429b6dp+0, -0x1.812746b0379e7p-2, 0x1.ce2f21a042bddp-4, -0x1.b82ce3128898dp-6,
                    0x1.565bcd0e647acp-8, -0x1.c02db3fecced0p-11, 0x1.f9a326bdd9420p-14, -0x1.f4d255b078cd5p-17,
                    0x1.b9e649a9fe69bp-20, -0x1.5f6d42f218e51p-23, 0x1.fc3e8f0b390c0p-27, -0x1.4e48c9d4074f1p-30,
                    0x1.7e7e8e7125a0cp-34, -0x1.285e44d97b878p-38);
}
ORDO_HD double erf_ratio_float(double z) {
  return polynomial(z, 0x1.20dd750428b68p+0, -0x1.812746adb4ec7p-2, 0x1.ce2f20965665cp-4, -0x1.b82cb898c9ef6p-6,
                    0x1.565863f4e06eap-8, -0x1.bfde8878998f4p-11, 0x1.f5622b475d4e0p-14, -0x1.d2234ab76be1dp-17,
                    0x1.1b05cc77845e7p-20);
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
ORDO_HD double erfc_scaled_float(double x) {
  const double t = (x - 3.0) / (x + 3.0);
  return polynomial(t, 0x1.40c522d7e2f16p+0, -0x1.15c084bbc7c56p-3, -0x1.85a15c26eddcfp-5, 0x1.098366b175574p-3,
                    -0x1.e88b841686194p-4, 0x1.17ca27ae00ab5p-4, -0x1.8573dd86700a8p-6, 0x1.4b861790aa08dp-9,
                    0x1.eeb7c59d7b3b5p-10, -0x1.984c159327bbep-11, -0x1.a46a1ca83f3fcp-14, 0x1.f696671cee7eep-14,
                    -0x1.8b72664df5ea4p-20, -0x1.63ef4803539f8p-17) /
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

/// erf and the normal distribution function in the middle, where they are a polynomial: |x| below 1, or below sqrt(2).
/// _float: good to 2^-35.
ORDO_HD bool is_in_erf_centre(double x) { return magnitude(x) < 1.0; }
ORDO_HD bool is_in_erf_centre(float x) { return magnitude_float(x) < 1.0f; }
ORDO_HD bool is_in_normal_centre(double x) { return magnitude(x) * 0x1.6a09e667f3bcdp-1 < 1.0; }
ORDO_HD bool is_in_normal_centre(float x) { return magnitude_float(x) < 0x1.6a09e8p+0f; }
ORDO_HD double erf_centre(double x) { return x * erf_ratio(x * x); }
ORDO_HD double erf_centre_float(double x) { return x * erf_ratio_float(x * x); }
ORDO_HD double normal_centre(double x) { return 0.5 + 0.5 * erf_centre(x * 0x1.6a09e667f3bcdp-1); }
ORDO_HD double normal_centre_float(double x) { return 0.5 + 0.5 * erf_centre_float(x * 0x1.6a09e667f3bcdp-1); }

/// The normal distribution function, 1/2 erfc(-x / sqrt(2)). In the lower tail e^(-x^2/2) is taken of the exact square.
ORDO_HD double normal_cdf(double x) {
  const double u = magnitude(x), size = u > 39.0 ? 39.0 : u, w = size * 0x1.6a09e667f3bcdp-1;
  const Double2 square = exact_product(size, size);
  const double tail = 0.5 * (exp2parts(-0.5 * square.hi, -0.5 * square.lo) * erfc_scaled(w < 1.0 ? 1.0 : w));
  return w < 1.0 ? normal_centre(x) : x < 0.0 ? tail : x > 0.0 ? 1.0 - tail : x;
}
ORDO_HD double normal_cdf_float(double x) {
  const double u = magnitude(x), size = u > 20.0 ? 20.0 : u, w = size * 0x1.6a09e667f3bcdp-1;
  const double tail = 0.5 * exp_near(-0.5 * size * size) * erfc_scaled_float(w < 1.0 ? 1.0 : w);
  return w < 1.0 ? normal_centre_float(x) : x < 0.0 ? tail : x > 0.0 ? 1.0 - tail : x;
}

}  // namespace detail

ORDO_HD double erf(double x) {
  using namespace detail;
  const double u = magnitude(x), size = u > 6.5 ? 6.5 : u;
  const double tail = 1.0 - exp(-size * size) * erfc_scaled(size < 1.0 ? 1.0 : size);
  return u < 1.0 ? erf_centre(x) : with_sign_of(tail, x) + 0.0 * (x != x ? x : 0.0);
}
ORDO_HD float erf(float x) {
  using namespace detail;
  const double w = x, u = magnitude(w), size = u > 6.5 ? 6.5 : u;
  const double tail = 1.0 - exp_near(-size * size) * erfc_scaled_float(size < 1.0 ? 1.0 : size);
  return float(u < 1.0 ? erf_centre_float(w) : u == u ? with_sign_of(tail, w) : w);
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
ORDO_HD float erfc(float x) {
  using namespace detail;
  const double w = x, u = magnitude(w), size = u > 20.0 ? 20.0 : u;
  const double tail = exp_near(-size * size) * erfc_scaled_float(size < 1.0 ? 1.0 : size);
  return float(u < 1.0 ? 1.0 - erf_centre_float(w) : w < 0.0 ? 2.0 - tail : w > 0.0 ? tail : w);
}

/// x Phi(x), Phi the normal distribution function. -0 for x towards minus infinity.
ORDO_HD double gelu(double x) { return x < -39.0 ? -0.0 : x * detail::normal_cdf(x); }
ORDO_HD float gelu(float x) { return x < -20.0f ? -0.0f : float(double(x) * detail::normal_cdf_float(x)); }

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), which is x sigmoid of twice that.
ORDO_HD double gelu_tanh(double x) {
  const double u = 2.0 * 0x1.9884533d43651p-1 * (x + 0.044715 * x * x * x);
  return x < -39.0 ? -0.0 : x * sigmoid(u);
}
ORDO_HD float gelu_tanh(float x) {
  const double w = x, u = 2.0 * 0x1.9884533d43651p-1 * (w + 0.044715 * w * w * w);
  return x < -20.0f ? -0.0f : float(w / (1.0 + detail::exp_near(-detail::clamped(u, -600.0, 600.0))));
}

}  // namespace ordo::math
