#include <gtest/gtest.h>

#include <ordo/autograd/ops/adaptive_max_pool2d.h>
#include <ordo/autograd/ops/max_pool2d.h>
#include <ordo/kernels/pooling/adaptive_max_pool2d.h>
#include <ordo/kernels/pooling/max_pool2d.h>
#include "tests/kernels/pooling/pool_reference.h"
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

struct Case {
  const char* label;
  Dims sizes;
  Size2 kernel;
  OptionalSize2 stride = {};
  Size2 padding = 0, dilation = 1;
  bool ceil_mode = false;
  bool small = true;
  bool mixed = false;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
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
  return all;
}

Sample sample_of(const Case& c, bool with_indices) {
  Sample sample;
  sample.label = c.label;
  sample.inputs = {c.mixed ? test_mixed_values(c.sizes, 1) : test_values(c.sizes, 1)};
  sample.run = [c, with_indices](const TensorList& in) {
    return with_indices ? max_pool2d_with_indices(in[0], c.kernel, c.stride, c.padding, c.dilation, c.ceil_mode).values
                        : max_pool2d(in[0], c.kernel, c.stride, c.padding, c.dilation, c.ceil_mode);
  };
  sample.forced = [c](const TensorList& in, Algorithm algorithm) {
    const auto pooled = kernels::max_pool2d_with_indices(in[0], c.kernel, c.stride, c.padding, c.dilation, c.ceil_mode);
    return kernels::max_pool2d_backward(test_gradient(pooled.values.sizes(), in[0]), pooled.indices, c.sizes, c.kernel,
                                        c.stride, c.padding, c.dilation, c.ceil_mode, algorithm);
  };
  sample.reference = [c](const TensorList& in) {
    const Size2 stride = c.stride.value_or(c.kernel);
    return max_reference(in[0],
                         sliding_cells(in[0].size(-2), c.kernel.h, stride.h, c.padding.h, c.dilation.h, c.ceil_mode),
                         sliding_cells(in[0].size(-1), c.kernel.w, stride.w, c.padding.w, c.dilation.w, c.ceil_mode));
  };
  sample.gradient = c.small;
  sample.tolerance = 0;  // a maximum is one of the inputs
  sample.order_sensitive = c.mixed;
  return sample;
}

std::vector<Sample> samples(bool with_indices) {
  std::vector<Sample> out;
  for (const Case& c : cases()) out.push_back(sample_of(c, with_indices));
  return out;
}

std::vector<Sample> sized(int64_t n, bool with_indices) {
  std::vector<Sample> out;
  for (const Case& c : {Case{"width", {1, 2, 3, n}, {2, 3}, 1, 1}, Case{"height", {2, 1, n, 3}, 3, {2, 1}, 1},
                        Case{"planes", {n, 1, 3, 3}, 2, 1},
                        Case{"window", {1, 2, 2, n}, {1, n}, {1, n / 4 + 1}, {0, n / 2}, 1, false, true, true}})
    out.push_back(sample_of(c, with_indices));
  for (Sample& s : out) s.order_sensitive = false;
  if (with_indices)
    out.push_back({.label = "indices",
                   .inputs = {test_indices({2, 3, n}, 4).to(float64)},  // with ties
                   .run =
                       [](const TensorList& in) {
                         return max_pool2d_with_indices(in[0], {2, 3}, 1, 1).indices;
                       },
                   .reference = nullptr});
  return out;
}

struct AdaptiveCase {
  const char* label;
  Dims sizes;
  Size2 output;
  bool small = true;
};

Sample sample_of(const AdaptiveCase& c, bool with_indices) {
  Sample sample;
  sample.label = c.label;
  sample.inputs = {test_values(c.sizes, 2)};
  sample.run = [c, with_indices](const TensorList& in) {
    return with_indices ? adaptive_max_pool2d_with_indices(in[0], c.output).values
                        : adaptive_max_pool2d(in[0], c.output);
  };
  sample.forced = [c](const TensorList& in, Algorithm algorithm) {
    const auto pooled = kernels::adaptive_max_pool2d_with_indices(in[0], c.output);
    return kernels::adaptive_max_pool2d_backward(test_gradient(pooled.values.sizes(), in[0]), pooled.indices, c.sizes,
                                                 algorithm);
  };
  sample.reference = [c](const TensorList& in) {
    return max_reference(in[0], adaptive_cells(in[0].size(-2), c.output.h), adaptive_cells(in[0].size(-1), c.output.w));
  };
  sample.gradient = c.small;
  sample.tolerance = 0;
  sample.order_sensitive = std::string_view(c.label) == "more_than_64_windows";
  return sample;
}

std::vector<Sample> adaptive_sized(int64_t n, bool with_indices) {
  std::vector<Sample> out;
  for (const AdaptiveCase& c : {AdaptiveCase{"cells", {1, 2, 3, n}, {2, 5}}, AdaptiveCase{"planes", {n, 1, 3, 3}, 2},
                                AdaptiveCase{"outputs", {1, 2, 2, 5}, {3, n}}})
    out.push_back(sample_of(c, with_indices));
  if (with_indices)
    out.push_back({.label = "indices",
                   .inputs = {test_indices({2, 3, n}, 4).to(float64)},
                   .run = [](const TensorList& in) { return adaptive_max_pool2d_with_indices(in[0], 2).indices; },
                   .reference = nullptr});
  return out;
}

std::vector<Sample> adaptive_samples(bool with_indices) {
  std::vector<Sample> out;
  for (const AdaptiveCase& c : {
           AdaptiveCase{"divides", {1, 2, 4, 6}, {2, 3}},
           AdaptiveCase{"overlapping", {2, 5, 7}, {3, 4}},
           AdaptiveCase{"global", {1, 2, 3, 5}, 1},
           AdaptiveCase{"larger", {1, 1, 3, 4}, {5, 7}},
           AdaptiveCase{"no_planes", {0, 1, 3, 4}, 2},
           AdaptiveCase{"medium", {2, 3, 29, 31}, {7, 6}, false},
           AdaptiveCase{"more_than_64_windows", {1, 1, 2, 3}, {20, 30}, false},
       })
    out.push_back(sample_of(c, with_indices));
  return out;
}

ORDO_OP_SAMPLES(max_pool2d) { return samples(false); }
ORDO_OP_SAMPLES(max_pool2d_with_indices) { return samples(true); }
ORDO_OP_SAMPLES(adaptive_max_pool2d) { return adaptive_samples(false); }
ORDO_OP_SAMPLES(adaptive_max_pool2d_with_indices) { return adaptive_samples(true); }
ORDO_OP_SIZES(max_pool2d) { return sized(n, false); }
ORDO_OP_SIZES(max_pool2d_with_indices) { return sized(n, true); }
ORDO_OP_SIZES(adaptive_max_pool2d) { return adaptive_sized(n, false); }
ORDO_OP_SIZES(adaptive_max_pool2d_with_indices) { return adaptive_sized(n, true); }

}  // namespace
}  // namespace ordo::test
