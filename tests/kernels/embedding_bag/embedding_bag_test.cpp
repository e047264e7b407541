// embedding_bag: gradients of one column, NaN, and bad input.
#include <cmath>
#include <limits>

#include "tests/support/op_samples.h"

namespace ordo::test::embedding_bag_test {
namespace {

constexpr auto kSum = EmbeddingBagMode::sum, kMax = EmbeddingBagMode::max;

Tensor indices(const std::vector<int64_t>& values) { return from_vector(values, {int64_t(values.size())}); }

// The items of a bag read one gradient, also where the first items are bags of their own.
TEST(EmbeddingBag, gradient_of_a_single_column) {
  const int64_t items = 1000;
  std::vector<int64_t> rows(items);
  for (int64_t i = 0; i < items; ++i) rows[size_t(i)] = i * i % 3;
  const std::vector<int64_t> offsets{0, 1, 2, 200, 900};
  const std::vector<double> grads{1, -2, 4, -8, 16};  // sums of these are exact
  std::vector<double> want(3, 0.0);
  for (int64_t i = 0, bag = 0; i < items; ++i) {
    while (bag + 1 < 5 && i >= offsets[size_t(bag) + 1]) ++bag;
    want[size_t(rows[size_t(i)])] += grads[size_t(bag)];
  }
  for (Device device : test_devices())
    for (Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::device_to_device}) {
      const DeterminismGuard guard(level);
      Tensor weight = zeros({3, 1}, device).set_requires_grad();
      embedding_bag(indices(rows).to(device), weight, {.offsets = indices(offsets).to(device), .mode = kSum})
          .backward(from_vector(grads, {5, 1}).to(device, float32));
      EXPECT_EQ(weight.grad().to_vector<double>(), want) << device.str() << " " << name(level);
    }
}

TEST(EmbeddingBag, nan_is_the_maximum) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (Device device : test_devices()) {
    const Tensor weight = from_vector(std::vector<double>{1, nan, 3}, {3, 1}).to(device);
    for (const auto& order : {std::vector<int64_t>{0, 1, 2}, std::vector<int64_t>{1, 2, 0}})
      EXPECT_TRUE(std::isnan(
          embedding_bag(indices(order).to(device), weight, {.offsets = indices({0}).to(device), .mode = kMax}).item()));
  }
}

TEST(EmbeddingBag, bad_input) {
  const Tensor weight = test_values({4, 2}), input = test_indices({5}, 4), offsets = indices({0, 2});
  EXPECT_ORDO_ERROR(embedding_bag(input, weight, {.offsets = offsets.unsqueeze(0)}), ShapeError, "offsets");
  EXPECT_ORDO_ERROR(embedding_bag(input.unsqueeze(0), weight, {.mode = kSum, .include_last_offset = true}), ValueError,
                    "include_last_offset");
  EXPECT_ORDO_ERROR(embedding_bag(input, weight, {.offsets = indices({}), .mode = kSum, .include_last_offset = true}),
                    ShapeError, "include_last_offset");
  EXPECT_ORDO_ERROR(embedding_bag(input, weight, {.offsets = offsets, .per_sample_weights = test_values({5})}),
                    ValueError, "per_sample_weights");
  EXPECT_ORDO_ERROR(kernels::embedding_bag_backward({input, offsets, kSum, false, {}}, test_values({3, 2}), {}, 4),
                    ShapeError, "embedding_bag_backward");
}

}  // namespace
}  // namespace ordo::test::embedding_bag_test
