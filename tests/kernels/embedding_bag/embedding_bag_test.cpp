// embedding_bag: bags and padding, golden bits, and bad input.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <ordo/autograd/autograd.h>
#include <ordo/autograd/ops/embedding.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/engine/parallel.h>
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

constexpr auto kSum = EmbeddingBagMode::sum, kMean = EmbeddingBagMode::mean, kMax = EmbeddingBagMode::max;

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
      embedding_bag(indices(rows).to(device), weight, indices(offsets).to(device), kSum)
          .backward(from_vector(grads, {5, 1}).to(device, float32));
      EXPECT_EQ(weight.grad().to_vector<double>(), want) << device.str() << " " << name(level);
    }
}

TEST(EmbeddingBag, bags_padding_and_their_gradients) {
  const Tensor input = indices({1, 0, 1, 2, 2, 3}), offsets = indices({0, 3, 3, 4});
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    Tensor weight = from_vector(std::vector<float>{1, -1, 2, 5, 4, 8, 16, 7}, {4, 2}).to(device).set_requires_grad();
    const auto bag = [&](EmbeddingBagMode mode) {
      return embedding_bag(input.to(device), weight, offsets.to(device), mode, {}, false, -2);  // row 2 is padding
    };
    EXPECT_EQ(bag(kSum).to_vector<double>(), (std::vector<double>{5, 9, 0, 0, 0, 0, 16, 7}));
    EXPECT_EQ(bag(kMean).to_vector<float>(), (std::vector<float>{5.f / 3, 3, 0, 0, 0, 0, 16, 7}));
    EXPECT_EQ(bag(kMax).to_vector<double>(), (std::vector<double>{2, 5, 0, 0, 0, 0, 16, 7}));
    const Tensor grad = from_vector(std::vector<float>{3, 6, 9, 9, 9, 9, 10, 20}, {4, 2}).to(device);
    const auto gradient = [&](EmbeddingBagMode mode) {
      weight.zero_grad();
      bag(mode).backward(grad);
      return weight.grad().to_vector<double>();
    };
    EXPECT_EQ(gradient(kSum), (std::vector<double>{3, 6, 6, 12, 0, 0, 10, 20}));
    EXPECT_EQ(gradient(kMean), (std::vector<double>{1, 2, 2, 4, 0, 0, 10, 20}));
    EXPECT_EQ(gradient(kMax), (std::vector<double>{0, 0, 3, 6, 0, 0, 10, 20}));
  }
}

TEST(EmbeddingBag, nan_is_the_maximum) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (Device device : test_devices()) {
    const Tensor weight = from_vector(std::vector<double>{1, nan, 3}, {3, 1}).to(device);
    for (const auto& order : {std::vector<int64_t>{0, 1, 2}, std::vector<int64_t>{1, 2, 0}})
      EXPECT_TRUE(std::isnan(embedding_bag(indices(order).to(device), weight, indices({0}).to(device), kMax).item()));
  }
}

TEST(EmbeddingBag, bad_input) {
  const Tensor weight = test_values({4, 2}), input = test_indices({5}, 4), offsets = indices({0, 2});
  EXPECT_ORDO_ERROR(embedding_bag({}, weight, offsets), ValueError, "embedding_bag");
  EXPECT_ORDO_ERROR(embedding_bag(input, {}, offsets), ValueError, "embedding_bag");
  EXPECT_ORDO_ERROR(embedding_bag(input, weight), ShapeError, "offsets");
  EXPECT_ORDO_ERROR(embedding_bag(scalar_tensor(1, {.dtype = int64}), weight), ShapeError, "embedding_bag");
  EXPECT_ORDO_ERROR(embedding_bag(input.unsqueeze(0), weight, offsets), ShapeError, "one dimension");
  EXPECT_ORDO_ERROR(embedding_bag(input, weight, offsets.unsqueeze(0)), ShapeError, "offsets");
  EXPECT_ORDO_ERROR(embedding_bag(input.unsqueeze(0), weight, {}, kSum, {}, true), ValueError, "include_last_offset");
  EXPECT_ORDO_ERROR(embedding_bag(input, weight, indices({}), kSum, {}, true), ShapeError, "include_last_offset");
  EXPECT_ORDO_ERROR(embedding_bag(input, weight, offsets, kMean, test_values({5})), ValueError, "per_sample_weights");
  EXPECT_ORDO_ERROR(kernels::embedding_bag_backward({input, offsets, kSum, false, {}}, test_values({3, 2}), {}, 4),
                    ShapeError, "embedding_bag_backward");
  if (test_devices().size() > 1)
    EXPECT_ORDO_ERROR(embedding_bag(input, weight.to(Device("cuda")), offsets), DeviceError, "embedding_bag");
}

TEST(EmbeddingBag, indices_and_offsets_out_of_range) {
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const Tensor weight = test_values({4, 2}).to(device);
    for (EmbeddingBagMode mode : {kSum, kMean, kMax}) {
      const auto bag = [&](const std::vector<int64_t>& input, const std::vector<int64_t>& offsets) {
        return embedding_bag(indices(input).to(device), weight, indices(offsets).to(device), mode).to(cpu);
      };
      EXPECT_ORDO_ERROR(bag({0, 1, 4, 9}, {0, 2}), IndexError, "[embedding_bag] input[2] = 4 is out of range");
      EXPECT_ORDO_ERROR(bag({0, -1}, {0}), IndexError, "[embedding_bag] input[1] = -1 is out of range");
      EXPECT_EQ(bag({0, 1, 2}, {0, 3}).sizes(), (Dims{2, 2}));  // still usable
    }
  }
}

}  // namespace
}  // namespace ordo::test
