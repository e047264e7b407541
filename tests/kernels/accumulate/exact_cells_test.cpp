// What `exact` on the CPU is made of: the processor's flag and direction of rounding, the sum of any floats, and cells.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <span>

#include <ordo/kernels/accumulate/exact/exact_cells_cpu.h>
#include <ordo/kernels/accumulate/exact/exact_total_cpu.h>
#include <ordo/kernels/accumulate/exact/interval_cells_cpu.h>
#include <ordo/kernels/accumulate/exact/rounding_flag_cpu.h>
#include "tests/kernels/accumulate/exact_reference.h"

namespace ordo::test {
namespace {

using namespace kernels::cpu::accumulate_detail;

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

/// Where results are by then: the compiler computes what it is asked for, in this order.
double add(double a, double b) {
  volatile double x = a, y = b;
  return x + y;
}

TEST(RoundingFlag, says_what_has_rounded) {
  ASSERT_TRUE(RoundingFlag::works());
  RoundingFlag flag;
  volatile double sum = add(1, 0x1p-52);
  EXPECT_FALSE(flag.raised(const_cast<double*>(&sum)));
  sum = add(1, 0x1p-53);
  EXPECT_TRUE(flag.raised(const_cast<double*>(&sum)));
  flag.clear();
  EXPECT_FALSE(flag.raised(const_cast<double*>(&sum)));
}

TEST(RoundingFlag, leaves_the_caller_s_as_it_was) {
  for (bool raised : {false, true})
    for (bool rounds : {false, true}) {
      std::feclearexcept(FE_INEXACT);
      if (raised) std::feraiseexcept(FE_INEXACT);
      {
        RoundingFlag flag;
        volatile double sum = add(1, rounds ? 0x1p-60 : 1);
        EXPECT_EQ(flag.raised(const_cast<double*>(&sum)), rounds);
      }
      EXPECT_EQ(std::fetestexcept(FE_INEXACT) != 0, raised) << rounds;
    }
  std::feclearexcept(FE_INEXACT);
}

TEST(RoundsDown, as_long_as_it_lives) {
  ASSERT_TRUE(RoundsDown::works());
  for (double sign : {1.0, -1.0}) {
    volatile double down = 0;
    {
      const RoundsDown rounds(const_cast<double*>(&down));
      down = add(sign, sign * 0x1p-60);
    }
    EXPECT_EQ(down, sign > 0 ? 1 : -1 - 0x1p-52);
    EXPECT_EQ(add(sign, sign * 0x1p-60), sign);
  }
}

/// Any float: mostly of exponents about `center`, some infinite, some zero.
float draw_float(std::mt19937_64& random, int center, int spread, bool finite) {
  if (!finite && random() % 100 == 0) return random() % 4 == 0 ? kNan : random() % 2 ? kInf : -kInf;
  if (random() % 10 == 0) return random() % 2 ? 0.0f : -0.0f;
  const int exponent = std::clamp(center + int(random() % uint64_t(2 * spread + 1)) - spread, 0, 254);
  return std::bit_cast<float>(uint32_t(exponent) << 23 | (uint32_t(random()) & 0x807fffffu));
}

template <class T>
auto bits(T v) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>(v);
}

template <class T>
void expect_total() {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 20000; ++trial) {
    const int center = int(random() % 255), spread = int(random() % 3) * 60;
    const bool finite = random() % 4 != 0;
    std::vector<float> values(random() % 20);
    for (float& v : values) v = draw_float(random, center, spread, finite);
    if (values.size() > 3 && trial % 3 == 0) values[0] = -values[1];
    const T old(draw_float(random, center, spread, finite));
    // Floats one by one, or in doubles that hold some of them; all in one number, or in two.
    ExactTotal parts[2];
    double some = 0;
    for (float v : values) {
      const double sum = some + double(v);
      if (std::isfinite(v) && sum - some == double(v) && sum - double(v) == some && random() % 3 != 0) {
        some = sum;
      } else {
        parts[random() % 2].add(some);
        some = double(v);
      }
    }
    parts[0].add(some);
    parts[0].add(parts[1]);
    ASSERT_EQ(bits(parts[0].result(old)), bits(rule5(old, values))) << trial;
  }
}

TEST(ExactTotal, is_the_true_sum_rounded_once) {
  expect_total<float>();
  expect_total<Half>();
  expect_total<BFloat16>();
}

TEST(ExactTotal, takes_many_of_the_largest_and_of_the_smallest) {
  constexpr float kMax = std::numeric_limits<float>::max(), kTiny = std::numeric_limits<float>::denorm_min();
  for (float sign : {1.0f, -1.0f}) {
    ExactTotal total;
    for (int k = 0; k < 100000; ++k) total.add(double(sign * kMax));
    EXPECT_EQ(total.result(0.0f), sign * kInf);
    for (int k = 0; k < 100000; ++k) total.add(double(-sign * kMax));
    total.add(double(sign * kTiny));
    EXPECT_EQ(bits(total.result(0.0f)), bits(sign * kTiny));
  }
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
std::vector<T> by_cells(const Table& table, const SumWindows& windows, size_t owners, bool trusts_flag, int64_t hot) {
  std::vector<ExactCells> own(owners);
  for (ExactCells& cells : own) cells.begin(table.cells, windows, int64_t(table.to.size()), hot);
  for (size_t p = 0; p < owners; ++p) {
    ExactCells::Adder adder(own[p], trusts_flag);
    for (size_t i = p; i < table.to.size(); i += owners) adder.add(table.to[i], table.values[i]);
  }
  std::vector<T> result;
  for (float v : table.old) result.push_back(T(v));
  const CellsOutput<T, true> output{result.data(), {table.cells, 1, 1}, 0};
  const auto spilled = ExactCells::spilled(own);
  finish_cells(std::span<const ExactCells>(own), std::span<const ExactCells::Spilled>(spilled), 0, table.cells / 2,
               output);
  finish_cells(std::span<const ExactCells>(own), std::span<const ExactCells::Spilled>(spilled), table.cells / 2,
               table.cells, output);
  return result;
}

template <class T>
void expect_cells_keep_rule_5() {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 60; ++trial) {
    const int spread = int(random() % 4) * 40;
    const Table table(random, 1 + int64_t(random() % 500), int64_t(random() % 5000), spread, random() % 2 == 0);
    const auto want = table.want<T>();
    const SumWindows planned = SumWindows::for_values_like(table.values, 4);
    for (const SumWindows& windows : {SumWindows{}, planned, SumWindows{3, 40, 50}, SumWindows::for_any_values()})
      for (size_t owners : {1, 2, 5})
        for (bool trusts_flag : {true, false}) {
          const int64_t hot = random() % 2 == 0 ? -1 : int64_t(random() % uint64_t(table.cells));
          const auto got = by_cells<T>(table, windows, owners, trusts_flag, hot);
          for (size_t c = 0; c < got.size(); ++c)
            ASSERT_EQ(bits(got[c]), bits(want[c])) << trial << " cell " << c << " windows " << windows.count
                                                   << " owners " << owners << " flag " << trusts_flag << " hot " << hot;
        }
  }
}

TEST(ExactCells, keep_rule_5_with_any_windows_and_without_the_flag) {
  expect_cells_keep_rule_5<float>();
  expect_cells_keep_rule_5<Half>();
  expect_cells_keep_rule_5<BFloat16>();
}

TEST(ExactCells, spill_what_they_cannot_add_and_say_when_they_are_full) {
  ExactCells cells;
  cells.begin(2, SumWindows{}, 2);
  for (int k = 0; k < 2; ++k) {
    EXPECT_FALSE(cells.is_full());
    ExactCells::Adder adder(cells);
    adder.add(1, 1.0f);
    adder.add(1, 0x1p-60f);  // which no double holds beside one
  }
  const auto spilled = ExactCells::spilled(std::span(&cells, 1));
  ASSERT_EQ(spilled.size(), 3u);  // 1, 2^-60 and 1; 2^-60 is the cell's sum
  EXPECT_TRUE(cells.is_full());
  for (const auto& s : spilled) EXPECT_EQ(s.cell, 1);
}

TEST(ExactCells, do_not_trust_a_rest_that_has_rounded) {
  // 2^60 hides the others, one after the other, until it is gone; what is left is a hair above the middle of two
  // floats.
  const std::vector<float> values{0x1p-100f, 1.0f, 0x1p-24f, -0x1p60f};
  ExactCells cells;
  cells.begin(1, SumWindows{3, 20, 60}, 100);
  {
    ExactCells::Adder adder(cells);
    for (float v : values) adder.add(0, v);
  }
  ASSERT_TRUE(ExactCells::spilled(std::span(&cells, 1)).empty());
  float result = 0x1p60f;
  finish_cells(std::span<const ExactCells>(&cells, 1), {}, 0, 1, CellsOutput<float, true>{&result, {1, 1, 1}, 0});
  EXPECT_EQ(result, 1 + 0x1p-23f);
}

TEST(ExactCells, take_as_few_windows_as_the_values_need) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  const auto windows = [&](double spread, double items_per_cell) {
    std::vector<float> looks(512);
    for (float& v : looks) v = float(std::exp(spread * normal(random)));
    return SumWindows::for_values_like(looks, items_per_cell);
  };
  EXPECT_EQ(SumWindows::for_values_like({}, 10).count, 1);
  EXPECT_EQ(windows(0, 1e6).count, 1);
  EXPECT_EQ(windows(1, 1e6).count, 1);
  EXPECT_EQ(windows(3, 16).count, 1);
  EXPECT_GT(windows(8, 16).count, 1);
  EXPECT_LE(windows(8, 16).count, 4);
  EXPECT_GT(windows(8, 1e4).count, 2);
}

/// Adds a table to so many cells, and gives its results; which of them were not sure, too.
template <class T>
std::vector<T> by_intervals(const Table& table, size_t owners, int64_t hot, std::vector<int64_t>& unsure) {
  std::vector<IntervalCells> own(owners);
  for (IntervalCells& cells : own) cells.begin(table.cells, hot);
  for (size_t p = 0; p < owners; ++p) {
    IntervalCells::Adder adder(own[p]);
    for (size_t i = p; i < table.to.size(); i += owners) adder.add(table.to[i], table.values[i]);
  }
  std::vector<T> result;
  for (float v : table.old) result.push_back(T(v));
  const std::vector<T> old = result;
  const CellsOutput<T, true> output{result.data(), {table.cells, 1, 1}, 0};
  unsure = finish_intervals(std::span(own), 0, table.cells / 2, output);
  const auto more = finish_intervals(std::span(own), table.cells / 2, table.cells, output);
  unsure.insert(unsure.end(), more.begin(), more.end());
  for (int64_t c : unsure) EXPECT_EQ(bits(result[size_t(c)]), bits(old[size_t(c)]));
  std::vector<T> undone = result;
  undo_intervals<T>(own, 0, table.cells, {undone.data(), {table.cells, 1, 1}, 0});
  for (size_t c = 0; c < old.size(); ++c) EXPECT_EQ(bits(undone[c]), bits(old[c]));
  return result;
}

template <class T>
void expect_intervals_keep_rule_5() {
  std::mt19937_64 random(17);
  int64_t cells = 0, not_sure = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int spread = int(random() % 4) * 40;
    const Table table(random, 1 + int64_t(random() % 500), int64_t(random() % 5000), spread, trial % 4 != 0);
    const auto want = table.want<T>();
    const int64_t hot = trial % 2 == 0 ? -1 : int64_t(random() % uint64_t(table.cells));
    std::vector<int64_t> unsure;
    const auto got = by_intervals<T>(table, 1 + size_t(trial % 3), hot, unsure);
    for (size_t c = 0; c < got.size(); ++c) {
      if (std::binary_search(unsure.begin(), unsure.end(), int64_t(c))) continue;
      ASSERT_EQ(bits(got[c]), bits(want[c])) << trial << " cell " << c << " hot " << hot;
    }
    // Infinities are not sure. Nor are those of which two large values make a tie, and small ones break it.
    for (size_t c = 0; c < want.size(); ++c) cells += std::isfinite(float(want[c]));
    for (int64_t c : unsure) not_sure += std::isfinite(float(want[size_t(c)]));
  }
  EXPECT_LE(not_sure * 200, cells);
}

TEST(IntervalCells, keep_rule_5_where_they_are_sure_as_they_mostly_are) {
  expect_intervals_keep_rule_5<float>();
  expect_intervals_keep_rule_5<Half>();
  expect_intervals_keep_rule_5<BFloat16>();
}

TEST(IntervalCells, are_sure_of_a_tie_and_not_of_what_is_a_hair_beside_it) {
  struct Case {
    std::vector<float> values;
    bool is_sure;
    float sum;
  };
  for (const Case& c : {Case{{1, 0x1p-24f}, true, 1}, Case{{1 + 0x1p-23f, 0x1p-24f}, true, 1 + 0x1p-22f},
                        Case{{1, 0x1p-24f, 0x1p-60f}, false, 0}, Case{{1, 0x1p-24f, -0x1p-60f}, true, 1},
                        Case{{1 + 0x1p-23f, 0x1p-24f, -0x1p-60f}, false, 0}, Case{{1, 0x1p-25f, 0x1p-60f}, true, 1},
                        Case{{0x1p60f, 1, -0x1p60f, 1}, false, 0}, Case{{kInf}, false, 0}, Case{{kNan, 1}, false, 0},
                        Case{{1, -1}, true, 0}})
    for (int64_t hot : {-1, 0}) {
      IntervalCells cells;
      cells.begin(1, hot);
      {
        IntervalCells::Adder adder(cells);
        for (float v : c.values) adder.add(0, v);
      }
      float result = 0;
      const CellsOutput<float, true> output{&result, {1, 1, 1}, 0};
      EXPECT_EQ(finish_intervals(std::span(&cells, 1), 0, 1, output).empty(), c.is_sure) << c.values.back();
      EXPECT_EQ(bits(result), bits(c.sum)) << c.values.back();
    }
}

TEST(IntervalCells, suit_values_of_any_size_and_not_those_on_boundaries) {
  std::mt19937_64 random(19);
  std::normal_distribution<double> normal;
  std::vector<float> spread(512), boundaries(512);
  for (float& v : spread) v = float(std::exp(8 * normal(random)) * (random() % 2 ? 1 : -1));
  for (size_t k = 0; k < boundaries.size(); ++k) boundaries[k] = k % 3 == 0 ? 1 : k % 3 == 1 ? 0x1p-24f : 0x1p-100f;
  for (double items_per_cell : {2.0, 16.0, 1e6})
    EXPECT_TRUE(IntervalCells::suit_values_like<float>(spread, items_per_cell));
  EXPECT_FALSE(IntervalCells::suit_values_like<float>(boundaries, 2));
  EXPECT_TRUE(IntervalCells::suit_values_like<Half>(boundaries, 2));
  EXPECT_TRUE(IntervalCells::suit_values_like<float>({}, 2));
}

}  // namespace
}  // namespace ordo::test
