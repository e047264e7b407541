// Halves and floats, as the hardware converts them: to nearest, ties to even.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace ordo::ptx {

/// A float of 16 bits, with so many of them for the exponent.
template <int kExponentBits>
struct Small {
  uint16_t bits = 0;

  static constexpr int kFraction = 15 - kExponentBits, kBias = (1 << (kExponentBits - 1)) - 1;

  static Small from(float v) {
    const uint32_t f = std::bit_cast<uint32_t>(v);
    const auto sign = uint16_t(f >> 16 & 0x8000);
    if (v != v) return {0x7fff};
    constexpr uint16_t kInfinity = uint16_t(((1 << kExponentBits) - 1) << kFraction);
    if (std::isinf(v)) return {uint16_t(sign | kInfinity)};
    if (v == 0) return {sign};
    int exponent = 0;
    std::frexp(v, &exponent);                  // |v| in [2^(exponent - 1), 2^exponent)
    const int lowest = 1 - kBias - kFraction;  // of subnormal numbers
    const int last = std::max(exponent - 1 - kFraction, lowest);
    const double units = std::nearbyint(std::ldexp(std::fabs(double(v)), -last));
    // Subnormal numbers have the exponent field 0, and units below 2^fraction. A carry goes to the next exponent.
    const auto magnitude = uint32_t(last - lowest) * (1u << kFraction) + uint32_t(units);
    return {uint16_t(sign | (magnitude > kInfinity ? kInfinity : magnitude))};
  }
  explicit operator float() const {
    const int exponent = bits >> kFraction & ((1 << kExponentBits) - 1), fraction = bits & ((1 << kFraction) - 1);
    if (exponent == (1 << kExponentBits) - 1)
      return std::bit_cast<float>(uint32_t(bits & 0x8000) << 16 | 0x7f800000u | (fraction != 0 ? 0x007fffffu : 0u));
    const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - kBias - kFraction)
                                           : std::ldexp(fraction + (1 << kFraction), exponent - kBias - kFraction);
    return float(bits & 0x8000 ? -magnitude : magnitude);
  }
};
using Float16 = Small<5>;
using BFloat16 = Small<8>;

}  // namespace ordo::ptx
