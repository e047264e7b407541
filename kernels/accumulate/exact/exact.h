// The arithmetic of the algorithm `exact` (docs/ordering.md, rule 5): true sums, rounded once. How values are added:
// exact_levels.h.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ordo/engine/tensor/half.h>
#include <ordo/engine/tensor/host_device.h>

namespace ordo::kernels {

/// Items, and destinations, that exact sums can take.
inline constexpr int64_t kExactMost = int64_t(1) << 31;

/// The exponent field of a float, as if the leading bit of subnormal numbers and zero were that of the smallest normal
/// ones: v is a multiple of 2^(this - 150), and less than 2^24 of them.
ORDO_HD int exact_exponent(float v) {
  const int field = int(ordo::detail::float_bits(v) >> 23 & 0xff);
  return field > 0 ? field : 1;
}
inline constexpr int kExactNotFinite = 255;  // the exponent of infinities and NaNs

namespace exact_detail {

ORDO_HD int64_t double_bits(double v) {
#ifdef __CUDA_ARCH__
  return __double_as_longlong(v);
#else
  return std::bit_cast<int64_t>(v);
#endif
}
ORDO_HD double bits_double(int64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(bits);
#else
  return std::bit_cast<double>(bits);
#endif
}

/// t + rest, |rest| less than the last place of t, rounded to the neighbour whose last bit is one, unless it is a
/// double. That rounds to any format of at most 51 bits as t + rest does (Boldo and Melquiond, "Emulation of FMA and
/// correctly rounded sums: proved algorithms using rounding to odd", 2008).
ORDO_HD double round_to_odd(double t, double rest) {
  const int64_t bits = double_bits(t);
  const int64_t away = (bits ^ double_bits(rest)) < 0 ? -1 : 1;
  return bits_double(bits + (rest != 0 && (bits & 1) == 0 ? away : 0));
}

/// Rounded to nearest, ties to even: a float on its way to a half is rounded to odd.
template <class T>
ORDO_HD T round_to(double sum) {
  float f = float(sum);
  if constexpr (!std::is_same_v<T, float>) {
    const uint32_t away = std::fabs(double(f)) > std::fabs(sum);
    const uint32_t odd = (ordo::detail::float_bits(f) - away) | 1u;
    f = double(f) == sum ? f : ordo::detail::bits_float(odd);
  }
  return T(f);
}

template <class T>
ORDO_HD T quiet_nan() {
  if constexpr (std::is_same_v<T, float>) {
    return ordo::detail::bits_float(0x7fc00000);
  } else {
    T nan;
    nan.bits = std::is_same_v<T, Half> ? 0x7e00 : 0x7fc0;
    return nan;
  }
}

}  // namespace exact_detail

/// What becomes of an element with the old content `old` and infinities among its values, or in the old content. A NaN
/// is one of each sign.
template <class T>
ORDO_HD T exact_not_finite_result(T old, bool plus, bool minus) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float before = float(old);
  if (before != before) return old;
  plus |= before == kInfinity;
  minus |= before == -kInfinity;
  return plus && minus ? exact_detail::quiet_nan<T>() : T(minus ? -kInfinity : kInfinity);
}

}  // namespace ordo::kernels
