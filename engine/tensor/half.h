// Half and BFloat16: 16-bit storage types. Arithmetic happens in float; a store rounds to nearest, ties to even.
// The conversions are the same bits on every host and device.
#pragma once

#include <bit>
#include <cstdint>

#include <ordo/engine/tensor/host_device.h>

namespace ordo {

namespace detail {

ORDO_HD uint32_t float_bits(float v) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(v);
#else
  return std::bit_cast<uint32_t>(v);
#endif
}

ORDO_HD float bits_float(uint32_t v) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(v);
#else
  return std::bit_cast<float>(v);
#endif
}

ORDO_HD float half_to_float(uint16_t h) {
#if defined(__CUDA_ARCH__)
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
#else
  const uint32_t sign = uint32_t(h & 0x8000u) << 16, rest = h & 0x7fffu;
  if (rest >= 0x7c00u)
    return bits_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13 | (rest > 0x7c00u ? 0x400000u : 0u));
  // Exact: a half's significand and exponent fit a float's; subnormals become normal by the multiplication.
  return bits_float(sign | float_bits(bits_float(rest << 13) * 0x1p112f));
#endif
}

ORDO_HD uint16_t float_to_half(float f) {
#if defined(__CUDA_ARCH__)
  uint16_t h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return (f != f) ? uint16_t((float_bits(f) >> 16 & 0x8000u) | 0x7e00u) : h;
#else
  const uint32_t bits = float_bits(f), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return uint16_t(sign | 0x7e00u);
  if (rest >= 0x477ff000u) return uint16_t(sign | 0x7c00u);  // rounds to 2^16 or more
  if (rest < 0x38800000u) {  // subnormal: adding 0.5 leaves units of 2^-24 in the low bits
    return uint16_t(sign | (float_bits(bits_float(rest) + 0.5f) - 0x3f000000u));
  }
  const uint32_t rounded = rest + 0xfffu + (rest >> 13 & 1u);
  return uint16_t(sign | (rounded - 0x38000000u) >> 13);
#endif
}

ORDO_HD float bfloat16_to_float(uint16_t b) { return bits_float(uint32_t(b) << 16); }

ORDO_HD uint16_t float_to_bfloat16(float f) {
  const uint32_t bits = float_bits(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return uint16_t((bits >> 16 & 0x8000u) | 0x7fc0u);
  return uint16_t((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace detail

/// IEEE binary16.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  ORDO_HD Half(float v) : bits(detail::float_to_half(v)) {}
  ORDO_HD operator float() const { return detail::half_to_float(bits); }
};

/// bfloat16: the upper half of a binary32.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  ORDO_HD BFloat16(float v) : bits(detail::float_to_bfloat16(v)) {}
  ORDO_HD operator float() const { return detail::bfloat16_to_float(bits); }
};

}  // namespace ordo
