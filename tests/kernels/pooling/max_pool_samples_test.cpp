#include <ordo/kernels/pooling/pool.h>
#include "tests/kernels/pooling/pool_reference.h"
#include "tests/kernels/samples.h"

namespace ordo::test::max_pool_samples_test {
namespace {

template <int N>
struct Case {
  const char* label;
  Dims sizes;
  Size<N> kernel;
  OptionalSize<N> stride = std::nullopt;
  Size<N> padding = 0, dilation = 1;
  bool ceil_mode = false;
  bool small = true;
  bool mixed = false;

  MaxPoolOptions<N> options() const { return {stride, padding, dilation, ceil_mode}; }
  kernels::PoolArguments arguments() const {
    return kernels::max_pool_arguments<N>(kernel, stride, padding, dilation, ceil_mode);
  }
  WindowAxes windows(const Tensor& x) const {
    const Size<N> step = stride.value_or(kernel);
    return WindowAxes(
        N, [&](int i) { return sliding_cells(x.size(i - N), kernel[i], step[i], padding[i], dilation[i], ceil_mode); });
  }
  bool order_sensitive() const { return mixed; }
};

template <int N>
std::vector<Case<N>> cases();
template <>
std::vector<Case<1>> cases<1>() {
  return {
      {"two", {1, 2, 6}, 2},
      {"overlapping", {2, 1, 7}, 3, 2, 1},
      {"line", {2, 7}, 2, 1, 1},
      {"dilated", {1, 1, 8}, 2, 1, 1, 3},
      {"ceil", {1, 2, 6}, 3, 3, 1, 1, true},
      {"no_lines", {0, 3, 4}, 2},
      {"stride_one", {2, 3, 733}, 9, 1, 4, 1, false, false, true},
  };
}
template <>
std::vector<Case<2>> cases<2>() {
  return {
      {"2x2", {1, 2, 4, 6}, 2},
      {"overlapping", {2, 1, 5, 5}, 3, 2, 1},
      {"image", {2, 5, 7}, {2, 3}, {1, 2}, {1, 1}},
      {"dilated", {1, 1, 7, 8}, 2, 1, 1, {2, 3}},
      {"ceil", {1, 2, 5, 6}, {2, 3}, {2, 3}, {1, 0}, 1, true},
      {"smaller_than_kernel", {1, 1, 1, 2}, 2, 2, 0, 1, true},
      {"one_cell", {1, 1, 1, 1}, 1},
      {"no_planes", {0, 3, 4, 4}, 2},
      {"stride_one", {2, 3, 33, 29}, 3, 1, 1, 1, false, false, true},
      {"wide", {1, 2, 4, 300}, {3, 5}, {2, 3}, {1, 2}, 1, false, false},
      {"more_than_64_windows", {1, 1, 20, 21}, 11, 1, 5, 1, false, false, true},
      {"dilated_ceil", {1, 2, 17, 18}, 3, 2, 1, {2, 3}, true, false, true},
  };
}
template <>
std::vector<Case<3>> cases<3>() {
  return {
      {"2x2x2", {1, 2, 2, 4, 2}, 2},
      {"overlapping", {1, 1, 3, 5, 4}, {2, 3, 2}, {1, 2, 1}, {1, 1, 0}},
      {"volume", {2, 3, 2, 4}, {2, 1, 3}, 1, {0, 0, 1}},
      {"dilated", {1, 1, 5, 4, 6}, 2, 1, {1, 0, 1}, {3, 2, 1}},
      {"ceil", {1, 1, 4, 3, 5}, {3, 2, 2}, {2, 2, 3}, {1, 0, 1}, 1, true},
      {"no_volumes", {0, 3, 4, 4, 4}, 2},
      {"stride_one", {1, 2, 9, 8, 11}, 3, 1, 1, 1, false, false, true},
      {"more_than_64_windows", {1, 1, 7, 8, 9}, 5, 1, 2, 1, false, false, true},
      {"dilated_ceil", {1, 2, 7, 9, 8}, {3, 2, 3}, 2, 1, {1, 3, 2}, true, false, true},
  };
}

#define ORDO_MAX_POOL(N)                                                                                  \
  Tensor pool(const Tensor& x, const Case<N>& c) { return max_pool##N##d(x, c.kernel, c.options()); }     \
  Tensor pool(const Tensor& x, const AdaptiveCase<N>& c) { return adaptive_max_pool##N##d(x, c.output); } \
  MaxPoolResult pool_with_indices(const Tensor& x, const Case<N>& c) {                                    \
    return max_pool##N##d_with_indices(x, c.kernel, c.options());                                         \
  }                                                                                                       \
  MaxPoolResult pool_with_indices(const Tensor& x, const AdaptiveCase<N>& c) {                            \
    return adaptive_max_pool##N##d_with_indices(x, c.output);                                             \
  }
ORDO_MAX_POOL(1)
ORDO_MAX_POOL(2)
ORDO_MAX_POOL(3)

template <int N>
Tensor input_of(const Case<N>& c) {
  return c.mixed ? test_mixed_values(c.sizes, 1) : test_values(c.sizes, 1);
}
template <int N>
Tensor input_of(const AdaptiveCase<N>& c) {
  return test_values(c.sizes, 2);
}

template <class C>
std::vector<Sample> samples_of(const std::vector<C>& cases, bool with_indices) {
  std::vector<Sample> samples;
  for (const C& c : cases) {
    Sample& s = samples.emplace_back();
    s.label = c.label;
    s.inputs = {input_of(c)};
    s.run = [c, with_indices](const TensorList& in) {
      return with_indices ? pool_with_indices(in[0], c).values : pool(in[0], c);
    };
    s.forced = [c](const TensorList& in, Algorithm algorithm) {
      const auto pooled = kernels::max_pool_with_indices(in[0], c.arguments());
      return kernels::max_pool_backward(test_gradient(pooled.values.sizes(), in[0]), pooled.indices, c.sizes,
                                        c.arguments(), algorithm);
    };
    s.reference = [c](const TensorList& in) { return max_reference(in[0], c.windows(in[0])); };
    s.gradient = c.small;
    s.tolerance = 0;  // a maximum is one of the inputs
    s.order_sensitive = c.order_sensitive();
  }
  return samples;
}

template <int N>
std::vector<Case<N>> sized_cases(int64_t n);
template <>
std::vector<Case<1>> sized_cases<1>(int64_t n) {
  return {{"width", {2, 2, n}, 3, 1, 1}, {"lines", {n, 1, 5}, 2, 1}, {"window", {1, 2, n}, n, n / 4 + 1, n / 2}};
}
template <>
std::vector<Case<2>> sized_cases<2>(int64_t n) {
  return {{"width", {1, 2, 3, n}, {2, 3}, 1, 1},
          {"height", {2, 1, n, 3}, 3, {2, 1}, 1},
          {"planes", {n, 1, 3, 3}, 2, 1},
          {"window", {1, 2, 2, n}, {1, n}, {1, n / 4 + 1}, {0, n / 2}, 1, false, true, true}};
}
template <>
std::vector<Case<3>> sized_cases<3>(int64_t n) {
  return {{"width", {1, 1, 2, 3, n}, {2, 2, 3}, 1, 1},
          {"depth", {1, 1, n, 2, 3}, 3, {2, 1, 1}, 1},
          {"volumes", {n, 1, 2, 3, 2}, 2, 1},
          {"window", {1, 1, n, 2, 2}, {n, 1, 2}, {n / 4 + 1, 1, 1}, {n / 2, 0, 0}}};
}

/// Few distinct values, so with ties.
Tensor with_ties(Dims sizes, int64_t n) {
  sizes.push_back(n);
  return test_indices(sizes, 4).to(float64);
}

/// Of the indices of c, whose sizes are without the last one.
template <class C>
Sample indices_sample(const C& c, int64_t n) {
  return {.label = "indices",
          .inputs = {with_ties(c.sizes, n)},
          .run = [c](const TensorList& in) { return pool_with_indices(in[0], c).indices; },
          .reference = nullptr};
}

template <int N>
std::vector<Sample> sized(int64_t n, bool with_indices) {
  std::vector<Sample> out = samples_of(sized_cases<N>(n), with_indices);
  for (Sample& s : out) s.order_sensitive = false;
  if (with_indices) out.push_back(indices_sample(Case<N>{"indices", Dims::filled(N, 3), 2, 1, 1}, n));
  return out;
}

template <int N>
std::vector<Sample> adaptive_sized(int64_t n, bool with_indices) {
  const auto with_width = [](Dims sizes, int64_t width) {
    sizes[sizes.size() - 1] = width;
    return sizes;
  };
  const Dims sizes = Dims::filled(N + 2, 2);
  Dims volumes = sizes;
  volumes[0] = n;
  std::vector<AdaptiveCase<N>> cases{{"cells", with_width(sizes, n), 5}, {"volumes", volumes, 2}};
  if constexpr (N == 1) cases.push_back({"outputs", with_width(sizes, 5), n});
  if constexpr (N == 2) cases.push_back({"outputs", with_width(sizes, 5), {3, n}});
  if constexpr (N == 3) cases.push_back({"outputs", with_width(sizes, 5), {1, 3, n}});
  std::vector<Sample> out = samples_of(cases, with_indices);
  if (with_indices) out.push_back(indices_sample(AdaptiveCase<N>{"indices", Dims::filled(N, 3), 2}, n));
  return out;
}

template <int N>
std::vector<Sample> adaptive_samples(bool with_indices) {
  std::vector<AdaptiveCase<N>> medium;
  if constexpr (N == 1) medium = {{"medium", {2, 3, 311}, 60, false}};
  if constexpr (N == 2) medium = {{"medium", {2, 3, 29, 31}, {7, 6}, false}};
  if constexpr (N == 3) medium = {{"medium", {1, 2, 9, 11, 7}, {4, 3, 5}, false}};
  return samples_of(adaptive_cases<N>(medium), with_indices);
}

#define ORDO_MAX_POOL_SAMPLES(N)                                                              \
  ORDO_OP_SAMPLES(max_pool##N##d) { return samples_of(cases<N>(), false); }                   \
  ORDO_OP_SIZES(max_pool##N##d) { return sized<N>(n, false); }                                \
  ORDO_OP_SAMPLES(max_pool##N##d_with_indices) { return samples_of(cases<N>(), true); }       \
  ORDO_OP_SIZES(max_pool##N##d_with_indices) { return sized<N>(n, true); }                    \
  ORDO_OP_SAMPLES(adaptive_max_pool##N##d) { return adaptive_samples<N>(false); }             \
  ORDO_OP_SIZES(adaptive_max_pool##N##d) { return adaptive_sized<N>(n, false); }              \
  ORDO_OP_SAMPLES(adaptive_max_pool##N##d_with_indices) { return adaptive_samples<N>(true); } \
  ORDO_OP_SIZES(adaptive_max_pool##N##d_with_indices) { return adaptive_sized<N>(n, true); }
ORDO_MAX_POOL_SAMPLES(1)
ORDO_MAX_POOL_SAMPLES(2)
ORDO_MAX_POOL_SAMPLES(3)

// Pooling: ties, NaN, indices, and bad input.

Tensor on(Device device, const std::vector<double>& values, const Dims& sizes) {
  return from_vector(values, sizes).to(float32).to(device);
}

TEST(Pool, first_maximum_and_last_nan_win) {
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const Tensor x = on(
        device, {1, 1, 2, 3, 1, 1, 3, 2, -INFINITY, -INFINITY, NAN, 9, -INFINITY, -INFINITY, NAN, INFINITY}, {1, 4, 4});
    const auto pooled = max_pool2d_with_indices(x, 2);
    EXPECT_EQ(pooled.indices.to_vector<int64_t>(), (std::vector<int64_t>{0, 3, 8, 14}));
    const auto values = pooled.values.to_vector<double>();
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(values[1], 3);
    EXPECT_EQ(values[2], -INFINITY);
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
}  // namespace ordo::test::max_pool_samples_test
