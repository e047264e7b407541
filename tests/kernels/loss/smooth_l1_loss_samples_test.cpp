#include "tests/kernels/loss/loss_samples.h"

namespace ordo::test::smooth_l1_loss_samples_test {
namespace {

using Loss = Tensor (*)(const Tensor&, const Tensor&, Reduction, double);
Tensor smooth_l1(const Tensor& input, const Tensor& target, Reduction reduction, double beta) {
  return smooth_l1_loss(input, target, {.reduction = reduction, .beta = beta});
}
Tensor huber(const Tensor& input, const Tensor& target, Reduction reduction, double delta) {
  return huber_loss(input, target, {.reduction = reduction, .delta = delta});
}

Sample sample(const char* label, Loss loss, const Dims& sizes, Reduction reduction, double bend) {
  const bool smooth = loss == smooth_l1;
  return element_loss(
      label, {test_values(sizes), test_values(sizes, 1)},
      [=](const TensorList& in) { return loss(in[0], in[1], reduction, bend); },
      [=](const std::vector<double>& v) {
        const double d = std::abs(v[0] - v[1]);
        return (d < bend ? d * d / 2 : bend * (d - bend / 2)) / (smooth ? bend : 1);
      },
      reduction);
}

std::vector<Sample> samples(Loss loss) {
  return element_losses([=](const char* label, const Dims& sizes, Reduction reduction, double bend) {
    return sample(label, loss, sizes, reduction, bend);
  });
}
std::vector<Sample> sized(int64_t n, Loss loss) {
  return {sample("mean", loss, {n}, Reduction::mean, 1), sample("none", loss, {n}, Reduction::none, 1)};
}

ORDO_OP_SAMPLES(smooth_l1_loss) { return samples(smooth_l1); }
ORDO_OP_SAMPLES(huber_loss) { return samples(huber); }
ORDO_OP_SIZES(smooth_l1_loss) { return sized(n, smooth_l1); }
ORDO_OP_SIZES(huber_loss) { return sized(n, huber); }

TEST(SmoothL1Loss, corners) {
  for (Device device : test_devices()) {
    const Tensor x = from_vector<double>({INFINITY, -INFINITY, 2, -2, 0, 1}, {6}).to(device).set_requires_grad();
    const Tensor zero = zeros({6}, {float64, device});
    EXPECT_EQ(grad({smooth_l1_loss(x, zero, {.reduction = Reduction::sum, .beta = 2})}, {x})[0].to_vector<double>(),
              (std::vector<double>{1, -1, 1, -1, 0, 0.5}));
    EXPECT_EQ(grad({huber_loss(x, zero, {.reduction = Reduction::sum, .delta = 2})}, {x})[0].to_vector<double>(),
              (std::vector<double>{2, -2, 2, -2, 0, 1}));
    EXPECT_EQ(bytes_of(smooth_l1_loss(x, zero, {.reduction = Reduction::none, .beta = 0})),
              bytes_of(l1_loss(x, zero, Reduction::none)));
  }
}

TEST(SmoothL1Loss, bad_input) {
  const Tensor x = ones({2, 3});
  for (Loss loss : {smooth_l1, huber}) {
    EXPECT_ORDO_ERROR(loss(x, x, Reduction::mean, -1), ValueError, "must");
  }
  EXPECT_ORDO_ERROR(huber_loss(x, x, {.delta = 0}), ValueError, "delta");
}

}  // namespace
}  // namespace ordo::test::smooth_l1_loss_samples_test
