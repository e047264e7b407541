// math.h against the host's long double functions: the largest error seen, in units in the last place, over dense
// sweeps with fixed seeds. The limits are maxima, rounded up: of float over every 13th argument, of double over two
// million.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include <ordo/engine/tensor/half.h>
#include <ordo/kernels/math/math.h>

namespace ordo::math {
namespace {

using Exact = long double (*)(long double);

/// As frexp has it, but at least `least`.
int exponent_of(long double v, int least) {
  int own = least;
  if (v != 0) frexpl(v, &own);
  return std::max(own, least);
}

template <class T>
double error_in_ulp(T got, long double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : INFINITY;
  const T rounded = T(want);
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : INFINITY;
  const int exponent = exponent_of(want, std::numeric_limits<T>::min_exponent);
  return double(fabsl(static_cast<long double>(got) - want) / ldexpl(1, exponent - std::numeric_limits<T>::digits));
}

/// Uniform arguments in [low, high], every fourth with a uniform exponent instead, down to subnormals.
template <class T, class F>
double largest_error(F f, Exact exact, double low, double high) {
  std::mt19937_64 random(7);
  const double most = std::log2(std::max(std::abs(low), std::abs(high)));
  std::uniform_real_distribution<double> uniform(low, high), exponent(std::numeric_limits<T>::min_exponent - 20, most);
  double worst = 0;
  for (int i = 0; i < 100000; ++i) {
    T x = T(uniform(random));
    if (i % 4 == 3) x = T(std::copysign(std::exp2(exponent(random)), low + high > 0 ? 1.0 : uniform(random)));
    if (x < T(low) || x > T(high)) continue;
    worst = std::max(worst, error_in_ulp(f(x), exact(x)));
  }
  return worst;
}

#define EXPECT_FLOAT_ACCURATE(function, exact, low, high, limit)                                  \
  EXPECT_LE((largest_error<float>([](float x) { return function(x); }, exact, low, high)), limit) \
      << #function " of float"
#define EXPECT_DOUBLE_ACCURATE(function, exact, low, high, limit)                                   \
  EXPECT_LE((largest_error<double>([](double x) { return function(x); }, exact, low, high)), limit) \
      << #function " of double"
#define EXPECT_ACCURATE(function, exact, float_low, float_high, float_limit, double_low, double_high, limit) \
  EXPECT_FLOAT_ACCURATE(function, exact, float_low, float_high, float_limit);                                \
  EXPECT_DOUBLE_ACCURATE(function, exact, double_low, double_high, limit)

constexpr long double kSqrtHalf = 0.70710678118654752440L, kSqrtTwoOverPi = 0.79788456080286535588L;

TEST(Math, exp) {
  EXPECT_FLOAT_ACCURATE(exp, expl, -104, 89, 1.03);
  EXPECT_FLOAT_ACCURATE(exp, expl, -2, 2, 1.03);
  EXPECT_DOUBLE_ACCURATE(exp, expl, -745.5, 710, 0.86);
  EXPECT_DOUBLE_ACCURATE(exp, expl, -2, 2, 0.86);
  EXPECT_ACCURATE(expm1, expm1l, -20, 89, 1, -40, 710, 1.5);
  EXPECT_ACCURATE(expm1, expm1l, -1, 1, 1, -1, 1, 1.5);
}

TEST(Math, rsqrt) {
  const Exact exact_rsqrt = [](long double x) { return 1 / sqrtl(x); };
  EXPECT_FLOAT_ACCURATE(rsqrt, exact_rsqrt, 0, 1e30, 1.5);
  EXPECT_DOUBLE_ACCURATE(rsqrt, exact_rsqrt, 0, 1e300, 1.5);
}

TEST(Math, log) {
  EXPECT_ACCURATE(log, logl, 0, 1e30, 1, 0, 1e300, 0.85);
  EXPECT_ACCURATE(log, logl, 0.5, 2, 1, 0.5, 2, 0.85);
  EXPECT_ACCURATE(log1p, log1pl, -1, 10, 1, -1, 10, 0.85);
  EXPECT_ACCURATE(log1p, log1pl, 0, 1e30, 1, 0, 1e300, 0.85);
}

TEST(Math, bases_2_and_10) {
  EXPECT_FLOAT_ACCURATE(exp2, exp2l, -151, 129, 1);
  EXPECT_FLOAT_ACCURATE(exp2, exp2l, -2, 2, 1);
  EXPECT_DOUBLE_ACCURATE(exp2, exp2l, -1075, 1025, 0.86);
  EXPECT_DOUBLE_ACCURATE(exp2, exp2l, -2, 2, 0.86);
  EXPECT_ACCURATE(log2, log2l, 0, 1e30, 1, 0, 1e300, 0.86);
  EXPECT_ACCURATE(log2, log2l, 0.5, 2, 1.1, 0.5, 2, 0.86);
  EXPECT_ACCURATE(log10, log10l, 0, 1e30, 1, 0, 1e300, 0.86);
  EXPECT_ACCURATE(log10, log10l, 0.5, 2, 1, 0.5, 2, 0.86);
  for (int n = -1074; n < 1024; ++n) {
    EXPECT_EQ(exp2(double(n)), std::exp2(n));
    EXPECT_EQ(log2(std::exp2(n)), n);
  }
  for (int n = -151; n <= 129; ++n) EXPECT_EQ(exp2(float(n)), float(std::exp2(n)));
  double power = 1;
  for (int n = 0; n <= 22; ++n, power *= 10) EXPECT_EQ(log10(power), n);
}

TEST(Math, hyperbolic) {
  EXPECT_ACCURATE(sinh, sinhl, -89, 89, 1.8, -710, 710, 2.5);
  EXPECT_ACCURATE(sinh, sinhl, -2, 2, 1.8, -2, 2, 2.5);
  EXPECT_ACCURATE(cosh, coshl, -89, 89, 1.8, -710, 710, 2.5);
  EXPECT_ACCURATE(asinh, asinhl, -1e30, 1e30, 1.8, -1e300, 1e300, 2.5);
  EXPECT_ACCURATE(asinh, asinhl, -2, 2, 1.8, -2, 2, 2.5);
  EXPECT_ACCURATE(acosh, acoshl, 1, 1e30, 2.3, 1, 1e300, 2.5);
  EXPECT_ACCURATE(acosh, acoshl, 1, 2, 2.3, 1, 2, 2.5);
  EXPECT_ACCURATE(atanh, atanhl, -1, 1, 1, -1, 1, 2.5);
}

TEST(Math, sin_and_cos) {
  for (double range : {10.0, 1e6, 1e15}) {
    EXPECT_ACCURATE(sin, sinl, -range, range, 1, -range, range, 0.87);
    EXPECT_ACCURATE(cos, cosl, -range, range, 1, -range, range, 0.87);
  }
  EXPECT_ACCURATE(sin, sinl, -3e38, 3e38, 1, -1, 1, 0.87);
  // Far beyond what x87's long double reduces well: known values (250 bits of mpmath).
  EXPECT_EQ(sin(1e22), -0.8522008497671888);
  EXPECT_EQ(cos(1e22), 0.523214785395139);
  EXPECT_EQ(sin(0x1.fffffffffffffp1023), 0.004961954789184062);
  EXPECT_EQ(cos(0x1.fffffffffffffp1023), -0.9999876894265599);
  EXPECT_EQ(sin(6381956970095103.0 * 0x1p797), 1.0);  // nearest double to a multiple of pi/2: 2^-61 away
  EXPECT_NEAR(cos(6381956970095103.0 * 0x1p797), -4.68716592425462761112e-19, 1e-34);
}

TEST(Math, tan) {
  for (double range : {2.0, 10.0, 1e6, 1e15}) {
    EXPECT_ACCURATE(tan, tanl, -range, range, 1.1, -range, range, 1.1);
  }
  EXPECT_DOUBLE_EQ(tan(1e22), -1.6287782256068988);  // 250 bits of mpmath, as for sin and cos
  EXPECT_DOUBLE_EQ(tan(6381956970095103.0 * 0x1p797), -2.133485385753704e+18);
}

TEST(Math, angles_of_sides) {
  EXPECT_ACCURATE(atan, atanl, -3, 3, 1, -3, 3, 0.75);
  EXPECT_ACCURATE(atan, atanl, -1e30, 1e30, 1, -1e300, 1e300, 0.75);
  EXPECT_ACCURATE(asin, asinl, -1, 1, 1, -1, 1, 0.8);
  EXPECT_ACCURATE(acos, acosl, -1, 1, 1, -1, 1, 0.9);
  EXPECT_ACCURATE(acos, acosl, 0.9, 1, 1, 0.9, 1, 0.95);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (double exponent : {0.0, 20.0, 300.0, 1000.0}) {
    double worst = 0, worst_float = 0;
    for (int i = 0; i < 100000; ++i) {
      const double y = unit(random) * std::exp2(exponent * unit(random)),
                   x = unit(random) * std::exp2(exponent * unit(random));
      worst = std::max(worst, error_in_ulp(atan2(y, x), atan2l(y, x)));
      const float v = float(y), u = float(x);
      if (exponent < 100) worst_float = std::max(worst_float, error_in_ulp(atan2(v, u), atan2l(v, u)));
    }
    EXPECT_LE(worst, 0.75) << exponent;
    EXPECT_LE(worst_float, 1);
  }
}

TEST(Math, erfc) {
  EXPECT_ACCURATE(erfc, erfcl, -6, 6, 1.8, -6, 6, 3);
  EXPECT_ACCURATE(erfc, erfcl, 0, 1, 1.8, 0, 1, 3);
  EXPECT_ACCURATE(erfc, erfcl, -1, 11, 1.8, -1, 28, 3);
}

TEST(Math, sigmoid_tanh_erf_gelu) {
  const Exact exact_sigmoid = [](long double x) { return 1 / (1 + expl(-x)); };
  EXPECT_FLOAT_ACCURATE(sigmoid, exact_sigmoid, -87, 20, 2.5);
  EXPECT_DOUBLE_ACCURATE(sigmoid, exact_sigmoid, -700, 40, 2);
  const Exact exact_silu = [](long double x) { return x / (1 + expl(-x)); };
  EXPECT_FLOAT_ACCURATE(silu, exact_silu, -87, 20, 2.5);
  EXPECT_DOUBLE_ACCURATE(silu, exact_silu, -700, 40, 2);
  EXPECT_ACCURATE(tanh, tanhl, -10, 10, 1, -20, 20, 2.5);
  EXPECT_ACCURATE(tanh, tanhl, -1, 1, 1, -1, 1, 2.5);
  EXPECT_ACCURATE(erf, erfl, -4, 4, 1, -6, 6, 2);
  const Exact exact_gelu = [](long double x) { return x / 2 * erfcl(-x * kSqrtHalf); };
  EXPECT_ACCURATE(gelu, exact_gelu, -13, 13, 1.8, -37, 13, 10);
  const Exact exact_gelu_tanh = [](long double x) {
    return x / (1 + expl(-2 * kSqrtTwoOverPi * (x + 0.044715L * x * x * x)));
  };
  EXPECT_ACCURATE(gelu_tanh, exact_gelu_tanh, -9, 13, 3, -1, 1, 4);  // below -1 the double form loses bits (math.h)
}

TEST(Math, lgamma_and_erfinv) {
  EXPECT_ACCURATE(lgamma, lgammal, 0, 12, 0.501, 0, 12, 2.5);
  EXPECT_ACCURATE(lgamma, lgammal, 0.9, 2.1, 0.501, 0.9, 2.1, 2.5);
  EXPECT_ACCURATE(lgamma, lgammal, 0, 1e30, 0.501, 0, 1e300, 2.5);
  for (double x : {-0.25, -1.5, -2.5, -33.3, -1e6 - 0.5})
    EXPECT_NEAR(lgamma(x), lgammal(x), 4e-16 * (1 + fabsl(lgammal(x))));
  // By Newton's method from the result: x is its own where erf agrees, the slope of erf being 2/sqrt(pi) exp(-x^2).
  const Exact exact_erfinv = [](long double y) {
    long double x = erfinv(double(y));
    for (int i = 0; i < 2; ++i) {
      const long double off = y > 0.5L ? (1 - y) - erfcl(x) : y < -0.5L ? erfcl(-x) - (1 + y) : erfl(x) - y;
      x -= off * expl(x * x) * 0.886226925452758013649L;
    }
    return x;
  };
  EXPECT_ACCURATE(erfinv, exact_erfinv, -0.999999, 0.999999, 0.501, -1, 1, 3);
  EXPECT_ACCURATE(erfinv, exact_erfinv, 0.999, 0.999999, 0.501, 0.999, 1, 3);
}

TEST(Math, pow) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  double worst = 0, worst_float = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = i % 2 ? std::exp2(2000 * unit(random) - 1000) : 0.5 + 1.5 * unit(random);
    const double y = (2 * unit(random) - 1) * 740 / std::log(x);
    worst = std::max(worst, error_in_ulp(pow(x, y), powl(x, y)));
    const float xf = float(x), yf = float(y * 0.13);
    if (xf > 0 && std::isfinite(xf)) worst_float = std::max(worst_float, error_in_ulp(pow(xf, yf), powl(xf, yf)));
  }
  EXPECT_LE(worst, 1.3);
  EXPECT_LE(worst_float, 0.501);
}

const double kSpecial[] = {0.0,        -0.0,        1,         -1,        2,     -2,     0.5,    -0.5,    3,
                           -3,         INFINITY,    -INFINITY, NAN,       1e308, -1e308, 5e-324, -5e-324, 0x1p52 + 1,
                           0x1p53 + 1, -0x1p52 - 1, 1.0000001, 0.9999999, 710,   -746,   2.5,    -1.5};

template <class T>
bool same(T got, T want) {
  if (std::isnan(want)) return std::isnan(got);
  if (want == 0 || std::isinf(want)) return got == want && std::signbit(got) == std::signbit(want);
  return std::abs(got - want) <= 8 * std::numeric_limits<T>::epsilon() * std::abs(want);
}

struct Special {
  const char* name;
  double (*f)(double), (*host)(double);
  float (*float_f)(float), (*float_host)(float);
};
#define WITH_STD(function) \
  Special { #function, function, std::function, function, std::function }

TEST(Math, special_values) {
  for (const Special& s : {WITH_STD(exp),  WITH_STD(expm1), WITH_STD(exp2),  WITH_STD(log2),  WITH_STD(log10),
                           WITH_STD(sinh), WITH_STD(cosh),  WITH_STD(asinh), WITH_STD(acosh), WITH_STD(atanh),
                           WITH_STD(log),  WITH_STD(log1p), WITH_STD(sin),   WITH_STD(cos),   WITH_STD(tan),
                           WITH_STD(asin), WITH_STD(acos),  WITH_STD(atan),  WITH_STD(erfc),  WITH_STD(tanh),
                           WITH_STD(erf),  WITH_STD(sqrt),  WITH_STD(floor), WITH_STD(ceil),  WITH_STD(abs)})
    for (double x : kSpecial) {
      EXPECT_TRUE(same(s.f(x), s.host(x))) << s.name << " of " << x << " is " << s.f(x);
      EXPECT_TRUE(same(s.float_f(float(x)), s.float_host(float(x)))) << s.name << " of float " << x;
    }
  for (double x : kSpecial)
    for (double y : kSpecial) {
      EXPECT_TRUE(same(pow(x, y), std::pow(x, y))) << "pow(" << x << ", " << y << ") is " << pow(x, y);
      const float a = float(x), b = float(y);
      EXPECT_TRUE(same(atan2(x, y), std::atan2(x, y))) << "atan2(" << x << ", " << y << ") is " << atan2(x, y);
      EXPECT_TRUE(same(atan2(a, b), std::atan2(a, b))) << "atan2 of float(" << x << ", " << y << ")";
      EXPECT_TRUE(same(pow(a, b), std::pow(a, b))) << "pow of float(" << x << ", " << y << ") is " << pow(a, b);
    }
  EXPECT_EQ(sigmoid(-INFINITY), 0.0);
  EXPECT_EQ(sigmoid(float(INFINITY)), 1.0f);
  EXPECT_EQ(gelu(-INFINITY), 0.0);
  EXPECT_EQ(gelu(INFINITY), INFINITY);
  EXPECT_EQ(gelu(float(INFINITY)), float(INFINITY));
  EXPECT_EQ(gelu_tanh(float(INFINITY)), float(INFINITY));
  for (float x : {-16.0f, -3e38f, -float(INFINITY)}) {
    EXPECT_TRUE(gelu(x) == 0 && std::signbit(gelu(x))) << x;
    EXPECT_TRUE(gelu_tanh(x) == 0 && std::signbit(gelu_tanh(x))) << x;
  }
  EXPECT_TRUE(std::isnan(gelu(NAN)) && std::isnan(gelu_tanh(NAN)) && std::isnan(sigmoid(NAN)));
  const float nan = float(NAN);
  EXPECT_TRUE(std::isnan(gelu(nan)) && std::isnan(gelu_tanh(nan)) && std::isnan(sigmoid(nan)) && std::isnan(silu(nan)));
}

/// All arguments of a half type: as rounded from the exact value, or beside a tie within what the float lacks.
template <class T>
void expect_half(const char* name, float (*f)(float), Exact exact) {
  constexpr int digits = std::is_same_v<T, BFloat16> ? 8 : 11, least = std::is_same_v<T, BFloat16> ? -125 : -13;
  double worst = 0;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const T x = std::bit_cast<T>(uint16_t(bits));
    const long double want = exact(float(x));
    const float got = float(T(f(float(x))));
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got)) << name << " of " << float(x);
      continue;
    }
    if (std::isinf(got) || std::isinf(want)) {
      ASSERT_EQ(got, float(T(float(want)))) << name << " of " << float(x);
      continue;
    }
    worst = std::max(worst, double(fabsl(got - want) / ldexpl(1, exponent_of(want, least) - digits)));
  }
  EXPECT_LE(worst, 0.5 + 3 * std::exp2(digits - 24)) << name;
}

TEST(Math, half_types_are_rounded_once) {
  struct Function {
    const char* name;
    float (*f)(float);
    Exact exact;
  };
#define WITH_C(function) {#function, math::function, function##l}
  std::vector<Function> functions{WITH_C(exp),   WITH_C(exp2),  WITH_C(expm1), WITH_C(log),  WITH_C(log2),
                                  WITH_C(log10), WITH_C(log1p), WITH_C(tanh),  WITH_C(sinh), WITH_C(cosh),
                                  WITH_C(asinh), WITH_C(acosh), WITH_C(atanh), WITH_C(asin), WITH_C(acos),
                                  WITH_C(atan),  WITH_C(erf),   WITH_C(erfc)};
  functions.push_back(
      {"gelu", math::gelu, [](long double x) { return x < -40 ? 0.0L : x / 2 * erfcl(-x * kSqrtHalf); }});
  for (const auto& [name, f, exact] : functions) {
    expect_half<Half>(name, f, exact);
    expect_half<BFloat16>(name, f, exact);
  }
}

TEST(Math, angles_that_are_not_moderate) {
  EXPECT_FALSE(is_moderate_angle(0x1p21));
  EXPECT_FALSE(is_moderate_angle(0x1p18f));
  EXPECT_FALSE(is_moderate_angle(NAN));
}

}  // namespace
}  // namespace ordo::math
