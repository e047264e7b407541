// Functions of two operands where samples do not go: signs, zeros, infinities, NaN, ends of ranges, and dtypes.
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <ordo/kernels/math/math.h>
#include "tests/support/op_samples.h"

namespace ordo::test::binary_functions_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

using Function = Tensor (*)(const Tensor&, const Tensor&);

template <class T>
void expect(const char* name, Function f, const std::vector<T>& a, const std::vector<T>& b,
            const std::vector<double>& want) {
  for (Device device : test_devices()) {
    const Dims sizes{int64_t(a.size())};
    const Tensor x = from_vector(a, sizes).to(device), y = from_vector(b, sizes).to(device);
    const std::vector<double> got = f(x, y).template to_vector<double>();
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(std::isnan(want[i]) ? std::isnan(got[i]) : got[i] == want[i])
          << name << "(" << double(a[i]) << ", " << double(b[i]) << ") is " << got[i] << ", not " << want[i] << " on "
          << device.str();
  }
}
#define EXPECT_FUNCTION(name, T, ...) \
  expect<T>(                          \
      #name, [](const Tensor& a, const Tensor& b) { return name(a, b); }, __VA_ARGS__)

TEST(BinaryFunctions, divisions_of_integers) {
  constexpr int32_t least = std::numeric_limits<int32_t>::min();
  const std::vector<int32_t> a = {7, -7, 7, -7, 6, -6, 5, least, least, 0}, b = {3, 3, -3, -3, 3, 3, 0, -1, 0, 5};
  EXPECT_FUNCTION(fmod, int32_t, a, b, {1, -1, 1, -1, 0, 0, 0, 0, 0, 0});
  EXPECT_FUNCTION(remainder, int32_t, a, b, {1, 2, -2, -1, 0, 0, 0, 0, 0, 0});
  EXPECT_FUNCTION(floor_divide, int32_t, a, b, {2, -3, -3, 2, 2, -2, 0, double(least), 0, 0});
  EXPECT_FUNCTION(remainder, uint8_t, {250, 7, 9}, {7, 250, 0}, {5, 7, 0});
  EXPECT_FUNCTION(floor_divide, uint8_t, {250, 7, 9}, {7, 250, 0}, {35, 0, 0});
}

TEST(BinaryFunctions, divisions_of_floating_numbers) {
  const std::vector<double> a = {7, -7, 7, -7, 1, 5, -5, kInfinity, 3, -3, 0, kNan, 1e300},
                            b = {3, 3, -3, -3, 0.1, 0, 0, 2, kInfinity, kInfinity, 3, 1, 7};
  EXPECT_FUNCTION(fmod, double, a, b,
                  {1, -1, 1, -1, std::fmod(1, 0.1), kNan, kNan, kNan, 3, -3, 0, kNan, std::fmod(1e300, 7)});
  // As Python's % and //.
  EXPECT_FUNCTION(remainder, double, a, b,
                  {1, 2, -2, -1, std::fmod(1, 0.1), kNan, kNan, kNan, 3, kInfinity, 0, kNan, std::fmod(1e300, 7)});
  EXPECT_FUNCTION(floor_divide, double, a, b,
                  {2, -3, -3, 2, 9, kInfinity, -kInfinity, kNan, 0, -1, 0, kNan, (1e300 - std::fmod(1e300, 7)) / 7});
}

TEST(BinaryFunctions, fmod_is_exact) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t x = random(), y = i % 3 == 0 ? x ^ (random() >> 20) : random();
    const double a = std::bit_cast<double>(x), b = std::bit_cast<double>(y), want = std::fmod(a, b);
    const double got = math::fmod(a, b);
    ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : std::bit_cast<uint64_t>(got) == std::bit_cast<uint64_t>(want))
        << a << " " << b << ": " << got << ", not " << want;
    const float c = std::bit_cast<float>(uint32_t(x)), d = std::bit_cast<float>(uint32_t(y)), exact = std::fmod(c, d);
    ASSERT_TRUE(std::isnan(exact) ? std::isnan(math::fmod(c, d)) : math::fmod(c, d) == exact) << c << " " << d;
  }
  EXPECT_EQ(math::fmod(1.0, 5e-324), 0);
  EXPECT_EQ(math::fmod(0x1p-1074 * 7, 0x1p-1074 * 3), 0x1p-1074);
  EXPECT_TRUE(std::signbit(math::fmod(-4.0, 2.0)));
}

TEST(BinaryFunctions, infinities_zeros_and_nan) {
  EXPECT_FUNCTION(fmax, double, {1, kNan, 2, kNan, -kInfinity}, {2, 1, kNan, kNan, -1}, {2, 1, 2, kNan, -1});
  EXPECT_FUNCTION(fmin, double, {1, kNan, 2, kNan, -kInfinity}, {2, 1, kNan, kNan, -1}, {1, 1, 2, kNan, -kInfinity});
  EXPECT_FUNCTION(hypot, double, {1e300, 0, kInfinity, kNan, kNan, 3e-320}, {1e300, 0, kNan, -kInfinity, 1, 4e-320},
                  {std::hypot(1e300, 1e300), 0, kInfinity, kInfinity, kNan, 5e-320});
  EXPECT_FUNCTION(hypot, float, {3e38f, INFINITY, 3}, {1e38f, NAN, 4},
                  {double(std::hypot(3e38f, 1e38f)), kInfinity, 5});
  EXPECT_FUNCTION(logaddexp, double, {kInfinity, -kInfinity, -kInfinity, 1000, kNan, 0},
                  {kInfinity, -kInfinity, 3, 0, 1, 0}, {kInfinity, -kInfinity, 3, 1000, kNan, std::log(2)});
  EXPECT_FUNCTION(xlogy, double, {0, 0, 0, 2, 2, kNan}, {0, -1, kNan, 0, -1, 1}, {0, 0, kNan, -kInfinity, kNan, kNan});
  EXPECT_FUNCTION(copysign, double, {1, -1, 0, kInfinity}, {-0.0, 0, -5, -1}, {-1, 1, -0.0, -kInfinity});
}

TEST(BinaryFunctions, dtypes) {
  const Tensor flags = tensor<bool>({true, false}), bytes = tensor<uint8_t>({6, 3}), x = tensor<float>({1.5f, 2});
  EXPECT_EQ(bitwise_xor(flags, tensor<bool>({true, true})).dtype(), boolean);
  EXPECT_EQ(bitwise_and(bytes, 5).to_vector<int>(), (std::vector<int>{4, 1}));
  EXPECT_EQ(bitwise_or(bytes, tensor<int64_t>({8, 8})).dtype(), int64);
  EXPECT_EQ(hypot(bytes, 8).dtype(), float32);
  EXPECT_EQ((bytes % 4).to_vector<int>(), (std::vector<int>{2, 3}));
  EXPECT_EQ((7 % bytes).to_vector<int>(), (std::vector<int>{1, 1}));
  EXPECT_ORDO_ERROR(fmod(flags, flags), DTypeError, "[fmod]");
}

}  // namespace
}  // namespace ordo::test::binary_functions_test
