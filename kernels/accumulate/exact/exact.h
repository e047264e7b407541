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
#include <ordo/kernels/ordering/exact_rounding.h>

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
