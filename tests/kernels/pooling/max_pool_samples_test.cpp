#include <ordo/kernels/pooling/max_pool.h>
#include "tests/kernels/pooling/pool_reference.h"
#include "tests/support/op_samples.h"

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

  kernels::PoolArguments arguments() const {
    return kernels::max_pool_arguments<N>(kernel, stride, padding, dilation, ceil_mode);
  }
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

template <int N>
Tensor pool(const Tensor& x, const Case<N>& c) {
  if constexpr (N == 1)
    return max_pool1d(x, c.kernel,
                      {.stride = c.stride, .padding = c.padding, .dilation = c.dilation, .ceil_mode = c.ceil_mode});
  if constexpr (N == 2)
    return max_pool2d(x, c.kernel,
                      {.stride = c.stride, .padding = c.padding, .dilation = c.dilation, .ceil_mode = c.ceil_mode});
  if constexpr (N == 3)
    return max_pool3d(x, c.kernel,
                      {.stride = c.stride, .padding = c.padding, .dilation = c.dilation, .ceil_mode = c.ceil_mode});
}
template <int N>
MaxPoolResult pool_with_indices(const Tensor& x, const Case<N>& c) {
  if constexpr (N == 1)
    return max_pool1d_with_indices(
        x, c.kernel, {.stride = c.stride, .padding = c.padding, .dilation = c.dilation, .ceil_mode = c.ceil_mode});
  if constexpr (N == 2)
    return max_pool2d_with_indices(
        x, c.kernel, {.stride = c.stride, .padding = c.padding, .dilation = c.dilation, .ceil_mode = c.ceil_mode});
  if constexpr (N == 3)
    return max_pool3d_with_indices(
        x, c.kernel, {.stride = c.stride, .padding = c.padding, .dilation = c.dilation, .ceil_mode = c.ceil_mode});
}

template <int N>
Sample sample_of(const Case<N>& c, bool with_indices) {
  Sample sample;
  sample.label = c.label;
  sample.inputs = {c.mixed ? test_mixed_values(c.sizes, 1) : test_values(c.sizes, 1)};
  sample.run = [c, with_indices](const TensorList& in) {
    return with_indices ? pool_with_indices(in[0], c).values : pool(in[0], c);
  };
  sample.forced = [c](const TensorList& in, Algorithm algorithm) {
    const auto pooled = kernels::max_pool_with_indices(in[0], c.arguments());
    return kernels::max_pool_backward(test_gradient(pooled.values.sizes(), in[0]), pooled.indices, c.sizes,
                                      c.arguments(), algorithm);
  };
  sample.reference = [c](const TensorList& in) {
    const Size<N> stride = c.stride.value_or(c.kernel);
    return max_reference(in[0], WindowAxes(N, [&](int i) {
                           return sliding_cells(in[0].size(i - N), c.kernel[i], stride[i], c.padding[i], c.dilation[i],
                                                c.ceil_mode);
                         }));
  };
  sample.gradient = c.small;
  sample.tolerance = 0;  // a maximum is one of the inputs
  sample.order_sensitive = c.mixed;
  return sample;
}

template <int N>
std::vector<Sample> samples(bool with_indices) {
  std::vector<Sample> out;
  for (const Case<N>& c : cases<N>()) out.push_back(sample_of(c, with_indices));
  return out;
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

template <int N>
std::vector<Sample> sized(int64_t n, bool with_indices) {
  std::vector<Sample> out;
  for (const Case<N>& c : sized_cases<N>(n)) out.push_back(sample_of(c, with_indices));
  for (Sample& s : out) s.order_sensitive = false;
  const Case<N> c{"indices", Dims::filled(N, 3), 2, 1, 1};
  if (with_indices)
    out.push_back({.label = "indices",
                   .inputs = {with_ties(c.sizes, n)},
                   .run = [c](const TensorList& in) { return pool_with_indices(in[0], c).indices; },
                   .reference = nullptr});
  return out;
}

template <int N>
Tensor adaptive(const Tensor& x, Size<N> output) {
  if constexpr (N == 1) return adaptive_max_pool1d(x, output);
  if constexpr (N == 2) return adaptive_max_pool2d(x, output);
  if constexpr (N == 3) return adaptive_max_pool3d(x, output);
}
template <int N>
MaxPoolResult adaptive_with_indices(const Tensor& x, Size<N> output) {
  if constexpr (N == 1) return adaptive_max_pool1d_with_indices(x, output);
  if constexpr (N == 2) return adaptive_max_pool2d_with_indices(x, output);
  if constexpr (N == 3) return adaptive_max_pool3d_with_indices(x, output);
}

template <int N>
Sample sample_of(const AdaptiveCase<N>& c, bool with_indices) {
  Sample sample;
  sample.label = c.label;
  sample.inputs = {test_values(c.sizes, 2)};
  sample.run = [c, with_indices](const TensorList& in) {
    return with_indices ? adaptive_with_indices<N>(in[0], c.output).values : adaptive<N>(in[0], c.output);
  };
  sample.forced = [c](const TensorList& in, Algorithm algorithm) {
    const auto pooled = kernels::max_pool_with_indices(in[0], kernels::adaptive_pool_arguments<N>(c.output));
    return kernels::max_pool_backward(test_gradient(pooled.values.sizes(), in[0]), pooled.indices, c.sizes,
                                      kernels::adaptive_pool_arguments<N>(c.output), algorithm);
  };
  sample.reference = [c](const TensorList& in) {
    return max_reference(in[0], WindowAxes(N, [&](int i) { return adaptive_cells(in[0].size(i - N), c.output[i]); }));
  };
  sample.gradient = c.small;
  sample.tolerance = 0;
  sample.order_sensitive = std::string_view(c.label) == "many_windows";
  return sample;
}

template <int N>
std::vector<AdaptiveCase<N>> sized_adaptive_cases(int64_t n) {
  const auto with_width = [](Dims sizes, int64_t width) {
    sizes[sizes.size() - 1] = width;
    return sizes;
  };
  const Dims sizes = Dims::filled(N + 2, 2);
  Dims volumes = sizes;
  volumes[0] = n;
  std::vector<AdaptiveCase<N>> out{{"cells", with_width(sizes, n), 5}, {"volumes", volumes, 2}};
  if constexpr (N == 1) out.push_back({"outputs", with_width(sizes, 5), n});
  if constexpr (N == 2) out.push_back({"outputs", with_width(sizes, 5), {3, n}});
  if constexpr (N == 3) out.push_back({"outputs", with_width(sizes, 5), {1, 3, n}});
  return out;
}

template <int N>
std::vector<Sample> adaptive_sized(int64_t n, bool with_indices) {
  std::vector<Sample> out;
  for (const AdaptiveCase<N>& c : sized_adaptive_cases<N>(n)) out.push_back(sample_of(c, with_indices));
  if (with_indices)
    out.push_back({.label = "indices",
                   .inputs = {with_ties(Dims::filled(N, 3), n)},
                   .run = [](const TensorList& in) { return adaptive_with_indices<N>(in[0], 2).indices; },
                   .reference = nullptr});
  return out;
}

template <int N>
std::vector<Sample> adaptive_samples(bool with_indices) {
  std::vector<AdaptiveCase<N>> medium;
  if constexpr (N == 1) medium = {{"medium", {2, 3, 311}, 60, false}};
  if constexpr (N == 2) medium = {{"medium", {2, 3, 29, 31}, {7, 6}, false}};
  if constexpr (N == 3) medium = {{"medium", {1, 2, 9, 11, 7}, {4, 3, 5}, false}};
  std::vector<Sample> out;
  for (const AdaptiveCase<N>& c : adaptive_cases<N>(medium)) out.push_back(sample_of(c, with_indices));
  return out;
}

#define ORDO_MAX_POOL_SAMPLES(N)                                                              \
  ORDO_OP_SAMPLES(max_pool##N##d) { return samples<N>(false); }                               \
  ORDO_OP_SIZES(max_pool##N##d) { return sized<N>(n, false); }                                \
  ORDO_OP_SAMPLES(max_pool##N##d_with_indices) { return samples<N>(true); }                   \
  ORDO_OP_SIZES(max_pool##N##d_with_indices) { return sized<N>(n, true); }                    \
  ORDO_OP_SAMPLES(adaptive_max_pool##N##d) { return adaptive_samples<N>(false); }             \
  ORDO_OP_SIZES(adaptive_max_pool##N##d) { return adaptive_sized<N>(n, false); }              \
  ORDO_OP_SAMPLES(adaptive_max_pool##N##d_with_indices) { return adaptive_samples<N>(true); } \
  ORDO_OP_SIZES(adaptive_max_pool##N##d_with_indices) { return adaptive_sized<N>(n, true); }
ORDO_MAX_POOL_SAMPLES(1)
ORDO_MAX_POOL_SAMPLES(2)
ORDO_MAX_POOL_SAMPLES(3)

}  // namespace
}  // namespace ordo::test::max_pool_samples_test
