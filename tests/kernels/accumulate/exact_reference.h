// Ordering rule 5 as docs/ordering.md states it, in 128-bit integers and plain loops; and true sums, to which no bit is
// lost.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <ordo/engine/dtype.h>

namespace ordo::test {

__extension__ using Int128 = __int128;

/// All finite values of T that are not negative, ascending: those of 16-bit types are few enough to look through.
template <class T>
std::vector<T> all_magnitudes() {
  std::vector<T> all;
  for (unsigned bits = 0; bits < 0x8000; ++bits) {
    T t;
    t.bits = uint16_t(bits);
    if (std::isfinite(float(t))) all.push_back(t);
  }
  return all;
}

/// v to the nearest T, ties to even. A long double holds any 64-bit multiple of a power of two.
template <class T>
T nearest(long double v) {
  if constexpr (std::is_same_v<T, float>) {
    return float(v);
  } else {
    static const std::vector<T> all = all_magnitudes<T>();
    const long double m = std::fabs(v);
    // The first infinity stands where the next finite value would be.
    const long double top = float(all.back()), beyond = top + (top - (long double)float(all[all.size() - 2]));
    size_t low = 0, high = all.size();
    while (high - low > 1) {
      const size_t middle = (low + high) / 2;
      ((long double)float(all[middle]) <= m ? low : high) = middle;
    }
    const long double under = float(all[low]), over = high < all.size() ? (long double)float(all[high]) : beyond;
    const bool up = m - under > over - m || (m - under == over - m && low % 2 == 1);
    T t = all[low];
    t.bits = uint16_t(low + up);  // the bits of magnitudes count them
    if (std::signbit(v)) t.bits |= 0x8000;
    return t;
  }
}

/// v / 2^quantum to the nearest integer, ties to even, by shifts.
inline Int128 in_quanta(float v, int quantum) {
  const uint32_t bits = std::bit_cast<uint32_t>(v), field = bits >> 23 & 0xff;
  const Int128 significand = Int128((bits & 0x7fffff) | (field ? 0x800000 : 0));
  const int shift = int(field ? field : 1) - 150 - quantum;
  Int128 magnitude = 0;
  if (shift >= 0) {
    magnitude = significand << shift;
  } else if (shift > -30) {
    const Int128 unit = Int128(1) << -shift, rest = significand % unit;
    magnitude = significand / unit;
    if (2 * rest > unit || (2 * rest == unit && magnitude % 2 == 1)) ++magnitude;
  }
  return bits >> 31 ? -magnitude : magnitude;
}

/// old + the values, by rule 5, as one of `items` items' destinations.
template <class T>
T rule5(T old, const std::vector<float>& values, int64_t items) {
  bool zeros = true, plus = false, minus = false, nan = false;
  float largest = 0;
  const auto look = [&](float v) {
    nan |= std::isnan(v);
    plus |= std::isinf(v) && v > 0;
    minus |= std::isinf(v) && v < 0;
    largest = std::max(largest, std::fabs(v));
  };
  for (float v : values) {
    zeros &= v == 0;
    look(v);
  }
  if (zeros || std::isnan(float(old))) return old;
  look(float(old));
  if (nan || (plus && minus)) return T(std::numeric_limits<float>::quiet_NaN());
  if (plus || minus) return T(plus ? largest : -largest);

  int headroom = 0;  // so that 2^headroom > items
  while (int64_t(1) << headroom <= items) ++headroom;
  const int field = std::max(1, int(std::bit_cast<uint32_t>(largest) >> 23));
  const int quantum = field - 126 - (63 - headroom);
  Int128 sum = 0;
  for (float v : values) sum += in_quanta(v, quantum);
  if (sum == 0) return old;
  sum += in_quanta(float(old), quantum);
  if (sum == 0) return T(0.f);
  return nearest<T>(std::ldexp((long double)(int64_t(sum)), quantum));
}

/// A sum of floats in which every bit has its place: multiples of 2^-149 in digits of 32 bits.
class TrueSum {
 public:
  void add(float v) {
    const uint32_t bits = std::bit_cast<uint32_t>(v), field = bits >> 23 & 0xff;
    const uint64_t significand = (bits & 0x7fffff) | (field ? 0x800000 : 0);
    const int at = field ? int(field) - 1 : 0;
    const uint64_t low = significand << at % 32;
    const int64_t sign = bits >> 31 ? -1 : 1;
    digits_[at / 32] += sign * int64_t(uint32_t(low));
    digits_[at / 32 + 1] += sign * int64_t(low >> 32);
  }
  /// The sum to the nearest float, ties to even. No subnormal results, no overflow.
  float rounded() const {
    int64_t d[kDigits];
    bool negative = false;
    carry(digits_, d);
    if (d[kDigits - 1] < 0) {
      negative = true;
      int64_t opposite[kDigits];
      for (int i = 0; i < kDigits; ++i) opposite[i] = -d[i];
      carry(opposite, d);
    }
    int top = kDigits - 1;
    while (top >= 0 && d[top] == 0) --top;
    if (top < 0) return 0;
    // Three digits hold the leading 24 bits and more than one below; what follows only matters by not being zero.
    long double v = 0;
    for (int i = top; i > top - 2 && i >= 0; --i) v += std::ldexp((long double)d[i], 32 * i - 149);
    bool sticky = false;
    for (int i = top - 2; i >= 0; --i) sticky |= d[i] != 0;
    if (sticky) v += std::ldexp(1.0L, 32 * (top - 1) - 149 - 1);
    return negative ? -float(v) : float(v);
  }

 private:
  static constexpr int kDigits = 12;
  // All digits but the last into [0, 2^32).
  static void carry(const int64_t* from, int64_t* to) {
    int64_t over = 0;
    for (int i = 0; i < kDigits; ++i) {
      const int64_t digit = from[i] + over;
      over = i + 1 < kDigits ? digit >> 32 : 0;
      to[i] = i + 1 < kDigits ? digit & 0xffffffff : digit;
    }
  }
  int64_t digits_[kDigits] = {};
};

}  // namespace ordo::test
