// Bits of the ordered convolution (docs/ordering.md, rule 4), threads, and bad input.
#include <gtest/gtest.h>

#include <ordo/autograd/ops/conv2d.h>
#include <ordo/engine/determinism.h>
#include <ordo/engine/parallel.h>

#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

// Rule 3, literally: the product of two functions of k.
template <class F>
float ordered_product(int64_t k, F product) {
  float sum = 0;
  for (int64_t k0 = 0; k0 < k; k0 += 256) {
    float block = 0;
    for (int64_t p = k0; p < std::min(k, k0 + 256); ++p) block = p == k0 ? product(p) : block + product(p);
    sum = k0 == 0 ? block : sum + block;
  }
  return sum;
}

struct Case {
  int64_t samples, channels, size, filters, kernel, stride, padding, dilation;
};
const Case kCases[] = {{2, 2, 9, 3, 3, 1, 1, 1},  {3, 1, 28, 16, 3, 1, 1, 1}, {2, 30, 7, 17, 3, 1, 1, 1},
                       {2, 3, 11, 4, 3, 2, 1, 2}, {18, 2, 5, 3, 1, 1, 0, 1},  {1, 1, 12, 2, 9, 1, 4, 1}};

// Rule 4, literally.
struct Reference {
  Case c;
  int64_t out;
  std::vector<float> x, w, b, g;

  float pixel(int64_t n, int64_t k, int64_t position) const {  // element k of the window at `position`
    const int64_t u = k / c.kernel % c.kernel, v = k % c.kernel, channel = k / (c.kernel * c.kernel);
    const int64_t i = position / out * c.stride + u * c.dilation - c.padding;
    const int64_t j = position % out * c.stride + v * c.dilation - c.padding;
    if (i < 0 || i >= c.size || j < 0 || j >= c.size) return 0;
    return x[size_t(((n * c.channels + channel) * c.size + i) * c.size + j)];
  }
  std::vector<float> forward() const {
    std::vector<float> y;
    const int64_t window = c.channels * c.kernel * c.kernel;
    for (int64_t n = 0; n < c.samples; ++n)
      for (int64_t o = 0; o < c.filters; ++o)
        for (int64_t p = 0; p < out * out; ++p)
          y.push_back(ordered_product(window, [&](int64_t k) { return w[size_t(o * window + k)] * pixel(n, k, p); }) +
                      b[size_t(o)]);
    return y;
  }
  std::vector<float> input_grad() const {
    std::vector<float> result;
    const int64_t window = c.channels * c.kernel * c.kernel;
    for (int64_t n = 0; n < c.samples; ++n)
      for (int64_t channel = 0; channel < c.channels; ++channel)
        for (int64_t i = 0; i < c.size; ++i)
          for (int64_t j = 0; j < c.size; ++j) {
            std::vector<float> values;
            for (int64_t u = 0; u < c.kernel; ++u)
              for (int64_t v = 0; v < c.kernel; ++v) {
                const int64_t down = i + c.padding - u * c.dilation, right = j + c.padding - v * c.dilation;
                if (down < 0 || right < 0 || down % c.stride || right % c.stride) continue;
                const int64_t row = down / c.stride, col = right / c.stride;
                if (row >= out || col >= out) continue;
                values.push_back(ordered_product(c.filters, [&](int64_t o) {
                  return w[size_t(o * window + (channel * c.kernel + u) * c.kernel + v)] *
                         g[size_t(((n * c.filters + o) * out + row) * out + col)];
                }));
              }
            while (values.size() > 1) {  // rule 1
              std::vector<float> groups;
              for (size_t first = 0; first < values.size(); first += 64) {
                float sum = values[first];
                for (size_t e = first + 1; e < std::min(values.size(), first + 64); ++e) sum = sum + values[e];
                groups.push_back(sum);
              }
              values = groups;
            }
            result.push_back(values.empty() ? 0.0f : values[0]);
          }
    return result;
  }
  std::vector<float> weight_grad() const {
    std::vector<float> result;
    for (int64_t o = 0; o < c.filters; ++o)
      for (int64_t k = 0; k < c.channels * c.kernel * c.kernel; ++k) {
        float sum = 0;
        for (int64_t n = 0; n < c.samples; ++n) {
          const float product = ordered_product(
              out * out, [&](int64_t p) { return g[size_t((n * c.filters + o) * out * out + p)] * pixel(n, k, p); });
          sum = n == 0 ? product : sum + product;
        }
        result.push_back(sum);
      }
    return result;
  }
};

TEST(Conv2d, OrderedConvolutionsFollowRule4) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const Case& c : kCases) {
    const int64_t out = (c.size + 2 * c.padding - c.dilation * (c.kernel - 1) - 1) / c.stride + 1;
    const Tensor x = test_mixed_values({c.samples, c.channels, c.size, c.size}, 1).to(float32);
    const Tensor w = test_mixed_values({c.filters, c.channels, c.kernel, c.kernel}, 2).to(float32);
    const Tensor b = test_mixed_values({c.filters}, 3).to(float32);
    const Tensor g = test_mixed_values({c.samples, c.filters, out, out}, 4).to(float32);
    const Reference r{c, out, x.to_vector<float>(), w.to_vector<float>(), b.to_vector<float>(), g.to_vector<float>()};
    const auto y = bytes_of(from_vector(r.forward(), g.sizes()));
    const auto gx = bytes_of(from_vector(r.input_grad(), x.sizes()));
    const auto gw = bytes_of(from_vector(r.weight_grad(), w.sizes()));
    for (Device device : test_devices())
      for (int threads : {1, 2, 3}) {
        set_num_threads(threads);
        const Tensor xd = x.to(device), wd = w.to(device), gd = g.to(device);
        EXPECT_EQ(bytes_of(conv2d(xd, wd, b.to(device), c.stride, c.padding, c.dilation)), y)
            << "channels " << c.channels << " kernel " << c.kernel << " " << device.str() << " threads " << threads;
        EXPECT_EQ(bytes_of(conv2d_input_grad(x.sizes(), wd, gd, c.stride, c.padding, c.dilation)), gx)
            << "channels " << c.channels << " kernel " << c.kernel << " " << device.str() << " threads " << threads;
        EXPECT_EQ(bytes_of(conv2d_weight_grad(xd, w.sizes(), gd, c.stride, c.padding, c.dilation)), gw)
            << "channels " << c.channels << " kernel " << c.kernel << " " << device.str() << " threads " << threads;
      }
  }
  set_num_threads(2);
}

TEST(Conv2d, SameBitsOnAllDevices) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (DType dtype : {float16, bfloat16, float64}) {
    const Tensor x = test_mixed_values({5, 4, 10, 9}, 1).to(dtype), w = test_mixed_values({6, 2, 3, 3}, 2).to(dtype);
    const Tensor g = test_mixed_values({5, 6, 10, 9}, 4).to(dtype);
    std::string first;
    for (Device device : test_devices()) {
      const Tensor xd = x.to(device), wd = w.to(device), gd = g.to(device);
      const std::string now = hash_of(conv2d(xd, wd, {}, 1, 1, 1, 2)) +
                              hash_of(conv2d_input_grad(x.sizes(), wd, gd, 1, 1, 1, 2)) +
                              hash_of(conv2d_weight_grad(xd, w.sizes(), gd, 1, 1, 1, 2));
      if (first.empty()) first = now;
      EXPECT_EQ(now, first) << name(dtype) << " " << device.str();
    }
  }
}

TEST(Conv2d, GoldenBits) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (Device device : test_devices()) {
    const Tensor x = test_mixed_values({4, 5, 12, 12}, 1).to(device, float32);
    const Tensor w = test_mixed_values({7, 5, 3, 3}, 2).to(device, float32);
    const Tensor y = conv2d(x, w, {}, 1, 1);
    EXPECT_EQ(hash_of(y), "6c238201e01ed002");
    EXPECT_EQ(hash_of(conv2d_input_grad(x.sizes(), w, y, 1, 1)), "2da8f40dcee2aea5");
    EXPECT_EQ(hash_of(conv2d_weight_grad(x, w.sizes(), y, 1, 1)), "674fa440650e1977");
  }
}

TEST(Conv2d, SameBitsForAnyThreads) {
  for (Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
    const DeterminismGuard guard(level);
    for (const Case& c : {Case{20, 1, 28, 16, 3, 1, 1, 1}, {20, 16, 13, 32, 3, 1, 1, 1}, {3, 3, 12, 4, 5, 2, 2, 1}}) {
      const Tensor x = test_mixed_values({c.samples, c.channels, c.size, c.size}, 1).to(float32);
      const Tensor w = test_mixed_values({c.filters, c.channels, c.kernel, c.kernel}, 2).to(float32);
      std::string first;
      for (int threads : {1, 2, 3, 7}) {
        set_num_threads(threads);
        const Tensor y = conv2d(x, w, {}, c.stride, c.padding);
        const std::string now = hash_of(y) + hash_of(conv2d_input_grad(x.sizes(), w, y, c.stride, c.padding)) +
                                hash_of(conv2d_weight_grad(x, w.sizes(), y, c.stride, c.padding));
        if (first.empty()) first = now;
        EXPECT_EQ(now, first) << threads;
      }
    }
  }
  set_num_threads(2);
}

TEST(Conv2d, OneImageWithoutBatch) {
  const Tensor x = test_values({2, 5, 5}, 1), w = test_values({3, 2, 3, 3}, 2);
  const Tensor y = conv2d(x, w);
  EXPECT_EQ(y.sizes(), Dims({3, 3, 3}));
  EXPECT_EQ(bytes_of(y), bytes_of(conv2d(x.unsqueeze(0), w)));
}

TEST(Conv2d, BadInput) {
  const Tensor x = zeros({1, 4, 5, 5}), w = zeros({2, 4, 3, 3});
  EXPECT_ORDO_ERROR(conv2d(zeros({5, 5}), w), ShapeError, "[conv2d] the input must be [N, C, H, W]");
  EXPECT_ORDO_ERROR(conv2d(x, zeros({2, 4, 3})), ShapeError, "[conv2d] the weight must be [O, C / groups, kH, kW]");
  EXPECT_ORDO_ERROR(conv2d(x, zeros({2, 3, 3, 3})), ShapeError, "has 4 channels");
  EXPECT_ORDO_ERROR(conv2d(x, zeros({3, 2, 3, 3}), {}, 1, 0, 1, 2), ShapeError, "do not divide into 2 groups");
  EXPECT_ORDO_ERROR(conv2d(x, zeros({2, 4, 6, 3})), ShapeError, "the kernel's height reaches over 6 elements");
  EXPECT_ORDO_ERROR(conv2d(x, w, {}, 1, 0, {1, 3}), ShapeError, "the kernel's width reaches over 7 elements");
  EXPECT_ORDO_ERROR(conv2d(x, zeros({2, 4, 0, 3})), ShapeError, "the kernel is empty");
  EXPECT_ORDO_ERROR(conv2d(x, w, zeros({3})), ShapeError, "[conv2d] the bias must be [2]");
  EXPECT_ORDO_ERROR(conv2d(x, w, {}, 0), ValueError, "the stride must be positive");
  EXPECT_ORDO_ERROR(conv2d(x, w, {}, 1, -1), ValueError, "the padding must not be negative");
  EXPECT_ORDO_ERROR(conv2d(x, w, {}, 1, 0, 0), ValueError, "the dilation must be positive");
  EXPECT_ORDO_ERROR(conv2d(x, w, {}, 1, 0, 1, 0), ValueError, "groups must be positive");
  EXPECT_ORDO_ERROR(conv2d(x, zeros({2, 4, 3, 3}, {.dtype = float64})), DTypeError, "[conv2d]");
  EXPECT_ORDO_ERROR(conv2d(zeros({1, 4, 5, 5}, {.dtype = int64}), zeros({2, 4, 3, 3}, {.dtype = int64})), DTypeError,
                    "[conv2d]");
  EXPECT_ORDO_ERROR(conv2d(Tensor(), w), ValueError, "[conv2d]");
  EXPECT_ORDO_ERROR(conv2d(scalar_tensor(1.0), w), ShapeError, "[conv2d]");
  EXPECT_ORDO_ERROR(conv2d_input_grad({1, 4, 5, 5}, w, zeros({1, 2, 5, 5})), ShapeError,
                    "[conv2d_input_grad] the gradient of the output must be [1, 2, 3, 3]");
  EXPECT_ORDO_ERROR(conv2d_weight_grad(x, {2, 4, 3, 3}, zeros({1, 3, 3, 3})), ShapeError,
                    "[conv2d_weight_grad] the gradient of the output must be [1, 2, 3, 3]");
  for (Device device : test_devices())
    if (device.is_cuda())
      EXPECT_ORDO_ERROR(conv2d(x, zeros({2, 4, 3, 3}, {.device = device})), DeviceError, "[conv2d]");
}

}  // namespace
}  // namespace ordo::test
