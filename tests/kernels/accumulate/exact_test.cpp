// The algorithm `exact`: its arithmetic, and rule 5 byte for byte on every device.
#include <random>

#include "tests/kernels/accumulate/exact_reference.h"
#include "tests/kernels/accumulate/levels.h"
#include "tests/kernels/samples.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::exact_test {
namespace {

template <class T>
void expect_rounded_once() {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 200000; ++trial) {
    int64_t sum = int64_t(random()) >> (1 + random() % 62);
    if (trial % 3 == 0) sum = int64_t(random() % 4096 * 2 + 1) << random() % 50;  // ties
    const int exponent = int(random() % 260) - 187;
    const double t = double(sum);  // below 2^63
    const double odd = kernels::exact_detail::round_to_odd(t, double(sum - int64_t(t)));
    const T got = kernels::exact_detail::round_to<T>(std::ldexp(odd, exponent));
    const T want = nearest<T>(std::ldexp((long double)sum, exponent));
    ASSERT_EQ(bits(got), bits(sum == 0 ? T(0.f) : want)) << sum << " * 2^" << exponent;
  }
}

TEST(ExactArithmetic, rounds_once) {
  expect_rounded_once<float>();
  expect_rounded_once<Half>();
  expect_rounded_once<BFloat16>();
}

TEST(ExactArithmetic, what_is_rounded_away_is_known) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 100000; ++trial) {
    // Sums of 128 bits hold both.
    const int apart = int(random() % 64);
    const auto draw = [&](int up) { return std::ldexp(double(int64_t(random() >> 11) - (int64_t(1) << 52)), up); };
    const double a = draw(apart), b = draw(0);
    double sum = a;
    const double lost = kernels::add_rounded(sum, b);
    EXPECT_EQ(sum, a + b);
    __extension__ using Int128 = __int128;
    EXPECT_TRUE(Int128(sum) + Int128(lost) == Int128(a) + Int128(b)) << a << " + " << b;
    double other = b;
    EXPECT_EQ(kernels::add_rounded(other, a), lost);
  }
}

TEST(ExactArithmetic, as_many_levels_as_the_values_could_need) {
  EXPECT_EQ(kernels::exact_levels(1), 6);
  EXPECT_EQ(kernels::exact_levels(1 << 19), 8);
  EXPECT_EQ(kernels::exact_levels((1 << 19) + 1), 9);
  EXPECT_EQ(kernels::exact_levels(1 << 24), 10);
  EXPECT_EQ(kernels::exact_levels(kernels::kExactMost), kernels::kMostExactLevels);
  // Values that leave something on every level: of all sizes, the large ones coming back to zero, small ones first.
  std::mt19937_64 random(2);
  size_t deepest = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const int64_t count = 1 + int64_t(random() % 500);
    Levels levels(count);
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t exponent = trial % 2 ? random() % 255 : uint64_t(i * 255 / count);
      levels.add(
          std::bit_cast<float>(uint32_t(exponent) << 23 | uint32_t(random() >> 41) | uint32_t(random() % 2) << 31));
      for (size_t k = 0; k < levels.sums.size(); ++k)
        if (levels.sums[k] != 0) deepest = std::max(deepest, k);
    }
    ASSERT_FALSE(levels.last_rounded) << "trial " << trial;
  }
  EXPECT_GE(deepest, size_t(4));
}

enum class Values { normal, half_to_one, lognormal, scaled };
const Values kValues[] = {Values::normal, Values::half_to_one, Values::lognormal, Values::scaled};

/// The four distributions on which exact sums were first tried, with N a power of two.
void draw(Values kind, std::vector<int64_t>& index, std::vector<float>& values, int64_t n, uint64_t seed = 42) {
  std::mt19937_64 random(seed + uint64_t(kind));
  std::normal_distribution<double> normal(0, 1);
  for (size_t i = 0; i < values.size(); ++i) {
    index[i] = int64_t(random() % uint64_t(n));
    if (kind == Values::half_to_one && random() % 2) index[i] = 0;
    double x = normal(random);
    if (kind == Values::lognormal) x = std::exp(8 * normal(random)) * (random() % 2 ? 1 : -1);
    if (kind == Values::scaled) x = std::exp(8 * double(uint32_t(index[i] * 2654435761) >> 8) / (1 << 24) * 3 - 12) * x;
    values[i] = float(x);
  }
}

/// index_add by `exact` against rule 5 on every device, with 1, 2 and 3 threads on the CPU.
template <class T>
void expect_rule5(const Tensor& input, const Tensor& index, const Tensor& source, double alpha = 1) {
  const int64_t m = index.numel(), n = input.size(0), columns = input.numel() / std::max<int64_t>(1, n);
  auto want = input.to_vector<T>();
  const auto to = index.to_vector<int64_t>();
  const auto from = source.to_vector<T>();
  std::vector<std::vector<float>> runs(want.size());
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < columns; ++j)
      runs[size_t(to[size_t(i)] * columns + j)].push_back(float(from[size_t(i * columns + j)]) * float(alpha));
  for (size_t c = 0; c < want.size(); ++c) want[c] = rule5(want[c], runs[c]);
  const auto bytes = bytes_of(from_vector(want, input.sizes()));
  const ThreadsScope scope;
  for (Device device : test_devices())
    for (int threads : {1, 2, 3}) {
      if (device.is_cuda() && threads > 1) continue;
      set_num_threads(threads);
      EXPECT_EQ(bytes_of(index_add(input.to(device), 0, index.to(device), source.to(device), alpha, Algorithm::exact)),
                bytes)
          << name(input.dtype()) << " " << device.str() << " threads " << threads << " sizes " << m << " " << n << " "
          << columns;
    }
}

void expect_rule5(DType dtype, const Tensor& input, const Tensor& index, const Tensor& source, double alpha = 1) {
  const auto as = [&](const Tensor& t) { return t.to(dtype); };
  if (dtype == float32) expect_rule5<float>(as(input), index, as(source), alpha);
  if (dtype == float16) expect_rule5<Half>(as(input), index, as(source), alpha);
  if (dtype == bfloat16) expect_rule5<BFloat16>(as(input), index, as(source), alpha);
}

TEST(Exact, keeps_rule_5) {
  for (DType dtype : {float32, float16, bfloat16})
    for (Values kind : kValues) {
      // One element, a few that have copies in every block, many; shared ranges on the CPU; rows.
      struct Size {
        int64_t items, destinations, columns;
      };
      for (const Size& s : {Size{70, 1, 1}, Size{9000, 8, 1}, Size{40000, 8192, 1}, Size{6000, 64, 3},
                            Size{20000, 4096, 2}, Size{300, 16, 130}, Size{300000, 200000, 1}}) {
        std::vector<int64_t> index(size_t(s.items));
        std::vector<float> values(size_t(s.items));
        draw(kind, index, values, s.destinations, 5);
        Tensor source = from_vector(values, {s.items, 1});
        if (s.columns > 1) source = test_mixed_values({s.items, s.columns}, 3);
        expect_rule5(dtype, test_values({s.destinations, s.columns}, 4), from_vector(index, {s.items}), source);
      }
    }
  expect_rule5(float16, test_values({30}, 1), test_indices({500}, 30, 2), test_mixed_values({500}, 3), 0.3);
}

TEST(Exact, keeps_rule_5_at_both_ends_of_the_range) {
  constexpr int64_t m = 5000, n = 300;
  for (float scale : {1e-38f, 1e-41f, 1e37f}) {
    std::vector<int64_t> index(m), unused(n);
    std::vector<float> values(m), old(n);
    draw(Values::normal, index, values, n, 6);
    draw(Values::normal, unused, old, 1, 7);
    for (float& v : values) v *= scale;
    for (float& v : old) v *= scale;
    for (DType dtype : {float32, bfloat16})
      expect_rule5(dtype, from_vector(old, {n, 1}), from_vector(index, {m}), from_vector(values, {m, 1}));
  }
}

TEST(Exact, keeps_rule_5_where_some_values_are_unlike_the_others) {
  // Half of most items have a value of any exponent; in one range, and in several.
  for (int64_t n : {500, 100000}) {
    constexpr int64_t m = 131072;
    std::mt19937_64 random(13);
    std::vector<int64_t> index(size_t{m});
    std::vector<float> values(size_t{m});
    for (int64_t i = 0; i < m; ++i) {
      index[size_t(i)] = int64_t(random() % uint64_t(n));
      const bool wild = i % 64 > 16 && random() % 2 == 0;
      const uint64_t exponent = wild ? random() % 250 : 120 + random() % 4;
      values[size_t(i)] = std::bit_cast<float>(uint32_t(exponent << 23) | (uint32_t(random()) & 0x807fffffu));
    }
    expect_rule5(float32, test_values({n, 1}, 4), from_vector(index, {m}), from_vector(values, {m, 1}));
  }
}

TEST(Exact, keeps_rule_5_beside_the_middle_of_two_floats_in_a_few_places_or_many) {
  // Values of any size. Some sums also have three that end a hair beside the middle of two elements. In one range, and in
  // several; rows, too.
  struct Size {
    int64_t destinations, columns;
  };
  constexpr int64_t m = 131072;
  for (const Size& s : {Size{3000, 1}, Size{100000, 1}, Size{1000, 3}})
    for (int64_t every : {int64_t(1000), int64_t(5)}) {
      std::mt19937_64 random(23);
      std::normal_distribution<double> normal;
      std::vector<int64_t> index(size_t{m});
      std::vector<float> values(size_t(m * s.columns)), old(size_t(s.destinations * s.columns));
      for (size_t i = 0; i < index.size(); ++i) index[i] = int64_t(random() % uint64_t(s.destinations));
      for (float& v : values) v = float(std::exp(8 * normal(random)) * (random() % 2 ? 1 : -1));
      for (int64_t d = 0, i = 20; d < s.destinations && i < m; d += every, i += i % 64 < 60 ? 1 : 21) {
        old[size_t(d * s.columns)] = 0x1p80f;
        for (float v : {0x1p56f, d % 2 ? 0x1p-100f : -0x1p-100f}) {
          index[size_t(i)] = d;
          values[size_t(i * s.columns)] = v;
          ++i;
        }
      }
      SCOPED_TRACE(testing::Message() << "every " << every);
      expect_rule5(float32, from_vector(old, {s.destinations, s.columns}), from_vector(index, {m}),
                   from_vector(values, {m, s.columns}));
    }
}

TEST(Exact, infinities_zeros_and_small_numbers) {
  constexpr float kMax = std::numeric_limits<float>::max(), kTiny = std::numeric_limits<float>::denorm_min();
  struct Case {
    float old;
    std::vector<float> values;
    float want;
  };
  const float payload = std::bit_cast<float>(0xffc12345u);
  const std::vector<Case> cases{
      {1, {kInf}, kInf},
      {1, {-kInf, 5}, -kInf},
      {0, {kInf, -kInf}, kNan},
      {kInf, {-kInf}, kNan},
      {kInf, {1, 2}, kInf},
      {-kInf, {}, -kInf},
      {kInf, {kMax, kMax}, kInf},
      {payload, {-kMax}, payload},
      {1, {kNan, kInf}, kNan},
      {payload, {}, payload},
      {payload, {3}, payload},
      {-0.0f, {}, -0.0f},
      {-0.0f, {-0.0f}, -0.0f},
      {0, {-0.0f, -0.0f}, 0},
      {5, {-5}, 0},
      {-kTiny, {}, -kTiny},
      {0, {kTiny, kTiny, kTiny}, 3 * kTiny},
      {kTiny, {-kTiny}, 0},
      {kMax, {kMax, -kMax}, kMax},
      {kMax, {kMax}, kInf},
      {-kMax, {-kMax, -kMax}, -kInf},
      {0x1p20f, {1, -0x1p20f}, 1},
      {0x1p60f, {1, -0x1p60f}, 1},
      {kTiny, {kMax, -kMax, 0x1p-140f}, 0x1p-140f + kTiny},
      {0, {0x1p127f, 0x1p60f, 1, 0x1p-60f, 0x1p-120f, -0x1p127f, -0x1p60f, -1, -0x1p-60f}, 0x1p-120f},
      {0x1p60f, {0x1p-60f, 0x1p127f, 0x1p-120f, 1, 0x1p-20f, -0x1p60f, -0x1p127f, -1, -0x1p-20f}, 0x1p-60f},
      {1, {0x1p-24f}, 1},                       // a tie, to even
      {1, {0x1p-24f, 0x1p-40f}, 1 + 0x1p-23f},  // and just above
      {0x1p-126f, {-0x1p-127f, -kTiny}, 0x1p-127f - kTiny},
  };
  std::vector<float> old, values, want;
  std::vector<int64_t> index;
  for (size_t c = 0; c < cases.size(); ++c) {
    old.push_back(cases[c].old);
    want.push_back(cases[c].want);
    for (float v : cases[c].values) {
      index.push_back(int64_t(c));
      values.push_back(v);
    }
  }
  const Tensor input = from_vector(old, {int64_t(old.size())});
  for (Device device : test_devices()) {
    const auto got = index_add(input.to(device), 0, from_vector(index, {int64_t(index.size())}).to(device),
                               from_vector(values, {int64_t(values.size())}).to(device), 1, Algorithm::exact)
                         .to_vector<float>();
    for (size_t c = 0; c < cases.size(); ++c)
      EXPECT_EQ(std::bit_cast<uint32_t>(got[c]), std::bit_cast<uint32_t>(want[c]))
          << device.str() << " case " << c << ": " << got[c] << " for " << want[c];
  }
}

}  // namespace
}  // namespace ordo::test::exact_test
