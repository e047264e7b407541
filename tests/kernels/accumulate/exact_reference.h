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

/// A sum in which every bit has its place: multiples of 2^lowest in digits of 32 bits.
template <int lowest, int digits>
class TrueDigits {
 public:
  bool zero() const {
    int64_t d[digits];
    carry(digits_, d);
    return std::all_of(d, d + digits, [](int64_t digit) { return digit == 0; });
  }
  /// The sum to the nearest T, ties to even.
  template <class T>
  T rounded() const {
    int64_t d[digits];
    bool negative = false;
    carry(digits_, d);
    if (d[digits - 1] < 0) {
      negative = true;
      int64_t opposite[digits];
      for (int i = 0; i < digits; ++i) opposite[i] = -d[i];
      carry(opposite, d);
    }
    int top = digits - 1;
    while (top >= 0 && d[top] == 0) --top;
    if (top < 0) return T(0.0f);
    // Two digits hold the leading 24 bits and more than one below; what follows only matters by not being zero, which
    // the last bit of these says. A long double holds all 64.
    for (int i = top - 2; i >= 0; --i)
      if (d[i] != 0) d[top - 1] |= 1;
    long double v = 0;
    for (int i = top; i > top - 2 && i >= 0; --i) v += std::ldexp((long double)d[i], 32 * i + lowest);
    return nearest<T>(negative ? -v : v);
  }

 protected:
  /// sign * significand * 2^(lowest + place)
  void add_bits(uint64_t significand, int place, int64_t sign) {
    const auto wide = static_cast<unsigned __int128>(significand) << place % 32;
    for (int i = 0; i < 3; ++i) digits_[place / 32 + i] += sign * int64_t(uint32_t(wide >> 32 * i));
  }

 private:
  // All digits but the last into [0, 2^32).
  static void carry(const int64_t* from, int64_t* to) {
    int64_t over = 0;
    for (int i = 0; i < digits; ++i) {
      const int64_t digit = from[i] + over;
      over = i + 1 < digits ? digit >> 32 : 0;
      to[i] = i + 1 < digits ? digit & 0xffffffff : digit;
    }
  }
  int64_t digits_[digits] = {};
};

/// What a float is made of.
struct FloatParts {
  explicit FloatParts(float v) {
    const uint32_t bits = std::bit_cast<uint32_t>(v), field = bits >> 23 & 0xff;
    significand = (bits & 0x7fffff) | (field ? 0x800000 : 0);
    place = field ? int(field) - 1 : 0;
    sign = bits >> 31 ? -1 : 1;
  }
  uint64_t significand;
  int place;  ///< 0 is 2^-149
  int64_t sign;
};

/// Of floats.
class TrueSum : public TrueDigits<-149, 12> {
 public:
  void add(float v) {
    const FloatParts parts(v);
    add_bits(parts.significand, parts.place, parts.sign);
  }
};

/// Of products of floats.
class TrueProducts : public TrueDigits<-298, 22> {
 public:
  void add(float a, float b) {
    const FloatParts x(a), y(b);
    add_bits(x.significand * y.significand, x.place + y.place, x.sign * y.sign);
  }
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

/// The sum of a[i] b[i], by rule 5.
template <class T>
T rule5_of_products(const std::vector<float>& a, const std::vector<float>& b) {
  TrueProducts sum;
  double plain = 0;  // infinities, NaNs and signs of zeros are those of a plain sum
  bool negative_zero = true, finite = true;
  for (size_t i = 0; i < a.size(); ++i) {
    const double product = double(a[i]) * double(b[i]);
    plain += product;
    negative_zero &= product == 0 && std::signbit(product);
    finite &= std::isfinite(product);
    if (std::isfinite(product)) sum.add(a[i], b[i]);
  }
  if (!finite) return std::isnan(plain) ? T(kNan) : T(plain > 0 ? kInf : -kInf);
  return sum.zero() ? T(negative_zero && !a.empty() ? -0.0f : 0.0f) : sum.rounded<T>();
}

}  // namespace ordo::test
