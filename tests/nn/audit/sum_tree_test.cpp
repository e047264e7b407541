// Trees that are found from sums alone are those of the loops that computed the sums.
#include <gtest/gtest.h>
#include <ordo/engine/calls/error.h>
#include <ordo/nn/audit/sum_tree.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace ordo::audit {
namespace {

using Values = std::vector<double>;
using Additions = std::vector<std::vector<int>>;

constexpr double kMass = 0x1p100;

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
    const int n = 2 + int(random() % 130);
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

TEST(SumTree, is_written_with_parentheses) {
  EXPECT_EQ(recover_tree(4, left_to_right, kMass).tree.str(), "(((0+1)+2)+3)");
  EXPECT_EQ(recover_tree(1, left_to_right, kMass).tree.str(), "0");
  EXPECT_EQ(make_tree(3, {{0, 1, 2}}).str(), "(0+1+2)");
}

TEST(SumTree, refuses_what_has_no_order) {
  EXPECT_THROW(recover_tree(0, left_to_right, kMass), ValueError);
  EXPECT_THROW(adds_unrounded_products(
                   1, [](const Values&, const Values&) { return 0.0; }, 24),
               ValueError);
  EXPECT_THROW(add_by(make_tree(3, {{0, 1, 2}}), std::vector<float>(3)), ValueError);
  EXPECT_THROW(add_by(chain(3), std::vector<float>(2)), ShapeError);
}

}  // namespace
}  // namespace ordo::audit
