// Trees that are found from sums alone are those of the loops that computed the sums.
#include "tools/ordo/sum_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "tools/ordo/sum_tree_svg.h"
#include "tools/ordo/sum_tree_text.h"

namespace ordo {
namespace {

using Values = std::vector<double>;
using Additions = std::vector<std::vector<int>>;

constexpr double kMass = 0x1p100;

std::string plain_name(int i) { return std::to_string(i); }

/// Computes in float, in order of the additions.
Sum by(int count, const Additions& additions) {
  return [count, additions](const Values& values) {
    std::vector<float> sums(values.begin(), values.begin() + count);
    for (const auto& a : additions) sums.push_back(sums[size_t(a[0])] + sums[size_t(a[1])]);
    return double(sums.back());
  };
}

float left_to_right(const Values& values) {
  float sum = float(values[0]);
  for (size_t i = 1; i < values.size(); ++i) sum += float(values[i]);
  return sum;
}

SumTree chain(int count) {
  Additions additions;
  for (int i = 1; i < count; ++i) additions.push_back({i == 1 ? 0 : count + i - 2, i});
  return make_tree(count, additions);
}

TEST(SumTree, finds_left_to_right_with_one_sum_a_value_or_few_more) {
  for (int n : {1, 2, 3, 4, 17, 1000}) {
    const Recovered r = recover_tree(n, left_to_right, kMass);
    ASSERT_EQ(r.kind, Recovered::Kind::tree) << r.why;
    EXPECT_EQ(r.tree, chain(n));
    EXPECT_LE(r.probes, 3 * n);
  }
}

TEST(SumTree, finds_right_to_left) {
  const auto sum = [](const Values& values) { return double(left_to_right({values.rbegin(), values.rend()})); };
  Additions additions;
  for (int i = 1; i < 9; ++i) additions.push_back({i == 1 ? 8 : 9 + i - 2, 8 - i});
  EXPECT_EQ(recover_tree(9, sum, kMass).tree, make_tree(9, additions));
  EXPECT_LE(recover_tree(1000, sum, kMass).probes, 3000);
}

float pairwise(const Values& v, size_t from, size_t to) {
  if (to - from == 1) return float(v[from]);
  const size_t half = from + (to - from) / 2;
  return pairwise(v, from, half) + pairwise(v, half, to);
}

int pairwise_tree(int count, int from, int to, Additions& additions) {
  if (to - from == 1) return from;
  const int half = from + (to - from) / 2;
  const int a = pairwise_tree(count, from, half, additions), b = pairwise_tree(count, half, to, additions);
  additions.push_back({a, b});
  return count + int(additions.size()) - 1;
}

TEST(SumTree, finds_pairwise) {
  for (int n : {2, 7, 16, 129}) {
    Additions additions;
    pairwise_tree(n, 0, n, additions);
    const Recovered r = recover_tree(
        n, [](const Values& v) { return double(pairwise(v, 0, v.size())); }, kMass);
    ASSERT_EQ(r.kind, Recovered::Kind::tree) << r.why;
    EXPECT_EQ(r.tree, make_tree(n, additions));
  }
}

TEST(SumTree, finds_eight_lanes) {
  const int n = 43;
  const auto sum = [](const Values& v) {
    float lanes[8];
    for (size_t i = 0; i < 8; ++i) lanes[i] = float(v[i]);
    for (size_t i = 8; i < v.size(); ++i) lanes[i % 8] += float(v[i]);
    for (size_t half : {4u, 2u, 1u})
      for (size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    return double(lanes[0]);
  };
  Additions additions;
  int lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto add = [&](int to, int what) {
    additions.push_back({lanes[to], what});
    lanes[to] = n + int(additions.size()) - 1;
  };
  for (int i = 8; i < n; ++i) add(i % 8, i);
  for (int half : {4, 2, 1})
    for (int i = 0; i < half; ++i) add(i, lanes[i + half]);
  EXPECT_EQ(recover_tree(n, sum, kMass).tree, make_tree(n, additions));
}

Additions random_additions(int count, std::mt19937& random) {
  std::vector<int> open(static_cast<size_t>(count));
  std::iota(open.begin(), open.end(), 0);
  Additions additions;
  while (open.size() > 1) {
    std::shuffle(open.begin(), open.end(), random);
    additions.push_back({open[open.size() - 1], open[open.size() - 2]});
    open.pop_back();
    open.back() = count + int(additions.size()) - 1;
  }
  return additions;
}

TEST(SumTree, finds_random_trees_whose_additions_give_the_sum) {
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    const int n = 2 + int(random() % 60);
    const Additions additions = random_additions(n, random);
    const Sum sum = by(n, additions);
    const Recovered r = recover_tree(n, sum, kMass);
    ASSERT_EQ(r.kind, Recovered::Kind::tree) << r.why;
    ASSERT_EQ(r.tree, make_tree(n, additions));
    Values values;
    for (int k = 0; k < n; ++k) values.push_back(float(std::ldexp(double(random()), int(random() % 20))));
    EXPECT_EQ(add_by(r.tree, std::vector<float>(values.begin(), values.end())), float(sum(values)));
  }
}

/// As a processor that aligns all terms to the largest one, and cuts what is below its last place.
double aligned(const Values& terms) {
  double largest = 0, sum = 0;
  for (double t : terms) largest = std::max(largest, std::abs(t));
  if (largest == 0) return 0;
  const double unit = std::ldexp(1.0, std::ilogb(largest) - 24);
  for (double t : terms) sum += std::trunc(t / unit) * unit;
  return sum;
}

TEST(SumTree, finds_additions_of_more_than_two_values) {
  // Four at a time, together with the sum so far.
  const auto sum = [](const Values& v) {
    double so_far = 0;
    for (size_t i = 0; i < v.size(); i += 4) {
      Values terms(v.begin() + int64_t(i), v.begin() + int64_t(std::min(i + 4, v.size())));
      if (i > 0) terms.push_back(so_far);
      so_far = aligned(terms);
    }
    return so_far;
  };
  const Recovered r = recover_tree(10, sum, kMass);
  ASSERT_EQ(r.kind, Recovered::Kind::tree) << r.why;
  EXPECT_EQ(r.tree, make_tree(10, {{0, 1, 2, 3}, {10, 4, 5, 6, 7}, {11, 8, 9}}));
  EXPECT_FALSE(r.tree.binary());
  EXPECT_EQ(describe(make_tree(4, {{0, 1, 2, 3}}), plain_name).front(), "one addition of 4 parts");
}

TEST(SumTree, says_where_nothing_is_rounded) {
  const auto integers = [](const Values& v) {
    int64_t sum = 0;
    for (double x : v) sum += int64_t(x);
    return double(sum);
  };
  EXPECT_EQ(recover_tree(9, integers, 0x1p40).kind, Recovered::Kind::unrounded);
  EXPECT_EQ(recover_tree(3, integers, 0x1p40).kind, Recovered::Kind::unrounded);
}

TEST(SumTree, draws_no_tree_where_there_is_none) {
  std::mt19937 random(5);
  const auto other_order_each_time = [&](Values v) {
    std::shuffle(v.begin(), v.end(), random);
    return double(left_to_right(v));
  };
  const auto compensated = [](const Values& v) {  // Neumaier's
    float sum = 0, lost = 0;
    for (double d : v) {
      const float x = float(d), t = sum + x;
      lost += std::abs(sum) >= std::abs(x) ? (sum - t) + x : (x - t) + sum;
      sum = t;
    }
    return double(sum + lost);
  };
  const auto not_a_sum = [](const Values& v) { return v[0] - std::numeric_limits<double>::quiet_NaN(); };
  const auto always = [](double left) { return [left](const Values&) { return left; }; };
  const Sum sums[] = {other_order_each_time, not_a_sum, always(0.5), always(17), always(19)};
  for (const Sum& sum : sums) {
    const Recovered r = recover_tree(20, sum, kMass);
    EXPECT_EQ(r.kind, Recovered::Kind::none);
    EXPECT_NE(r.why, "");
  }
  EXPECT_NE(recover_tree(20, compensated, kMass).kind, Recovered::Kind::tree);
}

TEST(SumTree, knows_fused_multiply_adds) {
  const auto rounded = []<class T>(T) {
    return [](const Values& a, const Values& b) {
      T sum = T(a[0]) * T(b[0]);
      for (size_t i = 1; i < a.size(); ++i) {
        const volatile T product = T(a[i]) * T(b[i]);
        sum += product;
      }
      return double(sum);
    };
  };
  const auto fused = []<class T>(T) {
    return [](const Values& a, const Values& b) {
      T sum = T(a[0]) * T(b[0]);
      for (size_t i = 1; i < a.size(); ++i) sum = std::fma(T(a[i]), T(b[i]), sum);
      return double(sum);
    };
  };
  for (int n : {2, 9}) {
    EXPECT_FALSE(adds_unrounded_products(n, rounded(1.0f), 24));
    EXPECT_FALSE(adds_unrounded_products(n, rounded(1.0), 53));
    EXPECT_TRUE(adds_unrounded_products(n, fused(1.0f), 24));
    EXPECT_TRUE(adds_unrounded_products(n, fused(1.0), 53));
  }
}

TEST(SumTree, is_described) {
  const auto described = [](int count, const Additions& additions) {
    return describe(make_tree(count, additions), plain_name);
  };
  EXPECT_EQ(describe(chain(5), plain_name), std::vector<std::string>{"left to right over 5 values [0 .. 4]"});
  Additions additions;
  pairwise_tree(8, 0, 8, additions);
  EXPECT_EQ(described(8, additions),
            std::vector<std::string>{"a balanced tree over 8 values, which adds 0 and 1 first"});
  EXPECT_EQ(described(4, {{3, 2}, {4, 1}, {5, 0}}), std::vector<std::string>{"right to left over 4 values [3 .. 0]"});
  // Four lanes of three.
  EXPECT_EQ(
      described(12,
                {{0, 4}, {12, 8}, {1, 5}, {14, 9}, {2, 6}, {16, 10}, {3, 7}, {18, 11}, {13, 17}, {15, 19}, {20, 21}}),
      (std::vector<std::string>{"a balanced tree over 4 parts",
                                "  4 times, the first left to right over 3 values [0, 4, 8]"}));
  // Two groups of three, and one more.
  EXPECT_EQ(described(7, {{0, 1}, {7, 2}, {3, 4}, {9, 5}, {8, 10}, {11, 6}}),
            (std::vector<std::string>{"left to right over 3 parts", "  2 times: left to right over 3 values [0, 1, 2]",
                                      "  value 6"}));
}

TEST(SumTree, is_written_in_brackets_up_to_a_length) {
  EXPECT_EQ(brackets(make_tree(4, {{0, 1}, {2, 3}, {4, 5}}), plain_name, 100), "((0 + 1) + (2 + 3))");
  EXPECT_EQ(brackets(chain(3), plain_name, 100), "[0, 1, 2]");
  EXPECT_EQ(brackets(chain(9), plain_name, 100), "[0 .. 8]");
  Additions additions;
  pairwise_tree(16, 0, 16, additions);
  EXPECT_EQ(brackets(make_tree(16, additions), plain_name, 12), "((((0 + 1) + ...");
}

TEST(SumTree, says_how_many_additions_values_pass) {
  EXPECT_EQ(depths_text(chain(5)), "1 at each of 1 to 3, 2 at 4");
  Additions additions;
  pairwise_tree(16, 0, 16, additions);
  EXPECT_EQ(depths_text(make_tree(16, additions)), "16 at 4");
}

TEST(SumTree, is_drawn_without_crossings) {
  EXPECT_EQ(draw_text(make_tree(4, {{0, 2}, {1, 3}, {4, 5}}), plain_name),
            " 0  2  1  3\n"
            " └┬─┘  └┬─┘\n"
            "  └──┬──┘\n");
  EXPECT_EQ(draw_text(make_tree(3, {{0, 1, 2}}), plain_name),
            " 0  1  2\n"
            " └──┼──┘\n");
}

TEST(SumTree, is_a_picture) {
  const std::string svg = tree_picture(
      "sums of <T>",
      {{.heading = "one", .lines = {"a & b"}, .tree = chain(3)}, {.heading = "two", .lines = {"no order"}}},
      plain_name);
  const auto count = [&](const std::string& text) {
    int n = 0;
    for (size_t at = svg.find(text); at != std::string::npos; at = svg.find(text, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("<rect x="), 3);
  EXPECT_EQ(count("<circle "), 2);
  EXPECT_EQ(count(">2</text>"), 1);
  EXPECT_EQ(count("sums of &lt;T&gt;"), 3);
  EXPECT_EQ(count("a &amp; b"), 1);
  EXPECT_EQ(count("no order"), 1);
  EXPECT_EQ(count("prefers-color-scheme: dark"), 1);
}

}  // namespace
}  // namespace ordo
