// The accumulators of `exact` on the CPU, beside the tests' own sums of any floats.
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <span>
#include <utility>

#include <ordo/kernels/accumulate/exact/exact_accumulators_cpu.h>
#include "tests/kernels/accumulate/exact_reference.h"

namespace ordo::test::exact_accumulators_test {
namespace {

using namespace kernels::cpu::accumulate_detail;

/// Any float: mostly of exponents about `center`, some zero; where not `finite`, some infinite or NaN.
float draw_float(std::mt19937_64& random, int center, int spread, bool finite) {
  if (!finite && random() % 100 == 0) return random() % 4 == 0 ? kNan : random() % 2 ? kInf : -kInf;
  if (random() % 10 == 0) return random() % 2 ? 0.0f : -0.0f;
  const int exponent = std::clamp(center + int(random() % uint64_t(2 * spread + 1)) - spread, 0, 254);
  return std::bit_cast<float>(uint32_t(exponent) << 23 | (uint32_t(random()) & 0x807fffffu));
}

struct Table {
  int64_t count;
  std::vector<int64_t> to;
  std::vector<float> values, old;
  Table(std::mt19937_64& random, int64_t n, int64_t items, int spread, bool finite) : count(n), old(size_t(n)) {
    const int center = int(random() % 255);
    for (float& v : old) v = draw_float(random, center, spread, finite);
    for (int64_t i = 0; i < items; ++i) {
      to.push_back(int64_t(random() % uint64_t(count)));
      values.push_back(draw_float(random, center, spread, finite));
    }
  }
  template <class T>
  std::vector<T> want() const {
    std::vector<std::vector<float>> runs(old.size());
    for (size_t i = 0; i < to.size(); ++i) runs[size_t(to[i])].push_back(values[i]);
    std::vector<T> result;
    for (size_t c = 0; c < old.size(); ++c) result.push_back(rule5(T(old[c]), runs[c]));
    return result;
  }
};

/// By so many accumulators of their own, as the engine's threads have.
template <class T>
std::vector<T> by_accumulators(const Table& table, size_t owners, int64_t hot) {
  std::vector<ExactAccumulators> own(owners);
  for (size_t p = 0; p < owners; ++p) {
    own[p].begin(2 * table.count, 0);  // what another range left
    ExactAccumulators::Adder other(own[p]);
    for (int64_t c = 0; c < 2 * table.count; ++c)
      for (float v : {1.0f, 0x1p-60f, kInf}) other.add(c, v);
    other.end();
    own[p].begin(table.count, hot);
    ExactAccumulators::Adder adder(own[p]);
    for (size_t i = p; i < table.to.size(); i += owners) adder.add(table.to[i], table.values[i]);
    adder.end();
  }
  std::vector<T> result;
  for (float v : table.old) result.push_back(T(v));
  const ExactOutput<T, true> output{result.data(), {table.count, 1, 1}, 0};
  const auto levels = ExactAccumulators::levels(own);
  ExactAccumulators::finish(std::span<const ExactAccumulators>(own), levels, 0, table.count / 2, output);
  ExactAccumulators::finish(std::span<const ExactAccumulators>(own), levels, table.count / 2, table.count, output);
  return result;
}

template <class T>
void expect_accumulators_keep_rule_5() {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const int spread = int(random() % 4) * 40;
    const Table table(random, 1 + int64_t(random() % 500), int64_t(random() % 5000), spread, random() % 2 == 0);
    const auto want = table.want<T>();
    for (size_t owners : {1, 2, 5, 40}) {
      const int64_t hot = random() % 2 == 0 ? -1 : int64_t(random() % uint64_t(table.count));
      const auto got = by_accumulators<T>(table, owners, hot);
      for (size_t c = 0; c < got.size(); ++c)
        ASSERT_EQ(bits(got[c]), bits(want[c])) << trial << " sum " << c << " owners " << owners << " hot " << hot;
    }
  }
}

TEST(ExactAccumulators, keep_rule_5_whatever_the_values) {
  expect_accumulators_keep_rule_5<float>();
  expect_accumulators_keep_rule_5<Half>();
  expect_accumulators_keep_rule_5<BFloat16>();
}

/// How values come: one by one, or in full blocks.
enum class By { values, blocks, blocks_after_many_that_round };

/// The sum of a few values in one accumulator, on top of `old`. They are kHotApart apart, zeros between them, so that
/// those of a hot accumulator meet in one sum.
float in_one_accumulator(float old, const std::vector<float>& values, By by, int64_t hot) {
  constexpr size_t kHotApart = 8;
  ExactAccumulators accumulators;
  accumulators.begin(2, hot);
  ExactAccumulators::Adder adder(accumulators);
  const auto sum = [&](size_t k) { return adder.sum(0, k); };
  ValueBlock block;
  if (by == By::blocks_after_many_that_round) {
    for (size_t k = 0; k < ValueBlock::kSize; ++k) block.values[k] = k % 2 ? 0x1p-70 : 1;
    adder.add([](size_t) { return 1; }, block);
  }
  block.values.fill(0);
  size_t at = 0;
  for (float v : values) {
    block.values[at] = double(v);
    if (by == By::values)
      for (size_t k = 0; k < kHotApart; ++k) adder.add(0, float(std::exchange(block.values[at + k], 0)));
    else
      at += kHotApart;
    if (at == ValueBlock::kSize) adder.add(sum, block), block.values.fill(0), at = 0;
  }
  if (by != By::values) adder.add(sum, block);
  adder.end();
  ExactAccumulators::finish(std::span<const ExactAccumulators>(&accumulators, 1),
                            ExactAccumulators::levels({&accumulators, 1}), 0, 1,
                            ExactOutput<float, true>{&old, {2, 1, 1}, 0});
  return old;
}

TEST(ExactAccumulators, lose_nothing_at_any_distance) {
  for (By by : {By::values, By::blocks, By::blocks_after_many_that_round})
    for (int64_t hot : {-1, 0}) {
      const auto sum = [&](float old, const std::vector<float>& values) {
        return in_one_accumulator(old, values, by, hot);
      };
      // What is left is a hair above the middle of two floats, or below it, or on it.
      for (float large : {0x1p30f, 0x1p60f, 0x1p120f})
        for (float hair : {0x1p-30f, 0x1p-60f, 0x1p-140f}) {
          EXPECT_EQ(sum(large, {hair, 1, 0x1p-24f, -large}), 1 + 0x1p-23f);
          EXPECT_EQ(sum(0, {large, hair, 1, 0x1p-24f, -large}), 1 + 0x1p-23f);
          EXPECT_EQ(sum(0, {large, -hair, 1, 0x1p-24f, -large}), 1);
          EXPECT_EQ(sum(0, {large, 1, 0x1p-24f, -large}), 1);
          EXPECT_EQ(sum(0, {large, hair, -large}), hair);
          // At three levels, and a hundred times.
          EXPECT_EQ(sum(0, {0x1p120f, 0x1p60f, 1, 0x1p-60f, -0x1p60f, -1, -0x1p120f}), 0x1p-60f);
          std::vector<float> many;
          for (int k = 0; k < 100; ++k) many.insert(many.end(), {large, hair, 1, -large});
          EXPECT_EQ(sum(-100, many), 100 * hair);
        }
      EXPECT_EQ(bits(sum(-0.0f, {1, -1})), bits(-0.0f));
      EXPECT_EQ(bits(sum(1, {-1})), bits(0.0f));
      EXPECT_EQ(sum(0, {kInf, 1, 0x1p-60f}), kInf);
      EXPECT_EQ(sum(0, {1, 0x1p-60f, -kInf}), -kInf);
      EXPECT_EQ(bits(sum(0, {-kInf, 0x1p60f, kInf})), bits(std::bit_cast<float>(0x7fc00000)));
      EXPECT_EQ(bits(sum(0, {kNan, 1})), bits(std::bit_cast<float>(0x7fc00000)));
    }
}

TEST(ExactAccumulators, do_not_trust_a_rest_that_has_rounded) {
  // 2^60 hides the others, whose sum then rounds so that its sign is wrong. The result is a hair above the middle of
  // two floats.
  const std::vector<std::vector<float>> values{{1}, {0x1p-60f}, {-1}, {-0x1p-62f}, {-0x1p60f}, {1, 0x1p-24f}};
  std::vector<ExactAccumulators> own(values.size());
  for (size_t p = 0; p < own.size(); ++p) {
    own[p].begin(1);
    ExactAccumulators::Adder adder(own[p]);
    for (float v : values[p]) adder.add(0, v);
    adder.end();
  }
  float result = 0x1p60f;
  ExactAccumulators::finish(std::span<const ExactAccumulators>(own), ExactAccumulators::levels(own), 0, 1,
                            ExactOutput<float, true>{&result, {1, 1, 1}, 0});
  EXPECT_EQ(result, 1 + 0x1p-23f);
}

}  // namespace
}  // namespace ordo::test::exact_accumulators_test
