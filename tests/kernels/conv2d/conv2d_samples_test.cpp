// conv2d and its gradients: samples for the registry-driven tests.
#include <ordo/autograd/ops/conv2d.h>

#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

struct Case {
  const char* label;
  Dims x, w;
  bool bias;
  Size2 stride = 1, padding = 0, dilation = 1;
  int64_t groups = 1;
  bool gradient = true;
};

Dims output_sizes(const Case& c) {
  const auto out = [](int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation) {
    return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  };
  return {c.x[0], c.w[0], out(c.x[2], c.w[2], c.stride.h, c.padding.h, c.dilation.h),
          out(c.x[3], c.w[3], c.stride.w, c.padding.w, c.dilation.w)};
}

// Calls f(index in x, index in w, index in y) for every product of the convolution.
template <class F>
void for_each_product(const Case& c, F f) {
  const Dims y = output_sizes(c);
  const int64_t per_group = c.w[0] / c.groups;
  for (int64_t n = 0; n < c.x[0]; ++n)
    for (int64_t o = 0; o < c.w[0]; ++o)
      for (int64_t i = 0; i < y[2]; ++i)
        for (int64_t j = 0; j < y[3]; ++j)
          for (int64_t k = 0; k < c.w[1]; ++k)
            for (int64_t u = 0; u < c.w[2]; ++u)
              for (int64_t v = 0; v < c.w[3]; ++v) {
                const int64_t down = i * c.stride.h + u * c.dilation.h - c.padding.h;
                const int64_t right = j * c.stride.w + v * c.dilation.w - c.padding.w;
                if (down < 0 || down >= c.x[2] || right < 0 || right >= c.x[3]) continue;
                const int64_t channel = o / per_group * c.w[1] + k;
                f(size_t(((n * c.x[1] + channel) * c.x[2] + down) * c.x[3] + right),
                  size_t(((o * c.w[1] + k) * c.w[2] + u) * c.w[3] + v),
                  size_t(((n * c.w[0] + o) * y[2] + i) * y[3] + j));
              }
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"small", {2, 2, 3, 3}, {2, 2, 2, 2}, true},
      {"no_bias", {1, 1, 4, 4}, {1, 1, 3, 3}, false},
      {"padded", {2, 1, 3, 3}, {2, 1, 3, 3}, true, 1, 1},
      {"pointwise", {2, 3, 2, 2}, {2, 3, 1, 1}, true},
      {"strided", {1, 1, 5, 6}, {2, 1, 3, 2}, true, {2, 3}, {1, 0}},
      {"stride_beyond_kernel", {1, 1, 5, 5}, {2, 1, 2, 1}, true, 3},
      {"dilated", {1, 1, 6, 5}, {1, 1, 2, 3}, true, 1, {0, 2}, {3, 2}},
      {"grouped", {1, 4, 3, 3}, {2, 2, 2, 2}, true, 1, 1, 1, 2},
      {"depthwise", {1, 2, 3, 3}, {4, 1, 2, 2}, true, 1, 1, 1, 2},
      {"everything", {1, 4, 4, 3}, {2, 2, 3, 2}, true, {2, 1}, {2, 1}, {1, 2}, 2},
      {"no_samples", {0, 2, 4, 4}, {3, 2, 3, 3}, true, 1, 1},
      // Wider than a vector and a block of rule 3, more filters than a tile, more samples than partial sums.
      {"digits", {3, 1, 28, 28}, {16, 1, 3, 3}, true, 1, 1, 1, 1, false},
      {"deep", {2, 30, 9, 11}, {9, 30, 3, 3}, true, 1, 1, 1, 1, false},
      {"many_samples", {37, 3, 5, 5}, {5, 3, 3, 3}, true, 1, 1, 1, 1, false},
      {"large_kernel", {2, 3, 17, 18}, {4, 3, 9, 9}, true, 1, 4, 1, 1, false},
      {"stride_two", {2, 8, 15, 15}, {12, 8, 3, 3}, false, 2, 1, 1, 1, false},
  };
  return all;
}

// Rounding of up to some hundred sums of products.
double tolerance(const Case& c) { return c.gradient ? 8.0 : 64.0; }

/// The last ones take a block for each n, which the emulator feels.
std::vector<Case> sized(int64_t n) {
  std::vector<Case> out{{"width", {1, 2, 2, n + 1}, {3, 2, 1, 2}, true, 1, {1, 0}, 1, 1, false}};
  if (n > 1025) return out;
  out.push_back({"channels", {1, n, 2, 3}, {2, n, 2, 2}, true, 1, 1, 1, 1, false});
  if (n > 129) return out;
  out.push_back({"samples", {n, 1, 3, 3}, {2, 1, 2, 2}, true, 1, 1, 1, 1, false});
  out.push_back({"filters", {2, 2, 2, 3}, {n, 2, 2, 2}, true, 1, 1, 1, 1, false});
  out.push_back({"groups", {1, n, 2, 3}, {n, 1, 1, 2}, true, {1, 2}, 0, 1, n, false});
  return out;
}

std::vector<Sample> conv2d_samples(const std::vector<Case>& cases) {
  std::vector<Sample> samples;
  for (const Case& c : cases) {
    TensorList inputs = {test_values(c.x, 1), test_values(c.w, 2)};
    if (c.bias) inputs.push_back(test_values({c.w[0]}, 3));
    samples.push_back({.label = c.label,
                       .inputs = inputs,
                       .run =
                           [c](const TensorList& in) {
                             return conv2d(in[0], in[1], c.bias ? in[2] : Tensor(), c.stride, c.padding, c.dilation,
                                           c.groups);
                           },
                       .reference =
                           [c](const TensorList& in) {
                             const auto x = in[0].to_vector<double>(), w = in[1].to_vector<double>();
                             const Dims sizes = output_sizes(c);
                             std::vector<double> y(size_t(sizes.product()));
                             for_each_product(c, [&](size_t a, size_t b, size_t o) { y[o] += x[a] * w[b]; });
                             if (c.bias) {
                               const auto b = in[2].to_vector<double>();
                               const size_t plane = size_t(sizes[2] * sizes[3]);
                               for (size_t e = 0; e < y.size(); ++e) y[e] += b[e / plane % b.size()];
                             }
                             return y;
                           },
                       .gradient = c.gradient,
                       .tolerance = tolerance(c)});
  }
  return samples;
}

std::vector<Sample> input_grad_samples(const std::vector<Case>& cases) {
  std::vector<Sample> samples;
  for (const Case& c : cases)
    samples.push_back({.label = c.label,
                       .inputs = {test_values(c.w, 1), test_values(output_sizes(c), 2)},
                       .run =
                           [c](const TensorList& in) {
                             return conv2d_input_grad(c.x, in[0], in[1], c.stride, c.padding, c.dilation, c.groups);
                           },
                       .reference =
                           [c](const TensorList& in) {
                             const auto w = in[0].to_vector<double>(), g = in[1].to_vector<double>();
                             std::vector<double> x(size_t(c.x.product()));
                             for_each_product(c, [&](size_t a, size_t b, size_t o) { x[a] += g[o] * w[b]; });
                             return x;
                           },
                       .gradient = c.gradient,
                       .tolerance = tolerance(c)});
  return samples;
}

std::vector<Sample> weight_grad_samples(const std::vector<Case>& cases) {
  std::vector<Sample> samples;
  for (const Case& c : cases)
    samples.push_back({.label = c.label,
                       .inputs = {test_values(c.x, 1), test_values(output_sizes(c), 2)},
                       .run =
                           [c](const TensorList& in) {
                             return conv2d_weight_grad(in[0], c.w, in[1], c.stride, c.padding, c.dilation, c.groups);
                           },
                       .reference =
                           [c](const TensorList& in) {
                             const auto x = in[0].to_vector<double>(), g = in[1].to_vector<double>();
                             std::vector<double> w(size_t(c.w.product()));
                             for_each_product(c, [&](size_t a, size_t b, size_t o) { w[b] += g[o] * x[a]; });
                             return w;
                           },
                       .gradient = c.gradient,
                       .tolerance = tolerance(c)});
  return samples;
}

}  // namespace

ORDO_OP_SAMPLES(conv2d) { return conv2d_samples(cases()); }
ORDO_OP_SAMPLES(conv2d_input_grad) { return input_grad_samples(cases()); }
ORDO_OP_SAMPLES(conv2d_weight_grad) { return weight_grad_samples(cases()); }
ORDO_OP_SIZES(conv2d) { return conv2d_samples(sized(n)); }
ORDO_OP_SIZES(conv2d_input_grad) { return input_grad_samples(sized(n)); }
ORDO_OP_SIZES(conv2d_weight_grad) { return weight_grad_samples(sized(n)); }

}  // namespace ordo::test
