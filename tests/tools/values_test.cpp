// What ordo check says of two tensors, value by value.
#include "tools/ordo/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tools/ordo/json.h"

namespace ordo {
namespace {

TEST(CompareValues, counts_ulps_across_zero_and_names_the_first_that_differs) {
  const float least = std::numeric_limits<float>::denorm_min();
  const Tensor a = tensor<float>({1, least, 0.0f, 5}).view({2, 2}),
               b = tensor<float>({1, -least, -0.0f, 5}).view({2, 2});
  const ValueDiff d = compare_values("output-0", a, b, float32);
  EXPECT_EQ(d.elements, 4);
  EXPECT_EQ(d.differ, 2);
  EXPECT_EQ(d.ulps, 2u);
  EXPECT_EQ(d.absolute, 2.0 * least);
  EXPECT_EQ(d.index, (std::vector<int64_t>{0, 1}));
}

TEST(CompareValues, takes_no_distance_from_nans) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const ValueDiff d =
      compare_values("x", tensor<float>({nan, 1, 1}), tensor<float>({1, std::nextafter(1.0f, 2.0f), 1}), float32);
  EXPECT_EQ(d.differ, 2);
  EXPECT_EQ(d.nans, 1);
  EXPECT_EQ(d.ulps, 1u);
}

TEST(CompareValues, knows_the_dtype) {
  const Tensor a = tensor<float>({1}), b = tensor<float>({1.0078125f});  // 1 + 2^-7
  EXPECT_EQ(compare_values("x", a, b, bfloat16).ulps, 1u);
  EXPECT_EQ(compare_values("x", a, b, float32).ulps, 1u << 16);
  EXPECT_EQ(compare_values("x", a.to(float16), b.to(float16), float16).ulps, 8u);
  EXPECT_EQ(compare_values("x", a.to(float64), b.to(float64), float64).ulps, uint64_t(1) << 45);
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(compare_values("x", tensor<int64_t>({most}), tensor<int64_t>({-most}), int64).ulps, uint64_t(most) * 2);
  EXPECT_NE(compare_values("x", a, b.view({1, 1}), float32).note, "");
  EXPECT_TRUE(compare_values("x", a, a, float32).equal());
}

TEST(CompareValues, tells_nans_of_one_run_from_nans_of_other_bits) {
  const Tensor a = tensor<float>({NAN, NAN, 1, 2}), b = tensor<float>({-NAN, NAN, NAN, 2});
  const ValueDiff d = compare_values("output-0", a, b, float32);
  EXPECT_EQ(d.differ, 2);
  EXPECT_EQ(d.nans, 2);
  EXPECT_EQ(d.nan_in_one, 1);
  EXPECT_EQ(d.nans_a, 2);
  EXPECT_EQ(d.nans_b, 3);
  EXPECT_NE(d.str().find("2 of them NaN in a run, 2 in A and 3 in B in all"), std::string::npos) << d.str();
}

TEST(Json, takes_names_of_any_bytes) {
  EXPECT_EQ(Json({{"name", "a\xff\xfe\"b"}}).lines(), "{\n  \"name\": \"a\xef\xbf\xbd\xef\xbf\xbd\\\"b\"\n}\n");
}

TEST(Json, nests_and_grows) {
  const Json pair{{"a", {{"b", true}}}, {"c", std::vector<double>{0.5, NAN}}};
  EXPECT_EQ(pair.with("d", Json()).text(), R"({"a":{"b":true},"c":[0.5,null],"d":null})");
}

}  // namespace
}  // namespace ordo
