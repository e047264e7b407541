// Conversion of one element from any type to any other: the same result on every device, in copies, item() and
// to_vector().
#pragma once

#include <type_traits>

#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/host_device.h>

namespace ordo {

namespace detail {
template <class T>
struct MathOf {
  using type = T;
};
template <>
struct MathOf<Half> {
  using type = float;
};
template <>
struct MathOf<BFloat16> {
  using type = float;
};
}  // namespace detail

/// The type arithmetic on T happens in: float for the half types, else T itself.
template <class T>
using math_t = typename detail::MathOf<T>::type;

/// Floating to integer: towards zero, saturating at the ends of the range, NaN gives 0. Integer to integer wraps.
/// To bool: != 0. To a half type: rounded once from float (so float64 and int64 are rounded to float first).
template <class To, class From>
ORDO_HD To convert(From from) {
  const math_t<From> v = from;
  using V = math_t<From>;
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_same_v<To, bool>) {
    return v != V(0);
  } else if constexpr (std::is_floating_point_v<V> && std::is_integral_v<To>) {
    // 2^width is exact in V where the largest integer is not.
    constexpr int bits = std::is_signed_v<To> ? int(sizeof(To)) * 8 - 1 : int(sizeof(To)) * 8;
    constexpr To most = To(~uint64_t(0) >> (64 - bits)), least = std::is_signed_v<To> ? To(-most - 1) : To(0);
    constexpr V end = V(uint64_t(1) << (bits - 1)) * V(2);
    const bool in_range = v > V(least) && v < end;
    const To truncated = To(in_range ? v : V(0));
    return in_range ? truncated : v >= end ? most : v <= V(least) ? least : To(0);
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(float(v));
  } else {
    return To(v);
  }
}

}  // namespace ordo
