#include "tests/kernels/loss/loss_samples.h"

namespace ordo::test::mse_loss_samples_test {
namespace {

using Loss = Tensor (*)(const Tensor&, const Tensor&, Reduction);

Sample sample(const char* label, Loss loss, const Dims& sizes, Reduction reduction, double (*element)(double, double)) {
  return element_loss(
      label, {test_values(sizes), test_values(sizes, 1, 0, 1)},
      [=](const TensorList& in) { return loss(in[0], in[1], reduction); },
      [=](const std::vector<double>& v) { return element(v[0], v[1]); }, reduction);
}

std::vector<Sample> samples(Loss loss, double (*element)(double, double)) {
  return element_losses([=](const char* label, const Dims& sizes, Reduction reduction, double) {
    return sample(label, loss, sizes, reduction, element);
  });
}

std::vector<Sample> sized(int64_t n, Loss loss, double (*element)(double, double)) {
  return {sample("mean", loss, {n}, Reduction::mean, element), sample("sum", loss, {n}, Reduction::sum, element),
          sample("none", loss, {n}, Reduction::none, element)};
}

double squared(double a, double b) { return (a - b) * (a - b); }
double absolute(double a, double b) { return std::abs(a - b); }
double cross_entropy(double x, double t) {
  const double p = 1 / (1 + std::exp(-x));
  return -(t * std::log(p) + (1 - t) * std::log(1 - p));
}

Tensor of_logits(const Tensor& input, const Tensor& target, Reduction reduction) {
  return binary_cross_entropy_with_logits(input, target, {.reduction = reduction});
}

ORDO_OP_SAMPLES(mse_loss) { return samples(mse_loss, squared); }
ORDO_OP_SAMPLES(l1_loss) { return samples(l1_loss, absolute); }

/// Inputs: logits, target, then what there is of weight and pos_weight.
Sample weighted(const char* label, Reduction reduction, const Dims& weight, const Dims& pos_weight) {
  TensorList inputs{test_values({3, 4}), test_values({3, 4}, 1, 0, 1)};
  for (const Dims& sizes : {weight, pos_weight})
    if (sizes.size() > 0) inputs.push_back(test_values(sizes, inputs.size(), 0.5, 2));
  const bool w = weight.size() > 0, q = pos_weight.size() > 0;
  return element_loss(
      label, std::move(inputs),
      [=](const TensorList& in) {
        return binary_cross_entropy_with_logits(
            in[0], in[1],
            {.weight = w ? in[2] : Tensor(), .reduction = reduction, .pos_weight = q ? in.back() : Tensor()});
      },
      [=](const std::vector<double>& v) {
        const double p = 1 / (1 + std::exp(-v[0]));
        return -(w ? v[2] : 1) * ((q ? v.back() : 1) * v[1] * std::log(p) + (1 - v[1]) * std::log(1 - p));
      },
      reduction);
}

ORDO_OP_SAMPLES(binary_cross_entropy_with_logits) {
  auto all = samples(of_logits, cross_entropy);
  all.push_back(weighted("weights", Reduction::mean, {3, 4}, {}));
  all.push_back(weighted("weights of columns and of targets of 1", Reduction::none, {4}, {4}));
  all.push_back(weighted("weights of targets of 1", Reduction::sum, {}, {1}));
  return all;
}
ORDO_OP_SIZES(mse_loss) { return sized(n, mse_loss, squared); }
ORDO_OP_SIZES(l1_loss) { return sized(n, l1_loss, absolute); }
ORDO_OP_SIZES(binary_cross_entropy_with_logits) { return sized(n, of_logits, cross_entropy); }

TEST(MseLoss, bad_input) {
  for (Loss loss : {static_cast<Loss>(mse_loss), static_cast<Loss>(l1_loss), static_cast<Loss>(of_logits)}) {
    EXPECT_TRUE(std::isnan(loss(empty({0}), empty({0}), Reduction::mean).item<double>()));
  }
}

}  // namespace
}  // namespace ordo::test::mse_loss_samples_test
