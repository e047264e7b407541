// The arithmetic of the algorithm `exact` (docs/ordering.md, rule 5): sums whose bits do not depend on any order,
// because they are sums of integers. Shared by both devices.
//
// A destination adds its values as 64-bit multiples of a quantum: a power of two that follows from the largest
// magnitude among them and from the number of items, h bits long, so that the integers cannot overflow. A value is
// rounded to the quantum, which changes nothing while it is at least 2^-(39 - h) of the largest. The integers are added
// in any order, and their sum is rounded to the element type, once.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ordo/engine/half.h>
#include <ordo/engine/host_device.h>

namespace ordo::kernels {

/// Items, and destinations, that exact sums can take: the headroom and the counts of infinities have 32 bits.
inline constexpr int64_t kExactMost = int64_t(1) << 31;

/// |v| as an integer that grows with it. Infinity is kExactInfinity, and NaNs are above it.
ORDO_HD uint32_t exact_magnitude(float v) { return ordo::detail::float_bits(v) & 0x7fffffffu; }
inline constexpr uint32_t kExactInfinity = 0x7f800000;

namespace exact_detail {

ORDO_HD double power_of_two(int n) {  // -1022 <= n <= 1023
#ifdef __CUDA_ARCH__
  return __longlong_as_double(int64_t(n + 1023) << 52);
#else
  return std::bit_cast<double>(uint64_t(n + 1023) << 52);
#endif
}
/// To the nearest integer, ties to even.
ORDO_HD int64_t to_nearest(double v) {
#ifdef __CUDA_ARCH__
  return __double2ll_rn(v);
#else
  return std::llrint(v);
#endif
}
ORDO_HD int highest_bit(uint64_t v) {  // v > 0
#ifdef __CUDA_ARCH__
  return 63 - __clzll(int64_t(v));
#else
  return 63 - std::countl_zero(v);
#endif
}
inline constexpr int64_t kMinusInfinity = int64_t(1) << 32;  // counts of +inf are below, those of -inf above

// p: bits of the significand. quantum: exponent of the smallest subnormal.
template <class T>
struct Format;
template <>
struct Format<float> {
  static constexpr int p = 24, quantum = -149;
  static constexpr uint32_t infinity = 0x7f800000, nan = 0x7fc00000, sign = 0x80000000;
  ORDO_HD static float make(uint32_t bits) { return ordo::detail::bits_float(bits); }
};
template <class T, int kBits, int kQuantum, uint32_t kInfinity, uint32_t kNan>
struct Format16 {
  static constexpr int p = kBits, quantum = kQuantum;
  static constexpr uint32_t infinity = kInfinity, nan = kNan, sign = 0x8000;
  ORDO_HD static T make(uint32_t bits) {
    T t;
    t.bits = uint16_t(bits);
    return t;
  }
};
template <>
struct Format<Half> : Format16<Half, 11, -24, 0x7c00, 0x7e00> {};
template <>
struct Format<BFloat16> : Format16<BFloat16, 8, -133, 0x7f80, 0x7fc0> {};

/// sum * 2^exponent to the nearest T, ties to even.
template <class T>
ORDO_HD T round_once(int64_t sum, int exponent) {
  using F = Format<T>;
  const uint64_t all = sum < 0 ? 0 - uint64_t(sum) : uint64_t(sum);
  if (all == 0) return F::make(0);
  const int normal = highest_bit(all) + exponent - (F::p - 1);
  const int last = normal > F::quantum ? normal : F::quantum;  // exponent of the last place kept
  const int drop = last - exponent;
  uint64_t kept;
  if (drop <= 0) {
    kept = all << -drop;
  } else if (drop > 63) {
    kept = 0;
  } else {
    const uint64_t rest = all & ((uint64_t(1) << drop) - 1), half = uint64_t(1) << (drop - 1);
    kept = all >> drop;
    kept += rest > half || (rest == half && (kept & 1) != 0);
  }
  // The leading bit of a normal number adds one to its exponent field; so does a significand rounded up to 2^p.
  uint32_t bits = (uint32_t(last - F::quantum) << (F::p - 1)) + uint32_t(kept);
  if (bits > F::infinity) bits = F::infinity;
  return F::make(sum < 0 ? bits | F::sign : bits);
}

}  // namespace exact_detail

/// The quantum is 2^this: so that 2^headroom values of at most that magnitude stay below 2^63.
ORDO_HD int exact_quantum(uint32_t magnitude, int headroom) {
  const int exponent = int(magnitude >> 23);  // |v| < 2^(exponent - 126), subnormal numbers as if exponent were 1
  return (exponent > 0 ? exponent : 1) - 126 - 63 + headroom;
}
/// Bits that hold the number of addends: the items and the old content.
inline int exact_headroom(int64_t items) { return int(std::bit_width(uint64_t(items))); }

/// v as a multiple of the quantum that belongs to `magnitude`, the largest of its destination.
ORDO_HD int64_t exact_addend(float v, uint32_t magnitude, int headroom) {
  if (magnitude >= kExactInfinity) {  // then only the infinities count
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return v == kInfinity ? 1 : v == -kInfinity ? exact_detail::kMinusInfinity : 0;
  }
  return exact_detail::to_nearest(double(v) * exact_detail::power_of_two(-exact_quantum(magnitude, headroom)));
}

/// The element whose old content is `old`, given the sum of its items' addends. `magnitude` is the largest of the items
/// and of the old content. What nothing, or nothing but zeros, is added to keeps its bits.
template <class T>
ORDO_HD T exact_result(T old, uint32_t magnitude, int64_t sum, int headroom) {
  using F = exact_detail::Format<T>;
  if (magnitude > kExactInfinity) return float(old) != float(old) ? old : F::make(F::nan);
  if (sum == 0) return old;
  const int64_t total = int64_t(uint64_t(sum) + uint64_t(exact_addend(float(old), magnitude, headroom)));
  if (magnitude < kExactInfinity) return exact_detail::round_once<T>(total, exact_quantum(magnitude, headroom));
  const bool plus = uint32_t(total) != 0, minus = uint64_t(total) >> 32 != 0;
  return F::make(plus && minus ? F::nan : minus ? F::infinity | F::sign : F::infinity);
}

}  // namespace ordo::kernels
