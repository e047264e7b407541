// Pooling: ties, NaN, indices, and bad input.
#include <cmath>
#include <limits>

#include <ordo/kernels/pooling/avg_pool.h>
#include <ordo/kernels/pooling/max_pool.h>
#include "tests/support/op_samples.h"

namespace ordo::test::pool_test {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

Tensor on(Device device, const std::vector<double>& values, const Dims& sizes) {
  return from_vector(values, sizes).to(float32).to(device);
}

TEST(Pool, first_maximum_and_last_nan_win) {
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const Tensor x = on(device, {1, 1, 2, 3, 1, 1, 3, 2, -kInf, -kInf, kNan, 9, -kInf, -kInf, kNan, kInf}, {1, 4, 4});
    const auto pooled = max_pool2d_with_indices(x, 2);
    EXPECT_EQ(pooled.indices.to_vector<int64_t>(), (std::vector<int64_t>{0, 3, 8, 14}));
    const auto values = pooled.values.to_vector<double>();
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(values[1], 3);
    EXPECT_EQ(values[2], -kInf);
    EXPECT_TRUE(std::isnan(values[3]));
    const auto adaptive = adaptive_max_pool2d_with_indices(x, 2);
    EXPECT_EQ(adaptive.indices.to_vector<int64_t>(), pooled.indices.to_vector<int64_t>());
  }
}

TEST(Pool, sizes_as_one_number_or_two) {
  const Tensor x = test_values({1, 2, 7, 7});
  EXPECT_EQ(bytes_of(max_pool2d(x, 3, {.stride = 2})),
            bytes_of(max_pool2d(x, {3, 3}, {.stride = {2, 2}, .padding = {0, 0}, .dilation = {1, 1}})));
  EXPECT_EQ(max_pool2d(x, 3).sizes(), (Dims{1, 2, 2, 2}));
  EXPECT_EQ(max_pool2d(x, {2, 3}, {.padding = {1, 0}}).sizes(), (Dims{1, 2, 4, 2}));
  EXPECT_EQ(adaptive_avg_pool2d(x, {1, 7}).sizes(), (Dims{1, 2, 1, 7}));
  EXPECT_EQ(avg_pool2d(test_values({0, 3, 4, 4}), 2).sizes(), (Dims{0, 3, 2, 2}));
}

// Output sizes from PyTorch's rule: a last window of ceil_mode must begin inside the input or its left padding.
TEST(Pool, ceil_mode_sizes) {
  const auto width = [](int64_t input, int64_t kernel, int64_t stride, int64_t padding) {
    return max_pool2d(test_values({1, 1, 9, input}), {1, kernel},
                      {.stride = {1, stride}, .padding = {0, padding}, .ceil_mode = true})
        .size(-1);
  };
  EXPECT_EQ(width(5, 2, 2, 0), 3);
  EXPECT_EQ(width(6, 2, 3, 0), 2);
  EXPECT_EQ(width(5, 2, 2, 1), 3);  // a fourth would begin in the right padding
  EXPECT_EQ(width(7, 1, 3, 0), 3);
  EXPECT_EQ(width(8, 1, 3, 0), 3);
  EXPECT_EQ(width(1, 2, 2, 0), 1);
}

TEST(Pool, inputs_without_a_gradient_need_no_indices) {
  Tensor x = test_values({1, 2, 6, 6});
  const Tensor plain = max_pool2d(x, 3, {.stride = 1});
  EXPECT_FALSE(plain.requires_grad());
  x.set_requires_grad();
  const Tensor recorded = max_pool2d(x, 3, {.stride = 1});
  EXPECT_TRUE(recorded.requires_grad());
  EXPECT_EQ(bytes_of(plain), bytes_of(recorded));
  EXPECT_FALSE(max_pool2d_with_indices(x, 3, {.stride = 1}).indices.requires_grad());
}

TEST(Pool, bad_input) {
  for (Device device : test_devices()) {
    const Tensor x = test_values({1, 2, 6, 6}).to(float32).to(device);
    EXPECT_ORDO_ERROR(max_pool2d(x, 2, {.stride = 2, .dilation = 0}), ValueError, "dilation");

    EXPECT_ORDO_ERROR(avg_pool2d(x, 2, {.stride = 2, .divisor_override = 0}), ValueError, "divisor_override");
  }
}

TEST(Pool, bad_gradients) {
  const Tensor x = test_values({1, 2, 6, 6});
  const auto arguments = kernels::max_pool_arguments<2>(2);
  const auto pooled = kernels::max_pool_with_indices(x, arguments);
  const auto backward = [&](const Tensor& grad, const Tensor& indices) {
    return kernels::max_pool_backward(grad, indices, x.sizes(), arguments);
  };
  EXPECT_ORDO_ERROR(backward(x, pooled.indices), ShapeError, "max_pool2d_backward");
  EXPECT_ORDO_ERROR(backward(pooled.values, {}), ValueError, "indices");
  EXPECT_ORDO_ERROR(backward(pooled.values, pooled.values), DTypeError, "indices");
  EXPECT_ORDO_ERROR(backward(pooled.values, pooled.indices.flatten()), ShapeError, "indices");
  EXPECT_ORDO_ERROR(kernels::avg_pool_backward(x, x.sizes(), arguments), ShapeError, "avg_pool2d_backward");
  EXPECT_ORDO_ERROR(
      kernels::max_pool_backward(pooled.values, pooled.indices, {1, 2, 6}, kernels::adaptive_pool_arguments<2>(3)),
      ShapeError, "adaptive_max_pool2d_backward");
}

// They count from the beginning of a sample's channel.
TEST(Pool, indices_of_one_and_three_dimensions) {
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const Tensor line = on(device, {1, 4, 2, 3, 0, 5, 7, 6}, {1, 2, 4});
    EXPECT_EQ(max_pool1d_with_indices(line, 2).indices.to_vector<int64_t>(), (std::vector<int64_t>{1, 3, 1, 2}));
    const Tensor volume = arange(27).view({1, 3, 3, 3}).to(device, float32);
    EXPECT_EQ(max_pool3d_with_indices(volume, 2, {.stride = 1}).indices.to_vector<int64_t>(),
              (std::vector<int64_t>{13, 14, 16, 17, 22, 23, 25, 26}));
    EXPECT_EQ(adaptive_max_pool3d_with_indices(volume, {1, 1, 2}).indices.to_vector<int64_t>(),
              (std::vector<int64_t>{25, 26}));
  }
}

// tests/registry/integers has what is refused.
TEST(Pool, extreme_sizes) {
  const Tensor line = zeros({1, 1, 5}), plane = zeros({1, 1, 5, 5});
  EXPECT_ORDO_ERROR(adaptive_avg_pool2d(plane, (int64_t(1) << 31) - 1), ShapeError,
                    "[adaptive_avg_pool2d] a result of shape");
  // A kernel far wider than the input, half of it padding: every window sees all cells.
  const int64_t kernel = (int64_t(1) << 31) - 2, padding = kernel / 2;
  EXPECT_EQ(max_pool1d(line, kernel, {.stride = 1, .padding = padding}).sizes(), (Dims{1, 1, 6}));
  EXPECT_EQ(avg_pool1d(ones({1, 1, 5}), kernel, {.stride = 1, .padding = padding, .count_include_pad = false})
                .to_vector<double>(),
            std::vector<double>(6, 1));
  EXPECT_EQ(avg_pool1d(line, 1, {.stride = (int64_t(1) << 31) - 1}).sizes(), (Dims{1, 1, 1}));
  Tensor x = zeros({1, 1, 5}).set_requires_grad();
  avg_pool1d(x, kernel, {.stride = 1, .padding = padding, .count_include_pad = false}).sum().backward();
  EXPECT_EQ(x.grad().sum().item(), 6 * 5 / 5.0);
  EXPECT_EQ(max_pool1d(empty({0, 1, int64_t(1) << 62}), 2, {.stride = 1, .padding = 1, .dilation = 3}).sizes(),
            (Dims{0, 1, (int64_t(1) << 62) - 1}));
  EXPECT_ORDO_ERROR(max_pool1d(empty({0, 1, INT64_MAX}), 2, {.stride = 1, .padding = 1}), ShapeError,
                    "more than can be counted");
}

}  // namespace
}  // namespace ordo::test::pool_test
