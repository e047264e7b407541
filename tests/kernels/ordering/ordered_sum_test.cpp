#include <gtest/gtest.h>

#include <cmath>

#include <ordo/kernels/ordering/ordered_sum.h>
#include "tests/kernels/ordering/rule1.h"
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

using kernels::OrderedSum;

// Around every power of 64 that a test can afford, and in between.
const int64_t kLengths[] = {1,    2,    63,   64,   65,   66,    127,   128,    129,    1000,   4032,   4033,
                            4095, 4096, 4097, 4160, 8192, 20000, 64000, 262143, 262144, 262145, 262209, 300000};

std::vector<float> values(int64_t length) { return test_mixed_values({length}, 1).to(float32).to_vector<float>(); }

TEST(OrderedSum, agrees_with_rule_1) {
  for (int64_t length : kLengths) {
    const auto v = values(length);
    OrderedSum<float> sum;
    for (float x : v) sum.push(x);
    EXPECT_EQ(sum.count(), length);
    EXPECT_EQ(sum.result(), rule1(v)) << length << " values";
  }
}

TEST(OrderedSum, takes_whole_groups) {
  for (int64_t length : kLengths) {
    const auto v = values(length);
    OrderedSum<float> sum;
    int64_t i = 0;
    for (; i + 64 <= length; i += 64) sum.push_group(rule1(std::vector<float>(v.begin() + i, v.begin() + i + 64)));
    for (; i < length; ++i) sum.push(v[size_t(i)]);
    EXPECT_EQ(sum.result(), rule1(v)) << length << " values";
  }
}

TEST(OrderedSum, of_nothing_is_zero) { EXPECT_EQ(OrderedSum<double>().result(), 0); }

TEST(OrderedSum, begins_with_the_first_value) {
  // Not with zero: 0 + -0 would be +0.
  OrderedSum<float> sum;
  sum.push(-0.0f);
  EXPECT_TRUE(std::signbit(sum.result()));
}

}  // namespace
}  // namespace ordo::test
