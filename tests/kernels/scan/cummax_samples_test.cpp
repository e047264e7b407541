#include "tests/kernels/scan/lines.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::cummax_samples_test {
namespace {

Line largest(const Line& x) {
  Line out;
  for (double v : x) out.push_back(out.empty() ? v : std::max(out.back(), v));
  return out;
}
Line smallest(const Line& x) {
  Line out;
  for (double v : x) out.push_back(out.empty() ? v : std::min(out.back(), v));
  return out;
}
Line last_largest(const Line& x) {
  Line out;
  size_t at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] >= x[at]) at = i;
    out.push_back(double(at));
  }
  return out;
}

Tensor max_values(const Tensor& t, int64_t dim) { return cummax(t, dim).values; }
Tensor max_indices(const Tensor& t, int64_t dim) { return cummax(t, dim).indices; }
Tensor min_values(const Tensor& t, int64_t dim) { return cummin(t, dim).values; }

ORDO_OP_SAMPLES(cummax) {
  return {line_sample("0-d", test_values({}), 0, max_values, largest),
          line_sample("rows", test_values({3, 10}), 1, max_values, largest),
          line_sample("columns", test_values({6, 4}), 0, max_values, largest),
          line_sample("empty", test_values({0, 4}), 0, max_values, largest),
          line_sample("ties", test_indices({3, 200}, 4).to(float64), 1, max_indices, last_largest),
          line_sample("ties across", test_indices({500, 3}, 300), 0, max_indices, last_largest),
          line_sample("blocks", test_values({2, 5000}), 1, max_values, largest),
          line_sample("one line", test_values({70000}), 0, max_indices, last_largest),
          line_sample("bool", test_indices({5, 40}, 2).to(boolean), 1, max_indices, last_largest)};
}
ORDO_OP_SAMPLES(cummin) {
  return {line_sample("rows", test_values({3, 10}), 1, min_values, smallest),
          line_sample("middle", test_values({2, 3, 4}), 1, min_values, smallest),
          line_sample("across", test_values({5000, 3}), 0, min_values, smallest),
          line_sample("uint8", test_indices({4, 90}, 200, 1, uint8), 1, min_values, smallest)};
}
std::vector<Sample> sized(int64_t n, Tensor (*run)(const Tensor&, int64_t), Line (*f)(const Line&)) {
  return {line_sample("along", test_values({2, n}), 1, run, f), line_sample("across", test_values({n, 3}), 0, run, f),
          line_sample("rows", test_values({n, 5}), 1, run, f), line_sample("columns", test_values({3, n}), 0, run, f)};
}
ORDO_OP_SIZES(cummax) {
  auto all = sized(n, max_values, largest);
  for (Sample& s : sized(n, max_indices, last_largest)) all.push_back(std::move(s));
  return all;
}
ORDO_OP_SIZES(cummin) { return sized(n, min_values, smallest); }
ORDO_OP_INTEGER(cummax, "dim", cummax(some(d), v).indices);
ORDO_OP_INTEGER(cummin, "dim", cummin(some(d), v).values);

TEST(CumMax, last_of_equal_values_and_nan) {
  for (Device device : test_devices())
    for (int64_t columns : {1, 9}) {
      const Tensor line = tensor<float>({1, 3, 3, 2, -0.0f, NAN, 7, NAN, 0}).unsqueeze(1).expand({9, columns});
      const auto [values, indices] = cummax(line.contiguous().to(device), 0);
      EXPECT_EQ(indices.select(1, columns - 1).to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 2, 2, 5, 5, 7, 7}));
      EXPECT_EQ(values.select(1, 0).to_vector<float>()[4], 3);
      EXPECT_TRUE(std::isnan(values.select(1, 0).to_vector<float>()[8]));
      EXPECT_EQ(cummin(line.contiguous().to(device), 0).indices.select(1, 0).to_vector<int64_t>(),
                (std::vector<int64_t>{0, 0, 0, 0, 4, 5, 5, 7, 7}));
    }
  Tensor t = tensor<float>({1, 3, 3, 2}).set_requires_grad();
  cummax(t, 0).values.backward(tensor<float>({1, 10, 100, 1000}));
  EXPECT_EQ(t.grad().to_vector<float>(), (std::vector<float>{1, 10, 1100, 0}));
}

// Values are looked at many at a time: what changes in the midst of them, and NaNs, must be found.
TEST(CumMax, long_lines) {
  auto line = test_values({700}).to(float32).to_vector<float>();
  line[130] = line[190] = 9, line[450] = line[451] = NAN, line[600] = 20;
  for (Device device : test_devices())
    for (float sign : {1.0f, -1.0f}) {
      std::vector<float> values = line;
      for (float& v : values) v *= sign;
      const auto got = sign > 0 ? cummax(from_vector(values, {700}).to(device), 0)
                                : cummin(from_vector(values, {700}).to(device), 0);
      const auto indices = got.indices.to_vector<int64_t>();
      size_t at = 0;
      for (size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i]) || (!std::isnan(values[at]) && values[i] * sign >= values[at] * sign)) at = i;
        ASSERT_EQ(indices[i], int64_t(at)) << i;
      }
      EXPECT_EQ(got.values.narrow(0, 0, 450).to_vector<float>()[300], 9 * sign);
    }
}

Line differences(const Line& x) {
  Line out;
  for (size_t i = 1; i < x.size(); ++i) out.push_back(x[i] - x[i - 1]);
  return out;
}
Line second_differences(const Line& x) { return differences(differences(x)); }

Tensor once(const Tensor& t, int64_t dim) { return diff(t, 1, dim); }
Tensor twice(const Tensor& t, int64_t dim) { return diff(t, 2, dim); }

ORDO_OP_SAMPLES(diff) {
  return {line_sample("row", test_values({7}), 0, once, differences, 2),
          line_sample("rows", test_values({3, 5}), 1, once, differences, 2),
          line_sample("columns", test_values({5, 3}), 0, twice, second_differences, 8),
          line_sample("one", test_values({3, 1}), 1, once, differences, 2),
          line_sample("none", test_values({3, 0}), 1, once, differences, 2),
          line_sample("integers", test_indices({3, 9}, 50), 1, twice, second_differences)};
}
ORDO_OP_SIZES(diff) {
  return {line_sample("along", test_values({2, n + 1}), 1, once, differences, 2),
          line_sample("across", test_values({n, 3}), 0, once, differences, 2),
          line_sample("columns", test_values({3, n}), 0, twice, second_differences, 8)};
}
ORDO_OP_INTEGER(diff, "n", diff(some(d), v));
ORDO_OP_INTEGER(diff, "dim", diff(some(d), 1, v));

TEST(Diff, joins_and_refuses) {
  const Tensor t = tensor<int64_t>({1, 4, 9});
  EXPECT_EQ(diff(t, 1, -1, tensor<int64_t>({0}), tensor<int64_t>({16, 25})).to_vector<int64_t>(),
            (std::vector<int64_t>{1, 3, 5, 7, 9}));
  EXPECT_EQ(diff(t, 0).to_vector<int64_t>(), t.to_vector<int64_t>());
  EXPECT_EQ(diff(t, 7).sizes(), Dims({0}));
  EXPECT_EQ(diff(tensor<int64_t>({0, 2, 2}).to(boolean)).to_vector<bool>(), (std::vector<bool>{true, false}));
  EXPECT_ORDO_ERROR(diff(t, 1, 0, ones({1, 1}, int64)), ShapeError, "diff");
}

}  // namespace
}  // namespace ordo::test::cummax_samples_test
