#include <ordo/kernels/pooling/pool.h>
#include "tests/kernels/pooling/pool_reference.h"

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
  WindowAxes windows(const Tensor& x) const {
    const Size<N> step = stride.value_or(kernel);
    return WindowAxes(
        N, [&](int i) { return sliding_cells(x.size(i - N), kernel[i], step[i], padding[i], 1, ceil_mode); });
  }
  bool order_sensitive() const { return std::string_view(label) == "stride_one"; }
};

Tensor pool(const Tensor& x, const Case<1>& c) {
  return avg_pool1d(x, c.kernel, {c.stride, c.padding, c.ceil_mode, c.count_include_pad});
}
Tensor pool(const Tensor& x, const Case<2>& c) {
  return avg_pool2d(x, c.kernel, {c.stride, c.padding, c.ceil_mode, c.count_include_pad, c.divisor});
}
Tensor pool(const Tensor& x, const Case<3>& c) {
  return avg_pool3d(x, c.kernel, {c.stride, c.padding, c.ceil_mode, c.count_include_pad, c.divisor});
}
Tensor pool(const Tensor& x, const AdaptiveCase<1>& c) { return adaptive_avg_pool1d(x, c.output); }
Tensor pool(const Tensor& x, const AdaptiveCase<2>& c) { return adaptive_avg_pool2d(x, c.output); }
Tensor pool(const Tensor& x, const AdaptiveCase<3>& c) { return adaptive_avg_pool3d(x, c.output); }

template <int N>
std::vector<double> reference(const Tensor& x, const Case<N>& c) {
  return average_reference(x, c.windows(x), c.count_include_pad, c.divisor);
}
template <int N>
std::vector<double> reference(const Tensor& x, const AdaptiveCase<N>& c) {
  return average_reference(x, c.windows(x));
}

template <class C>
std::vector<Sample> samples(const std::vector<C>& cases) {
  std::vector<Sample> all;
  for (const C& c : cases) {
    Sample& s = all.emplace_back();
    s.label = c.label;
    s.inputs = {test_values(
        c.sizes, requires { c.kernel; } ? 3 : 4)};
    s.run = [c](const TensorList& in) { return pool(in[0], c); };
    s.forced = [c](const TensorList& in, Algorithm algorithm) {
      const Dims sizes = kernels::avg_pool(in[0], c.arguments()).sizes();
      return kernels::avg_pool_backward(test_gradient(sizes, in[0]), c.sizes, c.arguments(), algorithm);
    };
    s.reference = [c](const TensorList& in) { return reference(in[0], c); };
    s.gradient = c.small;
    s.order_sensitive = c.order_sensitive();
  }
  return all;
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
