// The arithmetic of the algorithm `exact` (docs/ordering.md, rule 5): true sums, rounded once. Both devices round so;
// how the CPU adds is in exact_cells_cpu.h. CUDA adds integers, whose sums do not depend on any order:
//
// The exponents that floats can have are cut into windows. A destination has a 64-bit sum for each window: a value goes
// to the one of its exponent, as a multiple of the smallest bit that the window's values have. Windows are as wide as
// the number of items lets them be without overflow, so that of ordinary data nearly all values meet in one. Where the
// windows begin makes no difference to the result, since no bit is ever lost: whoever adds chooses them to fit the
// values.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ordo/engine/half.h>
#include <ordo/engine/host_device.h>

namespace ordo::kernels {

/// Items, and destinations, that exact sums can take: the headroom and the counts of infinities have 32 bits.
inline constexpr int64_t kExactMost = int64_t(1) << 31;

namespace exact_detail {

ORDO_HD double power_of_two(int n) {  // -1022 <= n <= 1023
#ifdef __CUDA_ARCH__
  return __longlong_as_double(int64_t(n + 1023) << 52);
#else
  return std::bit_cast<double>(uint64_t(n + 1023) << 52);
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

/// A float that rounds to T as sum * power does, ties to even; power = 2^exponent, exponent >= -126. It is no subnormal
/// number, so that scaling is exact or gives infinity. Where T is shorter and the float has lost bits, its last one
/// says so. No branch.
template <class T>
ORDO_HD float round_normal(int64_t sum, double power) {
  float f = float(sum);
  if constexpr (!std::is_same_v<T, float>) {
    const int64_t kept = int64_t(f);
    const uint32_t away = (kept > sum) == (sum > 0);
    const uint32_t odd = (ordo::detail::float_bits(f) - away) | 1u;
    f = kept == sum ? f : ordo::detail::bits_float(odd);
  }
  return float(double(f) * power);
}

/// sum * 2^exponent to the nearest T, ties to even.
template <class T>
ORDO_HD T round_once(int64_t sum, int exponent) {
  using F = Format<T>;
  if (exponent >= -126) return T(round_normal<T>(sum, power_of_two(exponent)));
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

/// The exponent field of a float, as if the leading bit of subnormal numbers and zero were that of the smallest normal
/// ones: v is a multiple of 2^(this - 150), and less than 2^24 of them.
ORDO_HD int exact_exponent(float v) {
  const int field = int(ordo::detail::float_bits(v) >> 23 & 0xff);
  return field > 0 ? field : 1;
}
inline constexpr int kExactNotFinite = 255;  // the exponent of infinities and NaNs

/// The windows [base(w), base(w) + width) of exponents, w = 0, 1, ... The last is one more, which counts infinities.
struct ExactWindows {
  int anchor, width;
  static constexpr int kMost = 39;
  ORDO_HD int of(int exponent) const { return (exponent - anchor) / width; }
  ORDO_HD int base(int window) const { return anchor + window * width; }
  ORDO_HD int infinities() const { return of(kExactNotFinite - 1) + 1; }
};

/// Windows for so many items, one of which ends with the exponent `top`. 2^h addends, all items and the old content,
/// of less than 2^(23 + width) stay below 2^62.
ORDO_HD ExactWindows exact_windows(int top, int64_t items) {
  const int headroom = exact_detail::highest_bit(uint64_t(items)) + 1;
  ExactWindows windows{top, 39 - headroom < 32 ? 39 - headroom : 32};
  windows.anchor = top + 1 - (top + windows.width - 1) / windows.width * windows.width;  // at most 1
  return windows;
}

/// A window can take the old content, too, when that is at most so many exponents above its base.
inline constexpr unsigned kExactReach = 38;

/// A finite v in the units of the window that begins with exponent `base`, at most its own and at least kExactReach
/// less: a whole number of them.
ORDO_HD int64_t exact_addend(float v, int base) { return int64_t(double(v) * exact_detail::power_of_two(150 - base)); }
/// What an infinity or NaN adds to the window of infinities: a NaN is one of each sign.
ORDO_HD int64_t exact_not_finite(float v) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return (v == -kInfinity ? 0 : 1) + (v == kInfinity ? 0 : exact_detail::kMinusInfinity);
}

/// What becomes of an element with the old content `old`. sum(w) is that of its values in window w, lowest <= w <=
/// highest; there are none in others. Values whose sum is zero leave the old content as it is, bit for bit.
template <class T, class Sum>
ORDO_HD T exact_result(T old, const ExactWindows& windows, int lowest, int highest, const Sum& sum) {
  const float before = float(old);
  const int exponent = exact_exponent(before), base = windows.base(lowest);
  if (lowest == highest && (before == 0 || unsigned(exponent - base) <= kExactReach)) {
    const int64_t total = sum(lowest) + (before == 0 ? 0 : exact_addend(before, base));
    return total == 0 && before == 0 ? old : exact_detail::round_once<T>(total, base - 150);
  }
  int64_t addend = 0;
  int own = highest;  // the window of the old content
  const int from = lowest, to = highest;
  if (before != 0) {
    own = windows.of(exponent);
    addend = exact_addend(before, windows.base(own));
    lowest = own < lowest ? own : lowest;
    highest = own > highest ? own : highest;
  }
  const auto all = [&](int w) { return (w >= from && w <= to ? sum(w) : 0) + (w == own ? addend : 0); };
  // What the windows below w add to it, rounded down, and whether that leaves a rest.
  const int64_t digit = (int64_t(1) << windows.width) - 1;
  const auto carry = [&](int w, bool& rest) {
    int64_t over = 0;
    rest = false;
    for (int below = lowest; below < w; ++below) {
      const int64_t here = all(below) + over;
      rest |= (here & digit) != 0;
      over = here >> windows.width;
    }
    return over;
  };
  // Down from the highest window, until nothing is left or 30 bits are known, more than any format keeps.
  int w = highest;
  bool rest;
  int64_t total = all(w) + carry(w, rest);
  const int64_t enough = int64_t(1) << (62 - windows.width);
  while (rest && total < enough && total > -enough) {
    --w;
    const int64_t over = carry(w, rest);
    total = total * (digit + 1) + ((all(w) + over) & digit);
  }
  if (total == 0) return before == 0 ? old : T(0.0f);
  return exact_detail::round_once<T>(rest ? total | 1 : total, windows.base(w) - 150);
}

/// The same with infinities or NaNs among the values or in the old content. `counts` is the window of infinities' sum.
template <class T>
ORDO_HD T exact_not_finite_result(T old, int64_t counts) {
  using F = exact_detail::Format<T>;
  if (float(old) != float(old)) return old;
  if (exact_exponent(float(old)) == kExactNotFinite) counts += exact_not_finite(float(old));
  const bool plus = uint32_t(counts) != 0, minus = uint64_t(counts) >> 32 != 0;
  return F::make(plus && minus ? F::nan : minus ? F::infinity | F::sign : F::infinity);
}

}  // namespace ordo::kernels
