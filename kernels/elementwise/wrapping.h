// Arithmetic of integers that wraps around. Internal.
#pragma once

#include <cstdint>

#include <ordo/engine/host_device.h>

namespace ordo::kernels {

// Signed overflow is undefined in C++; unsigned arithmetic wraps.
template <class T>
struct WrappingOf {
  using type = T;
};
template <>
struct WrappingOf<uint8_t> {
  using type = uint32_t;
};
template <>
struct WrappingOf<int32_t> {
  using type = uint32_t;
};
template <>
struct WrappingOf<int64_t> {
  using type = uint64_t;
};
template <class T>
using wrapping_t = typename WrappingOf<T>::type;

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
