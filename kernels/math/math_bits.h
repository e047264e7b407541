// Building blocks of math.h: bits, polynomials, and sums and products with their rounding errors. Internal.
#pragma once

#include <bit>
#include <cstdint>

#include <ordo/engine/tensor/half.h>
#include <ordo/engine/tensor/host_device.h>

/// A function of C whose result IEEE 754 defines, as an instruction.
#ifdef __CUDA_ARCH__
#define ORDO_MATH_EXACT(function) ::function
#else
#define ORDO_MATH_EXACT(function) __builtin_##function
#endif

namespace ordo::math::detail {

ORDO_HD uint64_t to_bits(double v) {
#ifdef __CUDA_ARCH__
  return uint64_t(__double_as_longlong(v));
#else
  return std::bit_cast<uint64_t>(v);
#endif
}

ORDO_HD double from_bits(uint64_t v) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(int64_t(v));
#else
  return std::bit_cast<double>(v);
#endif
}

ORDO_HD uint32_t to_bits_float(float v) { return ordo::detail::float_bits(v); }
[[gnu::always_inline]] ORDO_HD float from_bits_float(uint32_t v) { return ordo::detail::bits_float(v); }

ORDO_HD double infinity() { return from_bits(0x7ff0000000000000u); }
ORDO_HD double nan() { return from_bits(0x7ff8000000000000u); }
ORDO_HD double magnitude(double v) { return from_bits(to_bits(v) & 0x7fffffffffffffffu); }
ORDO_HD double with_sign_of(double magnitude, double sign) {
  return from_bits((to_bits(magnitude) & 0x7fffffffffffffffu) | (to_bits(sign) & 0x8000000000000000u));
}
[[gnu::always_inline]] ORDO_HD float magnitude_float(float v) {
  return from_bits_float(to_bits_float(v) & 0x7fffffffu);
}
[[gnu::always_inline]] ORDO_HD float with_sign_of_float(float magnitude, float sign) {
  return from_bits_float((to_bits_float(magnitude) & 0x7fffffffu) | (to_bits_float(sign) & 0x80000000u));
}

/// a b + c, rounded once: an instruction of every processor that the library is made for.
[[gnu::always_inline]] ORDO_HD float fused(float a, float b, float c) { return ORDO_MATH_EXACT(fmaf)(a, b, c); }

/// c0 + c1 x + c2 x^2 + ..., by Horner's rule; of floats each step is rounded once.
ORDO_HD double polynomial(double, double c0) { return c0; }
template <class... C>
ORDO_HD double polynomial(double x, double c0, C... rest) {
  return c0 + x * polynomial(x, rest...);
}
[[gnu::always_inline]] ORDO_HD float polynomial(float, float c0) { return c0; }
template <class... C>
[[gnu::always_inline]] ORDO_HD float polynomial(float x, float c0, C... rest) {
  return fused(x, polynomial(x, rest...), c0);
}

/// Adding this to a value below 2^51 rounds it to an integer, which then stands in the low bits.
inline constexpr double kRounder = 0x1.8p52;

/// 2^n for -1022 <= n <= 1023.
ORDO_HD double power_of_two(int64_t n) { return from_bits(uint64_t(n + 1023) << 52); }

/// A value as the unevaluated sum of two doubles.
struct Double2 {
  double hi, lo;
};

/// a + b exactly (Knuth).
ORDO_HD Double2 exact_sum(double a, double b) {
  const double sum = a + b, from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}

/// a b exactly, for magnitudes whose products and splits neither overflow nor underflow (Dekker, with Veltkamp's split;
/// no fused multiply-add).
ORDO_HD Double2 exact_product(double a, double b) {
  const double p = a * b;
  const double sa = a * 0x1.0000002p27, a1 = sa - (sa - a), a2 = a - a1;
  const double sb = b * 0x1.0000002p27, b1 = sb - (sb - b), b2 = b - b1;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

ORDO_HD Double2 product(Double2 a, Double2 b) {
  const Double2 p = exact_product(a.hi, b.hi);
  return {p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi)};
}

/// A value as the unevaluated sum of two floats.
struct Float2 {
  float hi, lo;
};

/// a + b exactly (Knuth); where |a| >= |b| or a is 0, in three operations (Dekker).
[[gnu::always_inline]] ORDO_HD Float2 exact_sum_float(float a, float b) {
  const float sum = a + b, from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}
[[gnu::always_inline]] ORDO_HD Float2 exact_sum_ordered(float a, float b) {
  const float sum = a + b;
  return {sum, b - (sum - a)};
}

}  // namespace ordo::math::detail
