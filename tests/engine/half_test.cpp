// Half and BFloat16 against the definition of their formats.
#include <gtest/gtest.h>

#include <cmath>

#include <ordo/engine/run/philox.h>
#include <ordo/engine/tensor/half.h>

namespace ordo {
namespace {

double value_of(uint16_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int e = bits >> mantissa_bits & ((1 << exponent_bits) - 1), m = bits & ((1 << mantissa_bits) - 1);
  const double sign = bits >> 15 ? -1 : 1;
  if (e == (1 << exponent_bits) - 1) return m ? NAN : sign * INFINITY;
  return sign * (e ? std::ldexp(1 + m * std::ldexp(1.0, -mantissa_bits), e - bias)
                   : std::ldexp(m * std::ldexp(1.0, -mantissa_bits), 1 - bias));
}

template <class T>
void check_all_values(int exponent_bits, int mantissa_bits) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    T t;
    t.bits = uint16_t(bits);
    const double want = value_of(uint16_t(bits), exponent_bits, mantissa_bits);
    const float got = t;
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got)) << bits;
      EXPECT_TRUE(std::isnan(float(T(got)))) << bits;
    } else {
      ASSERT_EQ(double(got), want) << bits;
      ASSERT_EQ(T(got).bits, bits) << "a value does not survive the round trip";
    }
  }
}

TEST(Half, every_value) { check_all_values<Half>(5, 10); }
TEST(BFloat16, every_value) { check_all_values<BFloat16>(8, 7); }

/// Rounds by looking at both neighbours: nearest, ties to the even mantissa.
template <class T>
void check_rounding(int exponent_bits, int mantissa_bits, float largest) {
  for (uint64_t i = 0; i < 200000; ++i) {
    const PhiloxBlock b = philox(1, 2, i);
    float f = detail::bits_float(b.v[0]);
    if (i % 2) f = std::ldexp(float(b.v[1]) - 0x1p31f, -31 + int(b.v[2] % 48) - 32);  // around the small numbers
    if (!(std::fabs(f) < largest)) continue;
    const uint16_t got = T(f).bits;
    const double g = value_of(got, exponent_bits, mantissa_bits);
    for (int step : {-1, 1}) {
      const double other = value_of(uint16_t(got + step), exponent_bits, mantissa_bits);
      if (std::isnan(other) || (got + step) >> 15 != got >> 15) continue;
      const double here = std::fabs(g - f), there = std::fabs(other - f);
      ASSERT_TRUE(here < there || (here == there && got % 2 == 0)) << f << " became " << g << ", not " << other;
    }
  }
}

TEST(Half, rounds_to_nearest_even) { check_rounding<Half>(5, 10, 65504.0f); }
TEST(BFloat16, rounds_to_nearest_even) { check_rounding<BFloat16>(8, 7, 3e38f); }

TEST(Half, overflow_and_signs) {
  EXPECT_EQ(Half(65519.0f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half(-INFINITY).bits, 0xfc00);
  EXPECT_EQ(Half(-0.0f).bits, 0x8000);
  EXPECT_EQ(BFloat16(3.4e38f).bits, 0x7f80);
  EXPECT_EQ(BFloat16(-0.0f).bits, 0x8000);
}

}  // namespace
}  // namespace ordo
