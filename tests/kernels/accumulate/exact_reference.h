// Ordering rule 5 as docs/ordering.md states it, in plain loops over sums to which no bit is lost.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <ordo/engine/tensor/dtype.h>

namespace ordo::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
auto bits(T v) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>(v);
}

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
  bool zero() const {
    int64_t d[kDigits];
    carry(digits_, d);
    return std::all_of(d, d + kDigits, [](int64_t digit) { return digit == 0; });
  }
  /// The sum to the nearest T, ties to even.
  template <class T>
  T rounded() const {
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
    if (top < 0) return T(0.0f);
    // Two digits hold the leading 24 bits and more than one below; what follows only matters by not being zero, which
    // the last bit of these says. A long double holds all 64.
    for (int i = top - 2; i >= 0; --i)
      if (d[i] != 0) d[top - 1] |= 1;
    long double v = 0;
    for (int i = top; i > top - 2 && i >= 0; --i) v += std::ldexp((long double)d[i], 32 * i - 149);
    return nearest<T>(negative ? -v : v);
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

/// old + the values, by rule 5.
template <class T>
T rule5(T old, const std::vector<float>& values) {
  if (std::isnan(float(old))) return old;
  bool plus = false, minus = false, nan = false;
  TrueSum sum;
  const auto add = [&](float v) {
    nan |= std::isnan(v);
    plus |= std::isinf(v) && v > 0;
    minus |= std::isinf(v) && v < 0;
    if (std::isfinite(v)) sum.add(v);
  };
  for (float v : values) add(v);
  if (sum.zero() && !nan && !plus && !minus) return old;
  add(float(old));
  if (nan || (plus && minus)) return T(kNan);
  if (plus || minus) return T(plus ? kInf : -kInf);
  return sum.rounded<T>();
}

}  // namespace ordo::test
