// A double with what it lacks, rounded to an element type once. Internal.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <ordo/engine/tensor/half.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/math/math_bits.h>

namespace ordo::kernels {

namespace exact_detail {

using math::detail::from_bits;
using math::detail::to_bits;

/// t + rest, |rest| less than the last place of t, rounded to the neighbour whose last bit is one, unless it is a
/// double. That rounds to any format of at most 51 bits as t + rest does (Boldo and Melquiond, "Emulation of FMA and
/// correctly rounded sums: proved algorithms using rounding to odd", 2008).
ORDO_HD double round_to_odd(double t, double rest) {
  const uint64_t bits = to_bits(t);
  const uint64_t away = int64_t(bits ^ to_bits(rest)) < 0 ? ~uint64_t(0) : 1;
  return from_bits(bits + (rest != 0 && (bits & 1) == 0 ? away : 0));
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

}  // namespace ordo::kernels
