// The convolutions, their gradients and the transposed ones: samples for the registry-driven tests.
#include "tests/kernels/convolution/convolution_reference.h"

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
std::vector<Sample> conv_samples(const Cases<N>& cases) {
  std::vector<Sample> samples;
  for (const ConvCase<N>& c : cases) {
    TensorList inputs = {test_values(c.x, 1), test_values(c.w, 2)};
    if (c.bias) inputs.push_back(test_values({c.w[0]}, 3));
    samples.push_back(sample_of(
        c, inputs, c.output_sizes(),
        [c](const TensorList& in) { return conv(in[0], in[1], c.bias ? in[2] : Tensor(), c); },
        [c](const Values& x, const Values& w, Values& y) {
          c.for_each_product([&](size_t a, size_t b, size_t o) { y[o] += x[a] * w[b]; });
        }));
  }
  return samples;
}

template <int N>
std::vector<Sample> input_grad_samples(const Cases<N>& cases) {
  std::vector<Sample> samples;
  for (const ConvCase<N>& c : cases)
    samples.push_back(sample_of(
        c, {test_values(c.w, 1), test_values(c.output_sizes(), 2)}, c.x,
        [c](const TensorList& in) {
          ConvCase<N> any = c;  // number of samples
          if (in[1].defined() && in[1].dim() > 0) any.x[0] = in[1].size(0);
          return conv_input_grad(in[0], in[1], any);
        },
        [c](const Values& w, const Values& g, Values& x) {
          c.for_each_product([&](size_t a, size_t b, size_t o) { x[a] += g[o] * w[b]; });
        }));
  return samples;
}

template <int N>
std::vector<Sample> weight_grad_samples(const Cases<N>& cases) {
  std::vector<Sample> samples;
  for (const ConvCase<N>& c : cases)
    samples.push_back(sample_of(
        c, {test_values(c.x, 1), test_values(c.output_sizes(), 2)}, c.w,
        [c](const TensorList& in) { return conv_weight_grad(in[0], in[1], c); },
        [c](const Values& x, const Values& g, Values& w) {
          c.for_each_product([&](size_t a, size_t b, size_t o) { w[b] += g[o] * x[a]; });
        }));
  return samples;
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
std::vector<Sample> transpose_samples(const Cases<N>& cases) {
  std::vector<Sample> samples;
  for (const ConvCase<N>& c : cases) {
    TensorList inputs = {test_values(c.output_sizes(), 1), test_values(c.w, 2)};
    if (c.bias) inputs.push_back(test_values({c.x[1]}, 3));
    samples.push_back(sample_of(
        c, inputs, c.x,
        [c](const TensorList& in) { return conv_transpose(in[0], in[1], c.bias ? in[2] : Tensor(), c); },
        [c](const Values& y, const Values& w, Values& x) {
          c.for_each_product([&](size_t a, size_t b, size_t o) { x[a] += y[o] * w[b]; });
        }));
  }
  return samples;
}

}  // namespace

#define ORDO_CONVOLUTION_SAMPLES(N)                                                          \
  ORDO_OP_SAMPLES(conv##N##d) { return conv_samples(cases<N>()); }                           \
  ORDO_OP_SIZES(conv##N##d) { return conv_samples(sized<N>(n)); }                            \
  ORDO_OP_SAMPLES(conv##N##d_input_grad) { return input_grad_samples(cases<N>()); }          \
  ORDO_OP_SIZES(conv##N##d_input_grad) { return input_grad_samples(sized<N>(n)); }           \
  ORDO_OP_SAMPLES(conv##N##d_weight_grad) { return weight_grad_samples(cases<N>()); }        \
  ORDO_OP_SIZES(conv##N##d_weight_grad) { return weight_grad_samples(sized<N>(n)); }         \
  ORDO_OP_SAMPLES(conv_transpose##N##d) { return transpose_samples(transposed_cases<N>()); } \
  ORDO_OP_SIZES(conv_transpose##N##d) { return transpose_samples(transposed(sized<N>(n))); }
ORDO_CONVOLUTION_SAMPLES(1)
ORDO_CONVOLUTION_SAMPLES(2)
ORDO_CONVOLUTION_SAMPLES(3)

}  // namespace ordo::test::convolution_samples_test
