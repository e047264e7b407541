// The trees that `ordo show` finds of Ordo's sums are those of docs/ordering.md, written here from its text.
#include "tools/ordo/show_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <ordo/engine/run/emulation.h>
#include "tests/support/op_samples.h"

namespace ordo::test::show_sums_test {
namespace {

using namespace audit;

/// Additions of `count` values, written down one by one.
class Written {
 public:
  explicit Written(int count) : count_(count) {}
  int add(int a, int b) {
    additions_.push_back({a, b});
    return count_ + int(additions_.size()) - 1;
  }
  int left_to_right(const std::vector<int>& parts) {
    int sum = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) sum = add(sum, parts[i]);
    return sum;
  }
  /// Rule 1.
  int fold(std::vector<int> parts) {
    while (parts.size() > 1) {
      std::vector<int> next;
      for (size_t i = 0; i < parts.size(); i += 64)
        next.push_back(
            left_to_right({parts.begin() + int64_t(i), parts.begin() + int64_t(std::min(parts.size(), i + 64))}));
      parts = next;
    }
    return parts[0];
  }
  SumTree tree() const { return make_tree(count_, additions_); }

 private:
  int count_;
  std::vector<std::vector<int>> additions_;
};

std::vector<int> range(int from, int to) {
  std::vector<int> values(size_t(to - from));
  std::iota(values.begin(), values.end(), from);
  return values;
}

SumTree rule_1_with_old(int n) {
  Written w(n + 1);
  w.add(w.fold(range(0, n)), n);
  return w.tree();
}

SumTree rule_2(int n) {
  Written w(n);
  std::vector<int> blocks;
  for (int from = 0; from < n; from += 4096) {
    std::vector<std::vector<int>> members(32);
    for (int i = 0; i < 4096 && from + i < n; ++i) members[size_t(i % 32)].push_back(from + i);
    int lanes[32];
    for (int k = 0; k < 32; ++k) lanes[k] = members[size_t(k)].empty() ? -1 : w.left_to_right(members[size_t(k)]);
    for (int half = 16; half > 0; half /= 2)
      for (int k = 0; k < half; ++k)
        if (lanes[k + half] >= 0) lanes[k] = w.add(lanes[k], lanes[k + half]);
    blocks.push_back(lanes[0]);
  }
  w.fold(blocks);
  return w.tree();
}

SumTree rule_3(int n) {
  Written w(n);
  std::vector<int> blocks;
  for (int from = 0; from < n; from += 256) blocks.push_back(w.left_to_right(range(from, std::min(n, from + 256))));
  w.fold(blocks);
  return w.tree();
}

/// The last element: of every chunk the blocks from left to right, then the chunks.
SumTree rule_6(int n) {
  Written w(n);
  std::vector<int> chunks;
  for (int chunk = 0; chunk < n; chunk += 4096) {
    std::vector<int> blocks;
    for (int block = chunk; block < std::min(n, chunk + 4096); block += 64)
      blocks.push_back(w.left_to_right(range(block, std::min(n, block + 64))));
    chunks.push_back(w.left_to_right(blocks));
  }
  w.left_to_right(chunks);
  return w.tree();
}

Recovered recovered(const ShownSum& sum) { return recover_tree(sum.count(), sum, sum.mass()); }

bool emulated(Device device) { return device.is_cuda() && cuda::is_simulated(); }

std::vector<int> sizes(Device device, std::vector<int> all) {
  if (emulated(device)) std::erase_if(all, [](int n) { return n > 130; });
  return all;
}

void expect_tree(const ShownSum& sum, const SumTree& want) {
  SCOPED_TRACE(testing::Message() << sum.op << " " << sum.size << " " << name(sum.dtype) << " " << sum.device.str()
                                  << " " << name(sum.level));
  const Recovered r = recovered(sum);
  ASSERT_EQ(r.kind, Recovered::Kind::tree) << r.why;
  EXPECT_TRUE(r.tree == want);
}

TEST(ShownTrees, are_those_of_the_rules) {
  const struct {
    const char* op;
    Algorithm algorithm;
    SumTree (*rule)(int);
    std::vector<int> all_sizes;
  } cases[] = {{"sum", Algorithm::automatic, rule_2, {1, 2, 16, 33, 100, 130, 4097, 9000}},
               {"mean", Algorithm::automatic, rule_2, {1, 2, 16, 128, 8192}},
               {"cumsum", Algorithm::automatic, rule_6, {1, 2, 64, 65, 130, 5000}},
               {"index_add", Algorithm::sorted, rule_1_with_old, {1, 2, 64, 65, 130, 4200}}};
  for (const auto& c : cases)
    for (Device device : test_devices())
      for (DType dtype : {float32, float64})
        for (int n : sizes(device, c.all_sizes))
          expect_tree({.op = c.op, .size = n, .dtype = dtype, .device = device, .algorithm = c.algorithm}, c.rule(n));
}

TEST(ShownTrees, of_matmul_are_those_of_rule_3) {
  for (Device device : test_devices())
    for (DType dtype : {float32, float64})
      for (Determinism level : kLevels)
        for (int n : sizes(device, {1, 2, 16, 130, 256, 257, 1000})) {
          if (device.is_cuda() && level != Determinism::device_to_device) continue;  // cuBLAS's
          const ShownSum sum{.op = "matmul", .size = n, .dtype = dtype, .device = device, .level = level};
          expect_tree(sum, rule_3(n));
          EXPECT_EQ(sum.fused(), n > 1);
        }
}

TEST(ShownTrees, of_exact_and_integers_do_not_exist) {
  for (Device device : test_devices()) {
    const ShownSum exact{.op = "index_add", .size = 20, .device = device, .algorithm = Algorithm::exact};
    EXPECT_EQ(recovered(exact).kind, Recovered::Kind::unrounded);
    for (const std::string& op : shown_operations()) {
      if (op == "mean") continue;  // takes no integers
      EXPECT_EQ(recovered({.op = op, .size = 20, .dtype = int64, .device = device}).kind, Recovered::Kind::unrounded);
    }
  }
}

TEST(ShownTrees, of_a_seed_give_the_bits_of_atomic) {
  for (Device device : test_devices()) {
    if (!emulated(device)) continue;
    const ShownSum sum{.op = "index_add", .size = 300, .device = device, .algorithm = Algorithm::atomic};
    const struct Restore {
      const cuda::Schedule before = cuda::schedule();
      ~Restore() { cuda::set_schedule(before); }
    } restore;
    const std::vector<double> values = spread_values(sum.count(), float32);
    std::vector<SumTree> different;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      const auto at_seed = [&](const std::vector<double>& v) {
        cuda::restart_schedule();
        cuda::set_schedule({.seed = seed});
        return sum(v);
      };
      const Recovered r = recover_tree(sum.count(), at_seed, sum.mass());
      ASSERT_EQ(r.kind, Recovered::Kind::tree) << r.why;
      const float added = add_by(r.tree, std::vector<float>(values.begin(), values.end()));
      EXPECT_EQ(std::bit_cast<uint32_t>(added), std::bit_cast<uint32_t>(float(at_seed(values))));
      if (std::find(different.begin(), different.end(), r.tree) == different.end()) different.push_back(r.tree);
    }
    EXPECT_GT(different.size(), 1u);
  }
}

TEST(ShownSums, names_what_levels_choose) {
  ShownSum sum{.op = "index_add", .size = 5};
  EXPECT_EQ(sum.chosen(), Algorithm::atomic);
  sum.level = Determinism::run_to_run;
  EXPECT_EQ(sum.chosen(), Algorithm::exact);
  sum.dtype = float64;
  EXPECT_EQ(sum.chosen(), Algorithm::sorted);
  EXPECT_EQ(ways_of({.op = "index_add", .size = 5}, false).size(), 3u);
  EXPECT_EQ(ways_of({.op = "index_add", .size = 5, .dtype = float64}, false).size(), 2u);
  EXPECT_EQ(ways_of({.op = "sum", .size = 5}, false).size(), 3u);
  EXPECT_EQ(ways_of({.op = "sum", .size = 5}, true).size(), 1u);
  EXPECT_THROW(ways_of({.op = "sum", .size = 5, .dtype = float16}, false), ValueError);
}

TEST(ShownSums, measures_errors_against_the_true_sum) {
  EXPECT_EQ(error_in_ulps(3, {1, 2}, float32), 0);
  EXPECT_EQ(error_in_ulps(1, {1, 0x1p-24}, float32), 0.5);
  EXPECT_EQ(error_in_ulps(1 + 0x1p-22, {1}, float32), 2);
  EXPECT_EQ(error_in_ulps(1 - 0x1p-52, {1}, float64), 1);
  EXPECT_EQ(error_in_ulps(0, {1, -1}, float64), 0);
  EXPECT_EQ(error_in_ulps(7, {1, 4}, int64), 2);
  for (int n : {5, 300, 5000}) {  // `exact` is rounded correctly
    const ShownSum sum{.op = "index_add", .size = n, .algorithm = Algorithm::exact};
    const std::vector<double> values = spread_values(sum.count(), float32);
    EXPECT_LE(error_in_ulps(sum(values), values, float32), 0.5);
  }
  for (DType dtype : {float32, float64})
    for (double v : spread_values(100, dtype)) {
      EXPECT_EQ(std::ldexp(v, 60), std::trunc(std::ldexp(v, 60)));
      EXPECT_TRUE(dtype == float64 || double(float(v)) == v) << v;
    }
}

}  // namespace
}  // namespace ordo::test::show_sums_test
