#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/kernels/scan/lines.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::quantile_samples_test {
namespace {

Line quantile_of(Line x, double q) {
  std::sort(x.begin(), x.end());
  const double place = q * double(x.size() - 1);
  const size_t below = size_t(place), above = std::min(below + 1, x.size() - 1);
  return {x[below] + (place - double(below)) * (x[above] - x[below])};
}
template <bool kIgnore>
Sample sample_of(const char* label, const Dims& sizes, int dim, double q) {
  // The place q (n - 1) is rounded to the dtype, and so is the weight that is left of it.
  return line_sample(
      label, test_values(sizes), dim,
      [q](const Tensor& t, int64_t d) { return kIgnore ? nanquantile(t, q, d, true) : quantile(t, q, d, true); },
      [q](const Line& x) { return quantile_of(x, q); }, 8 + double(sizes.product()));
}
ORDO_OP_SAMPLES(quantile) {
  return {sample_of<false>("rows", {3, 10}, 1, 0.3), sample_of<false>("columns", {7, 4}, 0, 0.5),
          sample_of<false>("0-d", {}, 0, 0.7), sample_of<false>("middle", {2, 5, 3}, 1, 1),
          sample_of<false>("least", {2, 50}, 1, 0)};
}
ORDO_OP_SAMPLES(nanquantile) {
  return {sample_of<true>("rows", {3, 10}, 1, 0.3), sample_of<true>("columns", {7, 4}, 0, 0.55)};
}
ORDO_OP_SIZES(quantile) {
  return {sample_of<false>("along", {2, n}, 1, 0.25), sample_of<false>("across", {n, 3}, 0, 0.75)};
}
ORDO_OP_SIZES(nanquantile) { return {sample_of<true>("along", {2, n}, 1, 0.25)}; }
ORDO_OP_INTEGER(quantile, "dim", quantile(some(d), 0.5, v));
ORDO_OP_INTEGER(nanquantile, "dim", nanquantile(some(d), 0.5, v));

TEST(Quantile, interpolations_and_shapes) {
  for (Device device : test_devices()) {
    const Tensor t = tensor<double>({4, 1, 3, 2}).to(device), q = tensor<double>({0, 0.5, 0.9, 1});
    const auto values = [&](Interpolation i) { return quantile(t, q, 0, false, i).to_vector<double>(); };
    const auto linear = values(Interpolation::linear);
    EXPECT_EQ(linear[1], 2.5);
    EXPECT_NEAR(linear[2], 3.7, 1e-14);
    EXPECT_EQ(values(Interpolation::lower), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(values(Interpolation::higher), (std::vector<double>{1, 3, 4, 4}));
    EXPECT_EQ(values(Interpolation::midpoint), (std::vector<double>{1, 2.5, 3.5, 4}));
    EXPECT_EQ(values(Interpolation::nearest), (std::vector<double>{1, 3, 4, 4}));
    const Tensor x = test_values({2, 3, 4}).to(device);
    EXPECT_EQ(quantile(x, q, 1).sizes(), Dims({4, 2, 4}));
    EXPECT_EQ(quantile(x, q, 1, true).sizes(), Dims({4, 2, 1, 4}));
    EXPECT_EQ(quantile(x, 0.5).sizes(), Dims());
    EXPECT_EQ(quantile(x, q, {}, true).sizes(), Dims({4, 1, 1, 1}));
  }
}

TEST(Quantile, nan_and_bad_input) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (Device device : test_devices()) {
    const Tensor t = tensor<double>({1, nan, 3, 2, 4, 5, nan, nan, nan}).view({3, 3}).to(device);
    const auto all = quantile(t, 0.5, 1).to_vector<double>();
    EXPECT_TRUE(std::isnan(all[0]) && all[1] == 4 && std::isnan(all[2]));
    const auto some = nanquantile(t, 0.5, 1).to_vector<double>();
    EXPECT_TRUE(some[0] == 2 && some[1] == 4 && std::isnan(some[2]));
  }
  EXPECT_ORDO_ERROR(quantile(ones({2}), 1.5), ValueError, "quantile");
  EXPECT_ORDO_ERROR(quantile(ones({2}), nan), ValueError, "quantile");
  EXPECT_ORDO_ERROR(quantile(ones({2}), ones({1, 1})), ShapeError, "quantile");
  EXPECT_ORDO_ERROR(quantile(ones({0}), 0.5), ValueError, "quantile");
}

}  // namespace
}  // namespace ordo::test::quantile_samples_test
