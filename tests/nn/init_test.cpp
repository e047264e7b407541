// Initialisers of matrices and windows, truncated normal numbers, and initialisers by name.
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/op_samples.h"

namespace ordo::test::init_test {
namespace {

namespace init = nn::init;

TEST(Init, truncated_normal) {
  struct Case {
    double mean, std, a, b;
  };
  // Around the middle, far above it, far below, one side only, and an interval narrower than a standard deviation.
  for (const Case& c :
       {Case{0, 1, -2, 2}, Case{1, 2, 7, 9}, Case{1, 2, -9, -5}, Case{0, 0.02, 0, 100}, Case{0, 1, 0.5, 0.51}}) {
    manual_seed(1);
    const int64_t n = 20000;
    const Tensor t = init::trunc_normal_(zeros({n}, float64), c.mean, c.std, c.a, c.b);
    // Mean and variance of the truncated distribution, by Simpson's rule.
    const double low = std::max(c.a, c.mean - 12 * c.std), high = std::min(c.b, c.mean + 12 * c.std);
    double total = 0, first = 0, second = 0;
    const int steps = 20000;
    for (int i = 0; i <= steps; ++i) {
      const double x = low + (high - low) * i / steps, z = (x - c.mean) / c.std;
      const double weight = (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2) * std::exp(-z * z / 2);
      total += weight, first += weight * x, second += weight * x * x;
    }
    const double mean = first / total, variance = second / total - mean * mean;
    double sum = 0, squares = 0, least = INFINITY, greatest = -INFINITY;
    for (const double v : t.to_vector<double>()) {
      sum += v, squares += (v - mean) * (v - mean);
      least = std::min(least, v), greatest = std::max(greatest, v);
    }
    EXPECT_GE(least, c.a);
    EXPECT_LE(greatest, c.b);
    // Five standard errors; the fourth central moment of these is at most nine variances squared.
    EXPECT_NEAR(sum / double(n), mean, 5 * std::sqrt(variance / double(n))) << c.a;
    EXPECT_NEAR(squares / double(n), variance, 5 * std::sqrt(8 * variance * variance / double(n))) << c.a;
  }
  EXPECT_ORDO_ERROR(init::trunc_normal_(zeros({3}), 0, 0), ValueError, "std");
  EXPECT_ORDO_ERROR(init::trunc_normal_(zeros({3}), 0, 1, 2, 2), ValueError, "a below b");
  EXPECT_ORDO_ERROR(init::trunc_normal_(zeros({3}, int64)), DTypeError, "trunc_normal_");
  EXPECT_EQ(init::trunc_normal_(zeros({0, 3})).numel(), 0);
}

TEST(Init, truncated_normal_is_the_inverse_of_the_distribution_function) {
  manual_seed(4);
  const auto got = init::trunc_normal_(zeros({1000}, float64), 0, 1, -6, 3).to_vector<double>();
  manual_seed(4);
  const auto uniform = rand({1000}, float64).to_vector<double>();
  const auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  for (size_t i = 0; i < got.size(); ++i) {
    const double p = cdf(-6) + uniform[i] * (cdf(3) - cdf(-6));
    EXPECT_NEAR(cdf(got[i]), p, 4e-16 + 1e-13 * p) << i;
  }
}

TEST(Init, orthogonal) {
  manual_seed(2);
  for (const Dims& sizes : {Dims{5, 5}, Dims{4, 7}, Dims{9, 3}, Dims{4, 2, 3, 3}, Dims{30, 2, 3}}) {
    const int64_t rows = sizes[0], columns = sizes.product() / rows, least = std::min(rows, columns);
    const Tensor t = init::orthogonal_(zeros(sizes, float64), 2).reshape({rows, columns});
    const Tensor products = rows < columns ? matmul(t, t.t()) : matmul(t.t(), t);
    EXPECT_LT((products - eye(least, {float64}) * 4).abs().max().item(), 1e-14) << sizes.str();
  }
  // The signs are drawn: without their correction the diagonal of R would fix them.
  int positive = 0;
  for (int i = 0; i < 64; ++i) positive += init::orthogonal_(zeros({1, 1}))[0][0].item() > 0;
  EXPECT_GT(positive, 16);
  EXPECT_LT(positive, 48);
  EXPECT_EQ(init::orthogonal_(zeros({3, 3}, bfloat16)).dtype(), bfloat16);
  EXPECT_ORDO_ERROR(init::orthogonal_(zeros({3})), ShapeError, "orthogonal_");
  EXPECT_EQ(init::orthogonal_(zeros({0, 3})).numel(), 0);
}

TEST(Init, eye_and_dirac) {
  EXPECT_EQ(init::eye_(ones({2, 3})).to_vector<float>(), (std::vector<float>{1, 0, 0, 0, 1, 0}));
  EXPECT_ORDO_ERROR(init::eye_(ones({2, 3, 1})), ShapeError, "eye_");
  // A convolution that changes nothing, with groups too.
  const Tensor x = test_values({2, 4, 5, 6}).to(float32);
  EXPECT_EQ(bytes_of(conv2d(x, init::dirac_(ones({4, 4, 3, 5})), {}, {.padding = {1, 2}})), bytes_of(x));
  EXPECT_EQ(bytes_of(conv2d(x, init::dirac_(ones({4, 2, 3, 3}), 2), {}, {.padding = 1, .groups = 2})), bytes_of(x));
  EXPECT_EQ(init::dirac_(ones({3, 2, 1})).to_vector<float>(), (std::vector<float>{1, 0, 0, 1, 0, 0}));
  EXPECT_ORDO_ERROR(init::dirac_(ones({2, 2})), ShapeError, "dirac_");
  EXPECT_ORDO_ERROR(init::dirac_(ones({3, 2, 1}), 2), ValueError, "groups = 2");
}

TEST(Init, sparse) {
  manual_seed(3);
  const Tensor t = init::sparse_(zeros({10, 6}), 0.25, 0.5);
  std::set<std::string> patterns;
  for (int64_t c = 0; c < 6; ++c) {
    std::string pattern;
    for (const double v : t.select(1, c).to_vector<double>()) pattern += v == 0 ? '0' : 'x';
    EXPECT_EQ(std::count(pattern.begin(), pattern.end(), '0'), 3);  // ceil(2.5)
    patterns.insert(pattern);
  }
  EXPECT_GT(patterns.size(), 2u);
  EXPECT_LT(t.abs().max().item(), 2.5);
  EXPECT_ORDO_ERROR(init::sparse_(zeros({3}), 0.5), ShapeError, "sparse_");
  EXPECT_ORDO_ERROR(init::sparse_(zeros({3, 3}), 1.5), ValueError, "sparsity = 1.5");
}

TEST(Init, by_name_seeded_and_the_same_on_every_device) {
  for (const std::string& name : init::names()) {
    const auto initialise = init::by_name(name);
    const Dims sizes = name == "eye_" ? Dims{6, 4} : name == "dirac_" ? Dims{6, 4, 3} : Dims{6, 4, 2};
    manual_seed(5);
    const Tensor expected = initialise(full(sizes, 7));
    manual_seed(5);
    EXPECT_EQ(bytes_of(initialise(full(sizes, 7))), bytes_of(expected)) << name;
    for (Device device : test_devices()) {
      manual_seed(5);
      const Tensor there = initialise(full(sizes, 7, device));
      EXPECT_EQ(there.device(), device);
      EXPECT_EQ(bytes_of(there), bytes_of(expected)) << name << " " << device.str();
    }
  }
  manual_seed(5);
  const Tensor direct = init::kaiming_normal_(zeros({6, 4}));
  manual_seed(5);
  EXPECT_EQ(bytes_of(init::by_name("kaiming_normal_")(zeros({6, 4}))), bytes_of(direct));
  EXPECT_ORDO_ERROR(init::by_name("kaiming"), ValueError,
                    "\"kaiming\" is not an initialiser; there are dirac_, eye_, kaiming_normal_, kaiming_uniform_, "
                    "normal_, ones_, orthogonal_, trunc_normal_, uniform_, xavier_normal_, xavier_uniform_, zeros_");
}

TEST(Init, of_a_model) {
  manual_seed(6);
  nn::Sequential model{nn::Linear(4, 3), nn::LayerNorm(3), nn::Linear(3, 2)};
  const auto before = bytes_of(model.named_parameters()[1].tensor);
  EXPECT_EQ(init::apply(model, "orthogonal_"), 2);
  const auto parameters = model.named_parameters();
  const Tensor first = parameters[0].tensor.detach();
  EXPECT_LT((matmul(first, first.t()) - eye(3)).abs().max().item(), 1e-6);
  EXPECT_EQ(bytes_of(parameters[1].tensor), before);
  EXPECT_EQ(parameters[2].tensor.to_vector<float>(), std::vector<float>(3, 1));
  EXPECT_TRUE(parameters[0].tensor.requires_grad());
  EXPECT_EQ(init::apply(model, [](Tensor t) { return init::constant_(t, 0.5); }), 2);
  EXPECT_EQ(parameters[4].tensor.to_vector<float>(), std::vector<float>(6, 0.5));
  EXPECT_ORDO_ERROR(init::apply(model, "orthogonal"), ValueError, "\"orthogonal\" is not an initialiser");
  EXPECT_DOUBLE_EQ(init::gain(init::Nonlinearity::selu), 0.75);
}

}  // namespace
}  // namespace ordo::test::init_test
