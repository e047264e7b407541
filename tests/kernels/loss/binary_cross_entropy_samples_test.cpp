#include "tests/kernels/loss/loss_samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::binary_cross_entropy_samples_test {
namespace {

double logarithm(double x) { return std::max(std::log(x), -100.0); }

// -- binary_cross_entropy

Sample of_probabilities(const char* label, const Dims& sizes, Reduction reduction, const Dims* weight = nullptr) {
  TensorList inputs{test_values(sizes, 0, 0.0625, 0.9375), test_values(sizes, 1, 0, 1)};
  if (weight) inputs.push_back(test_values(*weight, 2, 0.5, 2));
  return element_loss(
      label, std::move(inputs),
      [=](const TensorList& in) {
        return binary_cross_entropy(in[0], in[1], {.weight = in.size() > 2 ? in[2] : Tensor(), .reduction = reduction});
      },
      [](const std::vector<double>& v) {
        return -(v.size() > 2 ? v[2] : 1) * (v[1] * logarithm(v[0]) + (1 - v[1]) * logarithm(1 - v[0]));
      },
      reduction);
}

ORDO_OP_SAMPLES(binary_cross_entropy) {
  const Dims row{4}, all{3, 4};
  return {of_probabilities("mean", {3, 4}, Reduction::mean),
          of_probabilities("sum", {5}, Reduction::sum),
          of_probabilities("none", {2, 3}, Reduction::none),
          of_probabilities("0-d", {}, Reduction::mean),
          of_probabilities("sum of nothing", {0}, Reduction::sum),
          of_probabilities("weights", {3, 4}, Reduction::mean, &all),
          of_probabilities("weights of columns, none", {3, 4}, Reduction::none, &row),
          of_probabilities("a block and one", {17, 241}, Reduction::mean)};
}
ORDO_OP_SIZES(binary_cross_entropy) {
  const Dims all{n};
  return {of_probabilities("mean", {n}, Reduction::mean), of_probabilities("none", {n}, Reduction::none, &all)};
}

TEST(BinaryCrossEntropy, logarithms_end_at_minus_100) {
  for (Device device : test_devices())
    for (DType dtype : {float32, float64, float16}) {
      const Tensor x = from_vector<double>({0, 1, 0, 1}, {4}).to(device, dtype).set_requires_grad();
      const Tensor t = from_vector<double>({1, 0, 0, 1}, {4}).to(device, dtype);
      EXPECT_EQ(binary_cross_entropy(x, t, {.reduction = Reduction::none}).to(float64).to_vector<double>(),
                (std::vector<double>{100, 100, 0, 0}));
      const auto g =
          grad({binary_cross_entropy(x, t, {.reduction = Reduction::sum})}, {x})[0].to(float64).to_vector<double>();
      EXPECT_LT(g[0], dtype == float16 ? -6e4 : -0.9e12);
      EXPECT_GT(g[1], dtype == float16 ? 6e4 : 0.9e12);
      EXPECT_EQ(g[2], 0);
      EXPECT_EQ(g[3], 0);
    }
}

TEST(BinaryCrossEntropy, bad_input) {
  const Tensor x = full({2, 3}, 0.5), t = ones({2, 3});
  EXPECT_ORDO_ERROR(binary_cross_entropy(x, t, {.reduction = Reduction(9)}), ValueError, "9");
  EXPECT_ORDO_ERROR(binary_cross_entropy(x, t, {.reduction = Reduction::batchmean}), ValueError, "mean and sum");
  EXPECT_ORDO_ERROR(binary_cross_entropy(x * 3, t), ValueError, "[0, 1]");
  EXPECT_ORDO_ERROR(binary_cross_entropy(x * NAN, t), ValueError, "[0, 1]");
  for (Device device : test_devices()) {
    if (device.is_cuda()) {
      EXPECT_TRUE(std::isnan(binary_cross_entropy((x * 3).to(device), t.to(device)).item<double>()));
    }
  }
}

// -- kl_div

Sample kl_sample(const char* label, const Dims& sizes, Reduction reduction, bool log_target = false) {
  return element_loss(
      label,
      {test_values(sizes, 0, -3, 0), log_target ? test_values(sizes, 1, -3, 0) : test_values(sizes, 1, 0.125, 1)},
      [=](const TensorList& in) { return kl_div(in[0], in[1], {.reduction = reduction, .log_target = log_target}); },
      [=](const std::vector<double>& v) {
        return log_target ? std::exp(v[1]) * (v[1] - v[0]) : v[1] * (std::log(v[1]) - v[0]);
      },
      reduction);
}

ORDO_OP_SAMPLES(kl_div) {
  return {kl_sample("mean", {3, 4}, Reduction::mean),
          kl_sample("batchmean", {3, 4}, Reduction::batchmean),
          kl_sample("sum, logarithms", {5}, Reduction::sum, true),
          kl_sample("none", {2, 3}, Reduction::none),
          kl_sample("none, logarithms", {2, 3}, Reduction::none, true),
          kl_sample("batchmean, logarithms", {4, 2, 3}, Reduction::batchmean, true),
          kl_sample("0-d", {}, Reduction::mean),
          kl_sample("sum of nothing", {0}, Reduction::sum),
          kl_sample("a block and one", {17, 241}, Reduction::batchmean)};
}
ORDO_OP_SIZES(kl_div) {
  return {kl_sample("mean", {n}, Reduction::mean), kl_sample("batchmean, logarithms", {n}, Reduction::batchmean, true),
          kl_sample("none", {n}, Reduction::none)};
}
ORDO_OP_INTEGER(kl_div, "reduction", kl_div(some(d), some(d), {.reduction = Reduction(uint8_t(v))}));

TEST(KlDiv, targets_of_0_and_bad_input) {
  for (Device device : test_devices()) {
    const Tensor x = full({2}, -1.0, device).set_requires_grad(), t = zeros({2}, device);
    EXPECT_EQ(kl_div(x, t, {.reduction = Reduction::none}).to_vector<float>(), (std::vector<float>{0, 0}));
    EXPECT_EQ(grad({kl_div(x, t, {.reduction = Reduction::sum})}, {x})[0].abs().to_vector<float>(),
              (std::vector<float>{0, 0}));
  }
  const Tensor x = ones({2, 3});
  EXPECT_ORDO_ERROR(kl_div(ones({}), ones({}), {.reduction = Reduction::batchmean}), ShapeError, "0-d");
}

}  // namespace
}  // namespace ordo::test::binary_cross_entropy_samples_test
