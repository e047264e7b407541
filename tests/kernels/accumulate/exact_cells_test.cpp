// The cells of `exact` on the CPU, beside the tests' own sums of any floats.
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <span>
#include <utility>

#include <ordo/kernels/accumulate/exact/exact_cells_cpu.h>
#include "tests/kernels/accumulate/exact_reference.h"

namespace ordo::test::exact_cells_test {
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
  int64_t cells;
  std::vector<int64_t> to;
  std::vector<float> values, old;
  Table(std::mt19937_64& random, int64_t cell_count, int64_t items, int spread, bool finite)
      : cells(cell_count), old(size_t(cell_count)) {
    const int center = int(random() % 255);
    for (float& v : old) v = draw_float(random, center, spread, finite);
    for (int64_t i = 0; i < items; ++i) {
      to.push_back(int64_t(random() % uint64_t(cells)));
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

/// By so many cells of their own, as the engine's threads have.
template <class T>
std::vector<T> by_cells(const Table& table, size_t owners, int64_t hot) {
  std::vector<ExactCells> own(owners);
  for (size_t p = 0; p < owners; ++p) {
    own[p].begin(2 * table.cells, 0);  // what another range left
    ExactCells::Adder other(own[p]);
    for (int64_t c = 0; c < 2 * table.cells; ++c)
      for (float v : {1.0f, 0x1p-60f, kInf}) other.add(c, v);
    other.end();
    own[p].begin(table.cells, hot);
    ExactCells::Adder adder(own[p]);
    for (size_t i = p; i < table.to.size(); i += owners) adder.add(table.to[i], table.values[i]);
    adder.end();
  }
  std::vector<T> result;
  for (float v : table.old) result.push_back(T(v));
  const CellsOutput<T, true> output{result.data(), {table.cells, 1, 1}, 0};
  const auto levels = ExactCells::levels(own);
  ExactCells::finish(std::span<const ExactCells>(own), levels, 0, table.cells / 2, output);
  ExactCells::finish(std::span<const ExactCells>(own), levels, table.cells / 2, table.cells, output);
  return result;
}

template <class T>
void expect_cells_keep_rule_5() {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const int spread = int(random() % 4) * 40;
    const Table table(random, 1 + int64_t(random() % 500), int64_t(random() % 5000), spread, random() % 2 == 0);
    const auto want = table.want<T>();
    for (size_t owners : {1, 2, 5, 40}) {
      const int64_t hot = random() % 2 == 0 ? -1 : int64_t(random() % uint64_t(table.cells));
      const auto got = by_cells<T>(table, owners, hot);
      for (size_t c = 0; c < got.size(); ++c)
        ASSERT_EQ(bits(got[c]), bits(want[c])) << trial << " cell " << c << " owners " << owners << " hot " << hot;
    }
  }
}

TEST(ExactCells, keep_rule_5_whatever_the_values) {
  expect_cells_keep_rule_5<float>();
  expect_cells_keep_rule_5<Half>();
  expect_cells_keep_rule_5<BFloat16>();
}

/// How values come: one by one, or in full blocks.
enum class By { values, blocks, blocks_after_many_that_round };

/// The sum of a few values in one cell, on top of `old`. They are kHotApart apart, zeros between them, so that those of
/// a hot cell meet in one sum.
float in_one_cell(float old, const std::vector<float>& values, By by, int64_t hot) {
  constexpr size_t kHotApart = 8;
  ExactCells cells;
  cells.begin(2, hot);
  ExactCells::Adder adder(cells);
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
  ExactCells::finish(std::span<const ExactCells>(&cells, 1), ExactCells::levels({&cells, 1}), 0, 1,
                     CellsOutput<float, true>{&old, {2, 1, 1}, 0});
  return old;
}

TEST(ExactCells, lose_nothing_at_any_distance) {
  for (By by : {By::values, By::blocks, By::blocks_after_many_that_round})
    for (int64_t hot : {-1, 0}) {
      const auto sum = [&](float old, const std::vector<float>& values) { return in_one_cell(old, values, by, hot); };
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

TEST(ExactCells, do_not_trust_a_rest_that_has_rounded) {
  // 2^60 hides the others, whose sum then rounds so that its sign is wrong. The result is a hair above the middle of
  // two floats.
  const std::vector<std::vector<float>> values{{1}, {0x1p-60f}, {-1}, {-0x1p-62f}, {-0x1p60f}, {1, 0x1p-24f}};
  std::vector<ExactCells> own(values.size());
  for (size_t p = 0; p < own.size(); ++p) {
    own[p].begin(1);
    ExactCells::Adder adder(own[p]);
    for (float v : values[p]) adder.add(0, v);
    adder.end();
  }
  float result = 0x1p60f;
  ExactCells::finish(std::span<const ExactCells>(own), ExactCells::levels(own), 0, 1,
                     CellsOutput<float, true>{&result, {1, 1, 1}, 0});
  EXPECT_EQ(result, 1 + 0x1p-23f);
}

}  // namespace
}  // namespace ordo::test::exact_cells_test
