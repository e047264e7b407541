#include "tests/kernels/scan/lines.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::cumsum_samples_test {
namespace {

Line sums(const Line& x) {
  Line out;
  double sum = 0;
  for (double v : x) out.push_back(sum += v);
  return out;
}
Line products(const Line& x) {
  Line out;
  double product = 1;
  for (double v : x) out.push_back(product *= v);
  return out;
}
Line log_sums(const Line& x) {
  Line out;
  double sum = 0;
  for (double v : x) out.push_back(std::log(sum += std::exp(v)));
  return out;
}

using Run = Tensor (*)(const Tensor&, int64_t);

std::vector<Sample> samples(Run run, Line (*f)(const Line&)) {
  // The reference adds in plain order, in double; a value here takes part in 128 sums and one for each chunk.
  const auto sample = [=](const char* label, const Dims& sizes, int dim) {
    return line_sample(label, test_values(sizes), dim, run, f, sizes.product() <= 100 ? 16 : 256);
  };
  return {sample("0-d", {}, 0),
          sample("row", {7}, 0),
          sample("rows", {3, 10}, 1),
          sample("columns", {5, 4}, 0),
          sample("middle", {2, 3, 4}, 1),
          sample("one each", {3, 1}, 1),
          sample("empty", {0, 3}, 0),
          sample("no rows", {0, 3}, 1),
          sample("a block", {3, 64}, 1),
          sample("a block and one", {3, 65}, 1),
          sample("blocks across", {130, 5}, 0),
          sample("a chunk and one", {2, 4097}, 1),
          sample("a chunk and one across", {4097, 3}, 0),
          sample("many columns", {300, 150}, 0),
          sample("chunks", {40000}, 0)};
}
std::vector<Sample> sized(int64_t n, Run run, Line (*f)(const Line&)) {
  const auto sample = [=](const char* label, const Dims& sizes, int dim) {
    return line_sample(label, test_values(sizes), dim, run, f, 256);
  };
  return {sample("along", {2, n}, 1), sample("across", {n, 3}, 0), sample("rows", {n, 5}, 1),
          sample("columns", {5, n}, 0), sample("middle", {2, n, 3}, 1)};
}

Tensor sums_along(const Tensor& input, int64_t dim) { return cumsum(input, dim); }
Tensor products_along(const Tensor& input, int64_t dim) { return cumprod(input, dim); }

ORDO_OP_SAMPLES(cumsum) {
  std::vector<Sample> all = samples(sums_along, sums);
  all.push_back(line_sample("integers", test_indices({3, 200}, 50), 1, sums_along, sums));
  all.push_back(line_sample("bool", test_indices({200, 3}, 2).to(boolean), 0, sums_along, sums));
  return all;
}
ORDO_OP_SAMPLES(cumprod) {
  std::vector<Sample> all = samples(products_along, products);
  all.push_back(line_sample("integers", test_indices({30, 6}, 9), 1, products_along, products));
  return all;
}
ORDO_OP_SAMPLES(logcumsumexp) { return samples(logcumsumexp, log_sums); }
ORDO_OP_SIZES(cumsum) { return sized(n, cumsum, sums); }
ORDO_OP_SIZES(cumprod) { return sized(n, cumprod, products); }
ORDO_OP_SIZES(logcumsumexp) { return sized(n, logcumsumexp, log_sums); }

ORDO_OP_INTEGER(cumsum, "dim", cumsum(some(d), v));
ORDO_OP_INTEGER(cumprod, "dim", cumprod(some(d), v));
ORDO_OP_INTEGER(logcumsumexp, "dim", logcumsumexp(some(d), v));

// Ordering rule 6 in plain loops.
std::vector<float> rule6(const std::vector<float>& x) {
  constexpr size_t kBlock = 64, kChunk = 4096;
  std::vector<float> out(x.size());
  float sum = 0, block = 0, chunk = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sum = i % kBlock ? sum + x[i] : x[i];
    float v = i % kChunk < kBlock ? sum : block + sum;
    if (i % kBlock == kBlock - 1) block = v;
    if (i >= kChunk) v = chunk + v;
    if (i % kChunk == kChunk - 1) chunk = v;
    out[i] = v;
  }
  return out;
}

TEST(CumSum, adds_in_the_order_of_rule_6) {
  for (int64_t n : {1, 63, 64, 65, 700, 4096, 4097, 8192, 12345, 200000}) {
    const Tensor x = test_mixed_values({n}).to(float32);
    const std::vector<float> expected = rule6(x.to_vector<float>());
    for (Device device : test_devices()) {
      EXPECT_EQ(cumsum(x.to(device), 0).to_vector<float>(), expected) << n << device.str();
      if (n > 20000) continue;
      const Tensor columns = x.unsqueeze(1).expand({n, 9}).contiguous().to(device);
      EXPECT_EQ(cumsum(columns, 0).select(1, 8).to_vector<float>(), expected) << n << device.str();
    }
  }
}

TEST(CumSum, integers_wrap_and_widen) {
  for (Device device : test_devices()) {
    EXPECT_EQ(cumsum(tensor<uint8_t>({200, 100, 1}).to(device), 0).to_vector<int64_t>(),
              (std::vector<int64_t>{200, 300, 301}));
    EXPECT_EQ(cumsum(ones({3}, boolean).to(device), 0).dtype(), int64);
    const int64_t most = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(cumsum(tensor<int64_t>({most, 2}).to(device), 0).to_vector<int64_t>(),
              (std::vector<int64_t>{most, std::numeric_limits<int64_t>::min() + 1}));
  }
}

TEST(CumSum, infinities_and_nan) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (Device device : test_devices()) {
    const Tensor x = tensor<float>({1, inf, 2, -inf, 3}).to(device);
    const auto sum = cumsum(x, 0).to_vector<float>();
    EXPECT_EQ(sum[2], inf);
    EXPECT_TRUE(std::isnan(sum[3]) && std::isnan(sum[4]));
    const auto log = logcumsumexp(tensor<float>({-inf, -inf, 0, inf, inf, nan, 1}).to(device), 0).to_vector<float>();
    EXPECT_EQ(std::vector<float>(log.begin(), log.begin() + 5), (std::vector<float>{-inf, -inf, 0, inf, inf}));
    EXPECT_TRUE(std::isnan(log[5]) && std::isnan(log[6]));
    EXPECT_EQ(logcumsumexp(tensor<float>({1e30f, 1e30f}).to(device), 0).to_vector<float>()[1], 1e30f);
  }
}

std::vector<double> product_gradient(const std::vector<double>& x, const std::vector<double>& g) {
  std::vector<double> out(x.size());
  for (size_t k = 0; k < x.size(); ++k)
    for (size_t i = k; i < x.size(); ++i) {
      double product = g[i];
      for (size_t j = 0; j <= i; ++j) product *= j == k ? 1 : x[j];
      out[k] += product;
    }
  return out;
}

TEST(CumProd, gradient_of_lines_with_zeros) {
  const std::vector<double> g = {1, -2, 3, 0.5, 2};
  for (Device device : test_devices())
    for (const std::vector<double>& x : {std::vector<double>{2, 3, 0.5, -1, 4},
                                         {2, 0, 3, -1, 4},
                                         {0, 2, 3, 4, 5},
                                         {2, 0, 3, 0, 4},
                                         {0, 0, 1, 2, 3},
                                         {1, 2, 3, 4, 0}}) {
      const Tensor t = from_vector(x, {5}).to(device).set_requires_grad(), from = from_vector(g, {5}).to(device);
      for (bool create_graph : {false, true}) {
        const Tensor d = grad({cumprod(t, 0)}, {t}, {from}, false, create_graph)[0];
        const auto got = d.to_vector<double>(), expected = product_gradient(x, g);
        for (size_t k = 0; k < 5; ++k) EXPECT_NEAR(got[k], expected[k], 1e-12) << k << " " << create_graph;
        if (!create_graph) continue;
        // The second derivative, by differences of the first, which is linear in each x.
        const Tensor second = grad({sum(d * from)}, {t})[0];
        for (size_t j = 0; j < 5; ++j) {
          std::vector<double> high = x, low = x;
          high[j] += 0.5, low[j] -= 0.5;
          const auto a = product_gradient(high, g), b = product_gradient(low, g);
          double expected_second = 0;
          for (size_t k = 0; k < 5; ++k) expected_second += (a[k] - b[k]) * g[k];
          EXPECT_NEAR(second.to_vector<double>()[j], expected_second, 1e-11) << j;
        }
      }
    }
  const Tensor zero = zeros({}).set_requires_grad();
  cumprod(zero, 0).backward();
  EXPECT_EQ(zero.grad().item<float>(), 1);
}

}  // namespace
}  // namespace ordo::test::cumsum_samples_test
