#include "tests/kernels/reduce/reference.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::prod_samples_test {
namespace {

double product(const Values& v) { return std::accumulate(v.begin(), v.end(), 1.0, std::multiplies<double>()); }
double log_of_exponentials(const Values& v) {
  double max = v.empty() ? 0 : v[0], s = 0;
  for (double x : v) max = std::max(max, x);
  for (double x : v) s += std::exp(x - max);
  return std::log(s) + max;
}
double nonzero(const Values& v) {
  return double(std::count_if(v.begin(), v.end(), [](double x) { return x != 0; }));
}

Tensor count_of(const Tensor& t, const Dims& d, bool) { return count_nonzero(t, d); }

/// Magnitudes near 1, so that long products stay in range; every factor rounds.
Sample product_sample(const char* label, const Dims& sizes, const Dims& dims, double spread) {
  Sample s = reduce_sample(label, test_values(sizes, 0, 1 - spread, 1 + spread), dims, product,
                           [dims](const Tensor& t) { return prod(t, dims, true); });
  const int64_t n = sizes.product();
  s.tolerance = n <= 100 ? 64.0 : double(n);  // a rounding for every factor
  return s;
}

ORDO_OP_SAMPLES(prod) {
  return {product_sample("0-d", {}, {}, 0.9),
          product_sample("all", {3, 4}, {}, 0.9),
          product_sample("first", {5, 3}, {0}, 0.9),
          product_sample("last", {3, 5}, {1}, 0.9),
          product_sample("outer and inner", {3, 2, 4}, {0, 2}, 0.9),
          product_sample("no outputs", {0, 3}, {1}, 0.9),
          product_sample("of nothing", {0, 3}, {0}, 0.9),
          product_sample("33 across", {33, 67}, {0}, 0.05),
          product_sample("a block and one", {3, 4097}, {1}, 0.001),
          product_sample("a block and one across", {4097, 3}, {0}, 0.001)};
}
ORDO_OP_SIZES(prod) {
  const double spread = std::min(0.5, 4 / double(n));
  return {product_sample("all", {n}, {}, spread), product_sample("along", {2, n}, {1}, spread),
          product_sample("across", {n, 3}, {0}, spread), product_sample("rows", {n, 5}, {1}, 0.5),
          product_sample("columns", {3, n}, {0}, 0.5)};
}
ORDO_OP_SAMPLES(logsumexp) { return reduce_samples(logsumexp, log_of_exponentials, false); }
ORDO_OP_SIZES(logsumexp) { return reduce_sizes(n, logsumexp, log_of_exponentials); }
ORDO_OP_SAMPLES(nansum) { return reduce_samples(nansum, total); }
ORDO_OP_SIZES(nansum) { return reduce_sizes(n, nansum, total); }
ORDO_OP_SAMPLES(nanmean) { return reduce_samples(nanmean, average, false); }
ORDO_OP_SIZES(nanmean) { return reduce_sizes(n, nanmean, average); }
ORDO_OP_SAMPLES(count_nonzero) {
  std::vector<Sample> out;
  for (Sample& s : reduce_samples(count_of, nonzero))
    if (s.label.find("keepdim") == std::string::npos) out.push_back(std::move(s));
  return out;
}
ORDO_OP_SIZES(count_nonzero) { return reduce_sizes(n, count_of, nonzero); }

ORDO_OP_INTEGER(prod, "dim", prod(some(d), v));
ORDO_OP_INTEGER(logsumexp, "dim", logsumexp(some(d), v));
ORDO_OP_INTEGER(nansum, "dim", nansum(some(d), v));
ORDO_OP_INTEGER(nanmean, "dim", nanmean(some(d), v));
ORDO_OP_INTEGER(count_nonzero, "dim", count_nonzero(some(d), v));

// The gradient of each element is the product of the others; the same with a graph, where it is computed otherwise.
TEST(Prod, gradients_with_zeros) {
  const std::vector<Values> rows{{2, 0, 3}, {0, 0, 5}, {2, 3, 4}, {0, 0, 0}, {-1, 0.5, 0}};
  for (Device device : test_devices())
    for (bool graph : {false, true})
      for (const Values& row : rows) {
        const Tensor x = from_vector<double>(row, {3}).to(device).set_requires_grad();
        const Values g = grad({prod(x)}, {x}, {}, true, graph)[0].to_vector<double>();
        for (size_t i = 0; i < 3; ++i) EXPECT_EQ(g[i], row[(i + 1) % 3] * row[(i + 2) % 3]) << i << graph;
      }
}

TEST(Prod, second_derivatives_with_zeros) {
  for (Device device : test_devices()) {
    const Tensor x = from_vector<double>({2, 0, 3}, {3}).to(device).set_requires_grad();
    const Tensor g = grad({prod(x)}, {x}, {}, true, true)[0];
    EXPECT_EQ(grad({sum(g)}, {x})[0].to_vector<double>(), Values({3, 5, 2}));
  }
}

TEST(Prod, integers_wrap) {
  for (Device device : test_devices()) {
    EXPECT_EQ(prod(full({64}, 2, {int32, device})).item<int64_t>(), 0);
    EXPECT_EQ(prod(full({41}, 3, {int64, device})).item<int64_t>(), -420491770248316829);
  }
}

TEST(LogSumExp, infinities) {
  for (Device device : test_devices()) {
    const auto of = [&](const Values& v) {
      return logsumexp(from_vector<double>(v, {int64_t(v.size())}).to(device), 0).item<double>();
    };
    EXPECT_EQ(of({-INFINITY, -INFINITY}), -INFINITY);
    EXPECT_EQ(of({}), -INFINITY);
    EXPECT_EQ(of({INFINITY, -INFINITY}), INFINITY);
    EXPECT_EQ(of({-INFINITY, 2}), 2);
    EXPECT_TRUE(std::isnan(of({NAN, INFINITY})));
    EXPECT_EQ(of({1e308, -1e308}), 1e308);
  }
}

TEST(NanSum, passes_over_nan) {
  for (Device device : test_devices()) {
    const Tensor x = from_vector<double>({NAN, 1, 2, NAN, NAN, NAN}, {2, 3}).to(device).set_requires_grad();
    EXPECT_EQ(nansum(x, 1).to_vector<double>(), Values({3, 0}));
    EXPECT_EQ(nanmean(x).item<double>(), 1.5);
    EXPECT_TRUE(std::isnan(nanmean(x, 1).to_vector<double>()[1]));
    EXPECT_EQ(grad({nanmean(x)}, {x})[0].to_vector<double>(), Values({0, 0.5, 0.5, 0, 0, 0}));
    EXPECT_EQ(count_nonzero(x).item<int64_t>(), 6);
    EXPECT_EQ(nanmean(ones({70000}, {float16, device})).item<double>(), 1);
  }
}

TEST(Prod, bad_input) { EXPECT_ORDO_ERROR(prod(ones({2, 2}), {1, -1}), ValueError, "prod"); }

}  // namespace
}  // namespace ordo::test::prod_samples_test
