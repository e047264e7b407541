// The convolutions, their gradients and the transposed ones: samples for the registry-driven tests.
#include <array>
#include <cctype>
#include <random>

#include "tests/kernels/convolution/convolution_reference.h"
#include "tests/kernels/matmul/rule3.h"

namespace ordo::test::convolution_samples_test {
namespace {

template <int N>
using Cases = std::vector<ConvCase<N>>;

template <int N>
Cases<N> cases();
template <>
Cases<1> cases<1>() {
  return {
      {"small", {2, 2, 5}, {2, 2, 2}, true},
      {"padded", {2, 1, 4}, {2, 1, 3}, true, 1, 1},
      {"pointwise", {2, 3, 4}, {2, 3, 1}, true},
      {"strided", {1, 1, 9}, {2, 1, 3}, false, 2, 1},
      {"everything", {1, 4, 8}, {2, 2, 3}, true, 3, 2, 2, 2},
      {"no_samples", {0, 2, 4}, {3, 2, 3}, true, 1, 1},
      {"sound", {2, 5, 101}, {16, 5, 9}, true, 1, 4, 1, 1, false},
      {"stride_two", {2, 8, 97}, {12, 8, 5}, true, 2, 1, 1, 1, false},
  };
}
template <>
Cases<2> cases<2>() {
  return {
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
      {"digits", {2, 1, 6, 28}, {16, 1, 3, 3}, true, 1, 1, 1, 1, false},
      {"deep", {2, 30, 5, 11}, {9, 30, 3, 3}, true, 1, 1, 1, 1, false},
      {"many_samples", {37, 3, 5, 5}, {5, 3, 3, 3}, true, 1, 1, 1, 1, false},
      {"large_kernel", {1, 3, 10, 18}, {4, 3, 9, 9}, true, 1, 4, 1, 1, false},
      {"stride_two", {2, 8, 15, 15}, {12, 8, 3, 3}, false, 2, 1, 1, 1, false},
  };
}
template <>
Cases<3> cases<3>() {
  return {
      {"small", {2, 1, 2, 3, 3}, {2, 1, 2, 2, 2}, true},
      {"padded", {1, 2, 2, 3, 2}, {2, 2, 3, 2, 3}, true, 1, 1},
      {"pointwise", {2, 3, 2, 1, 2}, {2, 3, 1, 1, 1}, true},
      {"strided", {1, 1, 4, 5, 3}, {2, 1, 2, 3, 2}, false, {2, 3, 1}, {1, 0, 1}},
      {"dilated", {1, 1, 5, 4, 5}, {1, 1, 2, 2, 3}, true, 1, {1, 0, 2}, {3, 2, 2}},
      {"everything", {1, 4, 3, 4, 3}, {2, 2, 2, 3, 2}, true, {2, 2, 1}, {1, 2, 1}, {2, 1, 2}, 2},
      {"no_samples", {0, 2, 4, 4, 4}, {3, 2, 3, 3, 3}, true, 1, 1},
      {"video", {1, 3, 3, 6, 13}, {9, 3, 3, 3, 3}, true, 1, 1, 1, 1, false},
      {"large_kernel", {1, 2, 5, 4, 8}, {4, 2, 5, 3, 5}, true, 1, {2, 1, 2}, 1, 1, false},
      {"stride_two", {3, 4, 7, 7, 7}, {6, 4, 3, 3, 3}, true, 2, 1, 1, 1, false},
  };
}

/// The last ones take a block for each n, which the emulator feels.
template <int N>
Cases<N> sized(int64_t n) {
  const auto shape = [](std::initializer_list<int64_t> first, std::initializer_list<int64_t> last) {
    Dims sizes(first);
    while (sizes.size() + int(last.size()) < N + 2) sizes.push_back(2);
    for (int64_t size : last) sizes.push_back(size);
    return sizes;
  };
  Cases<N> out{{"width", shape({1, 2}, {n + 1}), shape({3, 2}, {2}), true, 1, 1, 1, 1, false}};
  if (n > 1025) return out;
  out.push_back({"channels", shape({1, n}, {3}), shape({2, n}, {2}), true, 1, 1, 1, 1, false});
  if (n > 129) return out;
  out.push_back({"samples", shape({n, 1}, {3}), shape({2, 1}, {2}), true, 1, 1, 1, 1, false});
  out.push_back({"filters", shape({2, 2}, {3}), shape({n, 2}, {2}), true, 1, 1, 1, 1, false});
  out.push_back({"groups", shape({1, n}, {3}), shape({n, 1}, {2}), true, 2, 1, 1, n, false});
  return out;
}

using Values = std::vector<double>;

/// A sample of what adds products of its first two inputs: `add(first, second, result)` adds them all. A third input is
/// the bias of each of `channels` channels.
template <int N>
Sample sample_of(const ConvCase<N>& c, TensorList inputs, const Dims& result,
                 std::function<Tensor(const TensorList&)> run,
                 std::function<void(const Values&, const Values&, Values&)> add) {
  const size_t samples = size_t(result[0]);
  return {.label = c.label,
          .inputs = std::move(inputs),
          .run = std::move(run),
          .reference =
              [=](const TensorList& in) {
                Values out(size_t(result.product()));
                add(in[0].to_vector<double>(), in[1].to_vector<double>(), out);
                if (in.size() > 2) {
                  const Values bias = in[2].to_vector<double>();
                  const size_t channels = bias.size() * samples;
                  for (size_t e = 0; e < out.size(); ++e) out[e] += bias[e / (out.size() / channels) % bias.size()];
                }
                return out;
              },
          .gradient = c.gradient,
          .tolerance = c.tolerance()};
}

template <int N>
Sample conv_sample(const ConvCase<N>& c) {
  TensorList inputs = {test_values(c.x, 1), test_values(c.w, 2)};
  if (c.bias) inputs.push_back(test_values({c.w[0]}, 3));
  return sample_of(
      c, inputs, c.output_sizes(),
      [c](const TensorList& in) { return conv(in[0], in[1], c.bias ? in[2] : Tensor(), c); },
      [c](const Values& x, const Values& w, Values& y) {
        c.for_each_product([&](size_t a, size_t b, size_t o) { y[o] += x[a] * w[b]; });
      });
}

template <int N>
Sample input_grad_sample(const ConvCase<N>& c) {
  return sample_of(
      c, {test_values(c.w, 1), test_values(c.output_sizes(), 2)}, c.x,
      [c](const TensorList& in) {
        ConvCase<N> any = c;  // number of samples
        if (in[1].defined() && in[1].dim() > 0) any.x[0] = in[1].size(0);
        return conv_input_grad(in[0], in[1], any);
      },
      [c](const Values& w, const Values& g, Values& x) {
        c.for_each_product([&](size_t a, size_t b, size_t o) { x[a] += g[o] * w[b]; });
      });
}

template <int N>
Sample weight_grad_sample(const ConvCase<N>& c) {
  return sample_of(
      c, {test_values(c.x, 1), test_values(c.output_sizes(), 2)}, c.w,
      [c](const TensorList& in) { return conv_weight_grad(in[0], in[1], c); },
      [c](const Values& x, const Values& g, Values& w) {
        c.for_each_product([&](size_t a, size_t b, size_t o) { w[b] += g[o] * x[a]; });
      });
}

/// What is transposed are the same convolutions, where their windows end with the padded input, and some whose
/// output_padding is more than the stride's rest.
template <int N>
Cases<N> transposed(Cases<N> cases) {
  for (ConvCase<N>& c : cases) {
    const Dims y = c.output_sizes();
    for (int i = 0; i < N; ++i)
      c.x[2 + i] =
          (y[2 + i] - 1) * c.stride[i] - 2 * c.padding[i] + c.dilation[i] * (c.w[2 + i] - 1) + 1 + c.output_padding[i];
  }
  return cases;
}

template <int N>
Cases<N> transposed_cases();
template <>
Cases<1> transposed_cases<1>() {
  Cases<1> out = cases<1>();
  out.push_back({"output_padding", {2, 3, 8}, {2, 3, 3}, true, 3, 1, 1, 1, true, 2});
  out.push_back({"beyond_the_stride", {1, 2, 9}, {2, 2, 2}, true, 1, 0, 3, 1, true, 2});
  return transposed(out);
}
template <>
Cases<2> transposed_cases<2>() {
  Cases<2> out = cases<2>();
  out.push_back({"output_padding", {2, 2, 8, 6}, {4, 1, 3, 2}, true, {3, 2}, {1, 0}, 1, 2, true, {2, 1}});
  out.push_back({"beyond_the_stride", {1, 1, 7, 8}, {2, 1, 2, 2}, false, 1, {0, 1}, {3, 4}, 1, true, {2, 3}});
  out.push_back({"generator", {1, 3, 10, 16}, {40, 3, 4, 4}, true, 2, 1, 1, 1, false});
  return transposed(out);
}
template <>
Cases<3> transposed_cases<3>() {
  Cases<3> out = cases<3>();
  out.push_back({"output_padding", {1, 2, 4, 5, 3}, {2, 2, 2, 2, 1}, true, {2, 3, 2}, 0, 1, 1, true, {1, 2, 0}});
  out.push_back({"beyond_the_stride", {1, 1, 5, 2, 9}, {1, 1, 2, 1, 2}, false, 1, 0, {3, 1, 4}, 1, true, {1, 0, 3}});
  return transposed(out);
}

template <int N>
Sample transpose_sample(const ConvCase<N>& c) {
  TensorList inputs = {test_values(c.output_sizes(), 1), test_values(c.w, 2)};
  if (c.bias) inputs.push_back(test_values({c.x[1]}, 3));
  return sample_of(
      c, inputs, c.x, [c](const TensorList& in) { return conv_transpose(in[0], in[1], c.bias ? in[2] : Tensor(), c); },
      [c](const Values& y, const Values& w, Values& x) {
        c.for_each_product([&](size_t a, size_t b, size_t o) { x[a] += y[o] * w[b]; });
      });
}

#define ORDO_CONVOLUTION_SAMPLES(N)                                                                        \
  ORDO_OP_SAMPLES(conv##N##d) { return samples_of(cases<N>(), conv_sample<N>); }                           \
  ORDO_OP_SIZES(conv##N##d) { return samples_of(sized<N>(n), conv_sample<N>); }                            \
  ORDO_OP_SAMPLES(conv##N##d_input_grad) { return samples_of(cases<N>(), input_grad_sample<N>); }          \
  ORDO_OP_SIZES(conv##N##d_input_grad) { return samples_of(sized<N>(n), input_grad_sample<N>); }           \
  ORDO_OP_SAMPLES(conv##N##d_weight_grad) { return samples_of(cases<N>(), weight_grad_sample<N>); }        \
  ORDO_OP_SIZES(conv##N##d_weight_grad) { return samples_of(sized<N>(n), weight_grad_sample<N>); }         \
  ORDO_OP_SAMPLES(conv_transpose##N##d) { return samples_of(transposed_cases<N>(), transpose_sample<N>); } \
  ORDO_OP_SIZES(conv_transpose##N##d) { return samples_of(transposed(sized<N>(n)), transpose_sample<N>); }
ORDO_CONVOLUTION_SAMPLES(1)
ORDO_CONVOLUTION_SAMPLES(2)
ORDO_CONVOLUTION_SAMPLES(3)

// Bits of the ordered convolution (docs/ordering.md, rule 4), threads, and bad input.

using Floats = std::vector<float>;

using Factors = std::vector<std::pair<float, float>>;

// Rule 4, literally: what is summed by rule 3, for every element of the result.
template <int N>
struct Rule4 {
  ConvCase<N> c;
  Floats x, w, b, g;

  float pixel(size_t at) const { return at == c.kOutside ? 0.0f : x[at]; }

  Floats forward() const {
    std::vector<Factors> factors(g.size());
    c.for_each_cell([&](size_t in, size_t cell, size_t out) { factors[out].emplace_back(w[cell], pixel(in)); });
    Floats y;
    const size_t plane = g.size() / b.size() / size_t(c.x[0]);
    for (const Factors& f : factors) y.push_back(rule3(f) + b[y.size() / plane % b.size()]);
    return y;
  }
  Floats input_grad() const {
    const size_t cells = w.size() / size_t(c.w[0] * c.w[1]);
    std::vector<std::map<size_t, Factors>> factors(x.size());  // by the kernel's cell, over the filters
    c.for_each_product(
        [&](size_t in, size_t cell, size_t out) { factors[in][cell % cells].emplace_back(w[cell], g[out]); });
    Floats result;
    for (const auto& by_cell : factors) {
      Floats values;
      for (const auto& [cell, f] : by_cell) values.push_back(rule3(f));
      result.push_back(values.empty() ? 0.0f : 0.0f + rule1(values));
    }
    return result;
  }
  Floats weight_grad() const {
    const size_t samples = size_t(c.x[0]), sample = g.size() / samples;
    std::vector<std::vector<Factors>> factors(w.size(), std::vector<Factors>(samples));
    c.for_each_cell(
        [&](size_t in, size_t cell, size_t out) { factors[cell][out / sample].emplace_back(g[out], pixel(in)); });
    Floats result;
    for (const auto& by_sample : factors) {
      float sum = rule3(by_sample[0]);
      for (size_t n = 1; n < samples; ++n) sum = sum + rule3(by_sample[n]);
      result.push_back(sum);
    }
    return result;
  }
};

template <int N>
Size<N> size_of(const std::array<int64_t, N>& values) {
  return std::apply([](auto... each) { return Size<N>(each...); }, values);
}

// With what the outputs leave of the input as output_padding.
template <int N>
ConvCase<N> transposed(ConvCase<N> c) {
  std::array<int64_t, N> rest;
  for (int i = 0; i < N; ++i)
    rest[i] = (c.x[2 + i] + 2 * c.padding[i] - c.dilation[i] * (c.w[2 + i] - 1) - 1) % c.stride[i];
  c.output_padding = size_of<N>(rest);
  return c;
}

template <int N>
void expect_rule4(const std::vector<ConvCase<N>>& cases) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (size_t i = 0; i < cases.size(); ++i) {
    const ConvCase<N>& c = cases[i];
    SCOPED_TRACE(c.label + (" case " + std::to_string(i)));
    const Tensor x = test_mixed_values(c.x, 1).to(float32), w = test_mixed_values(c.w, 2).to(float32);
    const Tensor b = test_mixed_values({c.w[0]}, 3).to(float32);
    const Tensor g = test_mixed_values(c.output_sizes(), 4).to(float32);
    const Rule4<N> r{c, x.to_vector<float>(), w.to_vector<float>(), b.to_vector<float>(), g.to_vector<float>()};
    const auto y = bytes_of(from_vector(r.forward(), g.sizes()));
    const auto gx = bytes_of(from_vector(r.input_grad(), x.sizes()));
    const auto gw = bytes_of(from_vector(r.weight_grad(), w.sizes()));
    for (Device device : test_devices())
      for (int threads : {1, 2, 3}) {
        SCOPED_TRACE(device.str() + " threads " + std::to_string(threads));
        set_num_threads(threads);
        const Tensor xd = x.to(device), wd = w.to(device), gd = g.to(device);
        EXPECT_EQ(bytes_of(conv(xd, wd, b.to(device), c)), y);
        EXPECT_EQ(bytes_of(conv_input_grad(wd, gd, c)), gx);
        EXPECT_EQ(bytes_of(conv_weight_grad(xd, gd, c)), gw);
        EXPECT_EQ(bytes_of(conv_transpose(gd, wd, {}, transposed(c))), gx);
      }
  }
  set_num_threads(2);
}

TEST(Conv2d, OrderedConvolutionsFollowRule4) {
  expect_rule4<1>({{"padded", {2, 3, 40}, {4, 3, 9}, true, 1, 4},
                   {"deep", {2, 70, 17}, {5, 70, 5}, true, 2, 2, 2},
                   {"long", {1, 1, 600}, {2, 1, 71}, true, 1, 3}});
  expect_rule4<2>({{"small", {2, 2, 9, 9}, {3, 2, 3, 3}, true, 1, 1},
                   {"digits", {3, 1, 28, 28}, {16, 1, 3, 3}, true, 1, 1},
                   {"deep", {2, 30, 7, 7}, {17, 30, 3, 3}, true, 1, 1},
                   {"strided", {2, 3, 11, 11}, {4, 3, 3, 3}, true, 2, 1, 2},
                   {"pointwise", {18, 2, 5, 5}, {3, 2, 1, 1}, true},
                   {"pointwise, strided", {3, 6, 13, 12}, {9, 6, 1, 1}, true, {2, 3}},
                   {"wide, strided", {2, 3, 18, 70}, {17, 3, 4, 4}, true, 2, 1},
                   {"large", {1, 1, 12, 12}, {2, 1, 9, 9}, true, 1, 4},
                   {"more padding than kernel", {1, 1, 5, 1}, {8, 1, 2, 1}, true, 1, {0, 8}},
                   {"much more padding than pixels", {1, 1, 2, 2}, {2, 1, 3, 3}, true, 1, 2000, 2000},
                   {"strided, more padding than pixels", {1, 1, 2, 2}, {2, 1, 2, 2}, true, 1500, 1500}});
  // Several samples in a product, and a run that is shorter.
  expect_rule4<2>(
      {{"small images", {11, 5, 4, 4}, {33, 5, 3, 3}, true, 1, 1},
       {"small images, strided", {9, 4, 6, 6}, {3, 4, 3, 3}, true, 2, 1},
       {"small images, pointwise", {9, 4, 3, 3}, {34, 4, 1, 1}, true},
       {"small images, more filters than a block", {9, 3, 3, 3}, {258, 3, 2, 2}, true, 1, 1},
       {"small images, strided, more filters than two blocks", {3, 70, 5, 5}, {530, 70, 3, 3}, true, 2, 1}});
  expect_rule4<2>({{"more positions than a group of blocks", {1, 1, 130, 129}, {2, 1, 2, 3}, true, 1, 1},
                   {"a window of more than a group of blocks", {1, 1025, 5, 5}, {1, 1025, 4, 4}, true, 1, 0}});
  expect_rule4<3>({{"small", {2, 2, 5, 6, 7}, {3, 2, 3, 3, 3}, true, 1, 1},
                   {"deep", {2, 12, 3, 4, 3}, {5, 12, 2, 3, 3}, true, 1, {0, 1, 1}},
                   {"strided", {2, 3, 7, 6, 9}, {4, 3, 2, 3, 3}, true, {2, 1, 2}, {0, 1, 1}, {3, 2, 1}},
                   {"large", {1, 1, 6, 7, 6}, {2, 1, 5, 5, 5}, true, 1, 2}});
}

template <int N>
std::vector<ConvCase<N>> random_cases(int count) {
  std::mt19937 random(N);
  const auto up_to = [&](int64_t least, int64_t most) {
    return least + int64_t(random() % uint64_t(most - least + 1));
  };
  const auto sizes = [&](int64_t least, int64_t most) {
    std::array<int64_t, N> all;
    for (int64_t& one : all) one = std::max(least, up_to(least - 1, most));  // the least more often
    return size_of<N>(all);
  };
  std::vector<ConvCase<N>> cases;
  while (count-- > 0) {
    const int64_t groups = up_to(1, 6) == 1 ? 2 : 1, channels = up_to(1, 4) == 1 ? up_to(17, 40) : up_to(1, 4);
    const int64_t filters = up_to(1, 3) == 1 ? up_to(17, 140) : up_to(1, 20);
    ConvCase<N> c{"", {up_to(1, 9), channels * groups}, {filters * groups, channels}, true};
    c.stride = sizes(1, 4), c.padding = sizes(0, 3), c.dilation = sizes(1, 2), c.groups = groups;
    for (int i = 0; i < N; ++i) {
      c.w.push_back(up_to(1, 4));
      const int64_t extent = (c.w[2 + i] - 1) * c.dilation[i] + 1;
      c.x.push_back(up_to(std::max<int64_t>(1, extent - 2 * c.padding[i]), extent + (N == 3 ? 4 : 11)));
    }
    cases.push_back(c);
  }
  return cases;
}

TEST(Conv2d, RandomShapesFollowRule4) {
  expect_rule4(random_cases<1>(40));
  expect_rule4(random_cases<2>(80));
  expect_rule4(random_cases<3>(20));
}

// TF32 keeps 10 bits, which would show as 2^-11 / sqrt(72) of the products' absolute sum.
TEST(Conv2d, LibrariesComputeFloat32InFloat32) {
  if (cuda::build() != "cuda" || !cuda::is_available()) GTEST_SKIP() << "no CUDA device but the emulated one";
  bool has_cudnn = false;
  for (const LibraryVersion& library : libraries())
    has_cudnn = has_cudnn || (library.name == "cuDNN" && std::isdigit(library.version[0]));
  if (!has_cudnn) GTEST_SKIP() << "no cuDNN";
  const Tensor x = test_mixed_values({4, 8, 20, 20}, 1), w = test_mixed_values({16, 8, 3, 3}, 2);
  const Tensor g = test_mixed_values({4, 16, 20, 20}, 3);
  const auto all = [](const Tensor& x, const Tensor& w, const Tensor& g) {
    return std::array{conv2d(x, w, {}, {.padding = 1}), conv2d_input_grad(x.sizes(), w, g, {.padding = 1}),
                      conv2d_weight_grad(x, w.sizes(), g, {.padding = 1})};
  };
  const auto exact = all(x, w, g), sizes = all(abs(x), abs(w), abs(g));
  const CudnnSettings before = cudnn_settings();
  for (Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run})
    for (bool benchmark : {false, true}) {
      SCOPED_TRACE(std::string(name(level)) + (benchmark ? ", benchmark" : ""));
      set_cudnn_settings({.benchmark = benchmark});
      const DeterminismGuard guard(level);
      std::vector<std::string> other;
      const OpListener listener([&](const OpEvent& e) {
        if (e.name.starts_with("conv2d") && e.algorithm != Algorithm::library) other.emplace_back(e.name);
      });
      const auto f = [](const Tensor& t) { return t.to(float32).to(Device("cuda")); };
      const auto got = all(f(x), f(w), f(g));
      EXPECT_TRUE(other.empty()) << other.front() << " was not the library's";
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_LE(max(abs(got[i].to(Device("cpu")).to(float64) - exact[i]) / sizes[i]).item(), 64 * 0x1p-24) << i;
    }
  set_cudnn_settings(before);
}

// Padding and windows that are not there count alike, whatever the weight: infinities times zeros are no part of a
// gradient.
TEST(Conv2d, InputGradientOfAnInfiniteWeight) {
  const DeterminismGuard guard(Determinism::device_to_device);
  Tensor w = test_mixed_values({2, 1, 3, 3}, 2).to(float32);
  w[0][0][0][0].fill_(INFINITY);
  const Tensor g = test_mixed_values({1, 2, 4, 4}, 3).to(float32);
  std::string first;
  for (Device device : test_devices()) {
    const Tensor gradient = conv2d_input_grad({1, 1, 4, 4}, w.to(device), g.to(device), {.padding = 1});
    const auto values = gradient.to_vector<float>();
    EXPECT_EQ(std::count_if(values.begin(), values.end(), [](float v) { return std::isnan(v); }), 0);
    if (first.empty()) first = hash_of(gradient);
    EXPECT_EQ(hash_of(gradient), first) << device.str();
  }
}

TEST(Conv2d, OneImageWithoutBatch) {
  const Tensor x = test_values({2, 5, 5}, 1), w = test_values({3, 2, 3, 3}, 2);
  const Tensor y = conv2d(x, w);
  EXPECT_EQ(y.sizes(), Dims({3, 3, 3}));
  EXPECT_EQ(bytes_of(y), bytes_of(conv2d(x.unsqueeze(0), w)));
  EXPECT_EQ(bytes_of(conv_transpose2d(y, w)), bytes_of(conv_transpose2d(y.unsqueeze(0), w)));
}

TEST(Conv2d, PaddingSame) {
  const Tensor x = test_values({1, 2, 7, 8}, 1), odd = test_values({3, 2, 3, 5}, 2),
               even = test_values({3, 2, 2, 4}, 3);
  EXPECT_EQ(bytes_of(conv2d(x, odd, {}, {.padding = same})), bytes_of(conv2d(x, odd, {}, {.padding = {1, 2}})));
  EXPECT_EQ(bytes_of(conv2d(x, odd, {}, {.padding = same, .dilation = 2})),
            bytes_of(conv2d(x, odd, {}, {.padding = {2, 4}, .dilation = 2})));
  EXPECT_EQ(bytes_of(conv2d(x, even, {}, {.padding = same})), bytes_of(conv2d(pad(x, {1, 2, 0, 1}), even)))
      << "what is odd is at the end";
  EXPECT_EQ(conv1d(x.select(2, 0), odd.select(2, 0), {}, {.padding = same}).sizes(), (Dims{1, 3, 8}));
  EXPECT_ORDO_ERROR(conv2d(x, odd, {}, {.stride = 2, .padding = same}), ValueError, "a stride of 1, not 2");
  EXPECT_ORDO_ERROR(conv2d_input_grad(x.sizes(), odd, x, {.padding = same}), ValueError, "in numbers");
}

TEST(Conv2d, ExtremeArguments) {
  const Tensor x = zeros({1, 1, 5, 5}), w = zeros({1, 1, 3, 3});
  const int64_t most = (int64_t(1) << 31) - 1;
  EXPECT_ORDO_ERROR(conv_transpose2d(zeros({1, 1, 0, 5}), w), ShapeError, "height is not 0");
  EXPECT_ORDO_ERROR(conv2d(x, w, {}, {.padding = most}), ShapeError, "[conv2d] a result of shape");
  EXPECT_ORDO_ERROR(conv_transpose2d(x, w, {}, {.stride = most}), ShapeError, "[conv_transpose2d] a result of shape");
  EXPECT_ORDO_ERROR(conv_transpose3d(zeros({1, 1, 5, 5, 5}), zeros({1, 1, 3, 3, 3}), {}, {.dilation = most}),
                    ShapeError, "[conv_transpose3d] a result of shape");
  EXPECT_EQ(conv2d(x, w, {}, {.stride = most}).sizes(), (Dims{1, 1, 1, 1}));
  // Padding and dilation that almost cancel: nine windows of which one or more cells lie inside.
  const Tensor far =
      conv2d(ones({1, 1, 5, 5}), ones({1, 1, 3, 3}), {}, {.padding = int64_t(1) << 30, .dilation = int64_t(1) << 30});
  EXPECT_EQ(far.to_vector<double>(), std::vector<double>(25, 1));
}

}  // namespace
}  // namespace ordo::test::convolution_samples_test
