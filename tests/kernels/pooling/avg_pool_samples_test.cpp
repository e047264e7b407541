#include <ordo/kernels/pooling/avg_pool.h>
#include "tests/kernels/pooling/pool_reference.h"
#include "tests/support/op_samples.h"

namespace ordo::test::avg_pool_samples_test {
namespace {

template <int N>
struct Case {
  const char* label;
  Dims sizes;
  Size<N> kernel;
  OptionalSize<N> stride = std::nullopt;
  Size<N> padding = 0;
  bool ceil_mode = false, count_include_pad = true;
  std::optional<int64_t> divisor = {};
  bool small = true;

  kernels::PoolArguments arguments() const {
    return kernels::avg_pool_arguments<N>(kernel, stride, padding, ceil_mode, count_include_pad, divisor);
  }
};

template <int N>
Tensor pool(const Tensor& x, const Case<N>& c) {
  if constexpr (N == 1)
    return avg_pool1d(
        x, c.kernel,
        {.stride = c.stride, .padding = c.padding, .ceil_mode = c.ceil_mode, .count_include_pad = c.count_include_pad});
  if constexpr (N == 2)
    return avg_pool2d(x, c.kernel,
                      {.stride = c.stride,
                       .padding = c.padding,
                       .ceil_mode = c.ceil_mode,
                       .count_include_pad = c.count_include_pad,
                       .divisor_override = c.divisor});
  if constexpr (N == 3)
    return avg_pool3d(x, c.kernel,
                      {.stride = c.stride,
                       .padding = c.padding,
                       .ceil_mode = c.ceil_mode,
                       .count_include_pad = c.count_include_pad,
                       .divisor_override = c.divisor});
}

template <int N>
Sample sample_of(const Case<N>& c) {
  Sample sample;
  sample.label = c.label;
  sample.inputs = {test_values(c.sizes, 3)};
  sample.run = [c](const TensorList& in) { return pool(in[0], c); };
  sample.forced = [c](const TensorList& in, Algorithm algorithm) {
    const Dims sizes = kernels::avg_pool(in[0], c.arguments()).sizes();
    return kernels::avg_pool_backward(test_gradient(sizes, in[0]), c.sizes, c.arguments(), algorithm);
  };
  sample.reference = [c](const TensorList& in) {
    const Size<N> stride = c.stride.value_or(c.kernel);
    const WindowAxes windows(N, [&](int i) {
      return sliding_cells(in[0].size(i - N), c.kernel[i], stride[i], c.padding[i], 1, c.ceil_mode);
    });
    return average_reference(in[0], windows, c.count_include_pad, c.divisor);
  };
  sample.gradient = c.small;
  sample.order_sensitive = std::string_view(c.label) == "stride_one";
  return sample;
}

template <int N>
Sample sample_of(const AdaptiveCase<N>& c);

template <class C>
std::vector<Sample> samples(const std::vector<C>& cases) {
  return samples_of<C>(cases, [](const C& c) { return sample_of(c); });
}

ORDO_OP_SIZES(avg_pool1d) {
  return samples<Case<1>>(
      {{"width", {2, 2, n}, 3, 1, 1}, {"lines", {n, 1, 5}, 2, 1}, {"window", {1, 2, n}, n, n / 4 + 1, n / 2}});
}
ORDO_OP_SAMPLES(avg_pool1d) {
  return samples<Case<1>>({
      {"two", {1, 2, 6}, 2},
      {"overlapping", {2, 1, 7}, 3, 2, 1},
      {"without_padding", {2, 1, 7}, 3, 2, 1, false, false},
      {"line", {2, 7}, 2, 1, 1},
      {"ceil", {1, 2, 6}, 4, 3, 2, true},
      {"no_lines", {0, 3, 4}, 2},
      {"stride_one", {2, 3, 733}, 9, 1, 4, false, true, {}, false},
      {"more_than_64_cells", {1, 1, 300}, 121, 1, 50, false, false, {}, false},
  });
}

ORDO_OP_SIZES(avg_pool2d) {
  return samples<Case<2>>({{"width", {1, 2, 3, n}, {2, 3}, 1, 1},
                           {"height", {2, 1, n, 3}, 3, {2, 1}, 1},
                           {"planes", {n, 1, 3, 3}, 2, 1},
                           {"window", {1, 2, 2, n}, {1, n}, {1, n / 4 + 1}, {0, n / 2}}});
}
ORDO_OP_SAMPLES(avg_pool2d) {
  return samples<Case<2>>({
      {"2x2", {1, 2, 4, 6}, 2},
      {"overlapping", {2, 1, 5, 5}, 3, 2, 1},
      {"without_padding", {2, 1, 5, 5}, 3, 2, 1, false, false},
      {"image", {2, 5, 7}, {2, 3}, {1, 2}, {1, 1}},
      {"ceil", {1, 2, 5, 6}, {2, 4}, {2, 3}, {1, 2}, true},
      {"ceil_without_padding", {1, 2, 5, 6}, {2, 4}, {2, 3}, {1, 2}, true, false},
      {"divisor", {1, 2, 4, 5}, 3, 1, 1, false, true, -7},
      {"one_cell", {1, 1, 1, 1}, 1},
      {"no_planes", {0, 3, 4, 4}, 2},
      {"stride_one", {2, 3, 33, 29}, 3, 1, 1, false, true, {}, false},
      {"wide", {1, 2, 4, 300}, {3, 5}, {2, 3}, {1, 2}, false, false, {}, false},
      {"more_than_64_cells", {1, 1, 20, 21}, 11, 1, 5, false, false, {}, false},
  });
}

ORDO_OP_SIZES(avg_pool3d) {
  return samples<Case<3>>({{"width", {1, 1, 2, 3, n}, {2, 2, 3}, 1, 1},
                           {"depth", {1, 1, n, 2, 3}, 3, {2, 1, 1}, 1},
                           {"volumes", {n, 1, 2, 3, 2}, 2, 1},
                           {"window", {1, 1, n, 2, 2}, {n, 1, 2}, {n / 4 + 1, 1, 1}, {n / 2, 0, 0}}});
}
ORDO_OP_SAMPLES(avg_pool3d) {
  return samples<Case<3>>({
      {"2x2x2", {1, 2, 2, 4, 2}, 2},
      {"overlapping", {1, 1, 3, 5, 4}, {2, 3, 2}, {1, 2, 1}, {1, 1, 0}},
      {"without_padding", {1, 1, 4, 3, 5}, 3, {1, 2, 2}, 1, false, false},
      {"volume", {2, 3, 2, 4}, {2, 1, 3}, 1, {0, 0, 1}},
      {"ceil", {1, 1, 4, 3, 5}, {3, 2, 4}, {2, 2, 3}, {1, 0, 2}, true},
      {"divisor", {1, 1, 3, 4, 3}, 3, 1, 1, false, true, 5},
      {"no_volumes", {0, 3, 4, 4, 4}, 2},
      {"stride_one", {1, 2, 9, 8, 11}, 3, 1, 1, false, true, {}, false},
      {"more_than_64_cells", {1, 1, 7, 8, 9}, 5, 1, 2, false, false, {}, false},
  });
}

template <int N>
Sample sample_of(const AdaptiveCase<N>& c) {
  Sample sample;
  sample.label = c.label;
  sample.inputs = {test_values(c.sizes, 4)};
  sample.run = [c](const TensorList& in) {
    if constexpr (N == 1) return adaptive_avg_pool1d(in[0], c.output);
    if constexpr (N == 2) return adaptive_avg_pool2d(in[0], c.output);
    if constexpr (N == 3) return adaptive_avg_pool3d(in[0], c.output);
  };
  sample.forced = [c](const TensorList& in, Algorithm algorithm) {
    const Dims sizes = kernels::avg_pool(in[0], kernels::adaptive_pool_arguments<N>(c.output)).sizes();
    return kernels::avg_pool_backward(test_gradient(sizes, in[0]), c.sizes,
                                      kernels::adaptive_pool_arguments<N>(c.output), algorithm);
  };
  sample.reference = [c](const TensorList& in) {
    return average_reference(in[0],
                             WindowAxes(N, [&](int i) { return adaptive_cells(in[0].size(i - N), c.output[i]); }));
  };
  sample.gradient = c.small;
  sample.order_sensitive = std::string_view(c.label) == "many_windows";
  return sample;
}

ORDO_OP_SIZES(adaptive_avg_pool1d) {
  return samples<AdaptiveCase<1>>({{"cells", {2, 2, n}, 5}, {"lines", {n, 1, 3}, 2}, {"outputs", {1, 2, 5}, n}});
}
ORDO_OP_SAMPLES(adaptive_avg_pool1d) {
  return samples(adaptive_cases<1>({{"more_than_64_cells", {1, 3, 311}, 3, false}}));
}

ORDO_OP_SIZES(adaptive_avg_pool2d) {
  return samples<AdaptiveCase<2>>(
      {{"cells", {1, 2, 3, n}, {2, 5}}, {"planes", {n, 1, 3, 3}, 2}, {"outputs", {1, 2, 2, 5}, {3, n}}});
}
ORDO_OP_SAMPLES(adaptive_avg_pool2d) {
  return samples(adaptive_cases<2>(
      {{"medium", {2, 3, 29, 31}, {7, 6}, false}, {"more_than_64_cells", {1, 3, 27, 31}, {2, 3}, false}}));
}

ORDO_OP_SIZES(adaptive_avg_pool3d) {
  return samples<AdaptiveCase<3>>({{"cells", {1, 2, 2, 3, n}, {1, 2, 5}},
                                   {"volumes", {n, 1, 2, 3, 2}, 2},
                                   {"outputs", {1, 1, 2, 2, 5}, {2, 3, n}}});
}
ORDO_OP_SAMPLES(adaptive_avg_pool3d) {
  return samples(adaptive_cases<3>({{"more_than_64_cells", {1, 2, 9, 11, 7}, {2, 3, 1}, false}}));
}

}  // namespace
}  // namespace ordo::test::avg_pool_samples_test
