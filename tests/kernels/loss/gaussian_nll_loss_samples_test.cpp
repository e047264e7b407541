#include "tests/kernels/loss/loss_samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::gaussian_nll_loss_samples_test {
namespace {

const double kTwoPi = 8 * std::atan(1.0);

Sample gaussian_sample(const char* label, const Dims& sizes, const Dims& var, Reduction reduction, bool full = false) {
  return loss_sample(
      label, {test_values(sizes), test_values(sizes, 1), test_values(var, 2, 0.25, 2)},
      [=](const TensorList& in) {
        return gaussian_nll_loss(in[0], in[1], in[2], {.full = full, .reduction = reduction});
      },
      [=](const TensorList& in) {
        const auto x = doubles(in[0]), t = doubles(in[1]), v = doubles(in[2]);
        std::vector<double> losses;
        for (size_t i = 0; i < x.size(); ++i) {
          const double of_this = v[i / (x.size() / v.size())], d = x[i] - t[i];
          losses.push_back((std::log(of_this) + d * d / of_this + (full ? std::log(kTwoPi) : 0)) / 2);
        }
        return losses;
      },
      reduction);
}
ORDO_OP_SAMPLES(gaussian_nll_loss) {
  return {gaussian_sample("mean", {3, 4}, {3, 4}, Reduction::mean),
          gaussian_sample("sum, full", {5}, {5}, Reduction::sum, true),
          gaussian_sample("none, a variance for each row", {2, 3}, {2, 1}, Reduction::none),
          gaussian_sample("a variance for each row", {4, 3}, {4}, Reduction::mean, true),
          gaussian_sample("one variance", {7}, {}, Reduction::none),
          gaussian_sample("0-d", {}, {}, Reduction::mean),
          gaussian_sample("sum of nothing", {0}, {0}, Reduction::sum),
          gaussian_sample("a block and one", {17, 241}, {17, 241}, Reduction::mean)};
}
ORDO_OP_SIZES(gaussian_nll_loss) {
  return {gaussian_sample("mean", {n}, {n}, Reduction::mean),
          gaussian_sample("none, rows", {n, 2}, {n}, Reduction::none, true)};
}
ORDO_OP_INTEGER(gaussian_nll_loss, "reduction",
                gaussian_nll_loss(some(d), some(d), some(d), {.reduction = Reduction(uint8_t(v))}));

Sample poisson_sample(const char* label, const Dims& sizes, Reduction reduction, bool log_input, bool full = false,
                      bool integers = false) {
  // No target next to 1, where Stirling's term begins.
  const Tensor target = integers ? test_indices(sizes, 6, 1) : test_values(sizes, 1, 1.25, 6);
  return element_loss(
      label, {log_input ? test_values(sizes) : test_values(sizes, 0, 0.25, 3), target},
      [=](const TensorList& in) {
        return poisson_nll_loss(in[0], in[1], {.log_input = log_input, .full = full, .reduction = reduction});
      },
      [=](const std::vector<double>& v) {
        const double x = v[0], t = v[1], stirling = t > 1 ? t * std::log(t) - t + std::log(kTwoPi * t) / 2 : 0;
        return (log_input ? std::exp(x) - t * x : x - t * std::log(x + 1e-8)) + (full ? stirling : 0);
      },
      reduction);
}
ORDO_OP_SAMPLES(poisson_nll_loss) {
  return {poisson_sample("mean", {3, 4}, Reduction::mean, true),
          poisson_sample("sum, full", {5}, Reduction::sum, true, true),
          poisson_sample("none, full, counts", {4, 5}, Reduction::none, true, true, true),
          poisson_sample("none", {2, 3}, Reduction::none, false),
          poisson_sample("expected counts, full, counts", {3, 4}, Reduction::mean, false, true, true),
          poisson_sample("0-d", {}, Reduction::mean, false),
          poisson_sample("sum of nothing", {0}, Reduction::sum, true),
          poisson_sample("a block and one", {17, 241}, Reduction::mean, true, true)};
}
ORDO_OP_SIZES(poisson_nll_loss) {
  return {poisson_sample("mean", {n}, Reduction::mean, true, true, true),
          poisson_sample("none", {n}, Reduction::none, false)};
}
ORDO_OP_INTEGER(poisson_nll_loss, "target",
                poisson_nll_loss(some(d)[0].narrow(0, 0, 1), one_index(v, d), {.full = true}));
ORDO_OP_INTEGER(poisson_nll_loss, "reduction",
                poisson_nll_loss(some(d), some(d), {.reduction = Reduction(uint8_t(v))}));

TEST(GaussianNllLoss, small_variances_are_eps_and_have_a_gradient) {
  for (Device device : test_devices()) {
    const Tensor v = from_vector<double>({0, 0.25, 4}, {3}).to(device).set_requires_grad();
    const Tensor zero = zeros({3}, {float64, device}), one = ones({3}, {float64, device});
    const Tensor loss = gaussian_nll_loss(zero, one, v, {.eps = 0.5, .reduction = Reduction::none});
    const auto losses = loss.to_vector<double>();
    EXPECT_NEAR(losses[0], (std::log(0.5) + 2) / 2, 1e-15);
    EXPECT_EQ(losses[0], losses[1]);
    EXPECT_EQ(grad({loss}, {v}, {one})[0].to_vector<double>(), (std::vector<double>{-1, -1, 0.09375}));
  }
}

TEST(GaussianNllLoss, bad_input) {
  const Tensor x = ones({2, 3});
  EXPECT_ORDO_ERROR(gaussian_nll_loss(x, x, x * -1), ValueError, "negative");
}

}  // namespace
}  // namespace ordo::test::gaussian_nll_loss_samples_test
