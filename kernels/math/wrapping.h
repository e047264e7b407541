// Arithmetic of integers that wraps around. Internal.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ordo/engine/tensor/host_device.h>

namespace ordo::kernels {

/// The type that T is computed in: signed overflow is undefined in C++, unsigned arithmetic wraps. Of bool and floating
/// types itself.
template <class T>
using wrapping_t = std::conditional_t<!std::is_integral_v<T> || std::is_same_v<T, bool>, T,
                                      std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>;

/// a + b and a * b; integers wrap around.
template <class T>
ORDO_HD T wrapping_add(T a, T b) {
  return T(wrapping_t<T>(a) + wrapping_t<T>(b));
}
template <class T>
ORDO_HD T wrapping_mul(T a, T b) {
  return T(wrapping_t<T>(a) * wrapping_t<T>(b));
}

}  // namespace ordo::kernels
