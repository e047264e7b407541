#include <gtest/gtest.h>

#include <ordo/autograd/ops/adaptive_max_pool2d.h>
#include <ordo/autograd/ops/max_pool2d.h>
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

std::vector<Sample> samples(bool with_indices) {
  std::vector<Sample> out;
  for (const Case& c : cases()) {
    Sample sample;
    sample.label = c.label;
    sample.inputs = {c.mixed ? test_mixed_values(c.sizes, 1) : test_values(c.sizes, 1)};
    sample.run = [c, with_indices](const TensorList& in) {
      return with_indices
                 ? max_pool2d_with_indices(in[0], c.kernel, c.stride, c.padding, c.dilation, c.ceil_mode).values
                 : max_pool2d(in[0], c.kernel, c.stride, c.padding, c.dilation, c.ceil_mode);
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
    out.push_back(sample);
  }
  return out;
}

std::vector<Sample> adaptive_samples(bool with_indices) {
  struct AdaptiveCase {
    const char* label;
    Dims sizes;
    Size2 output;
    bool small = true;
  };
  std::vector<Sample> out;
  for (const AdaptiveCase& c : {
           AdaptiveCase{"divides", {1, 2, 4, 6}, {2, 3}},
           AdaptiveCase{"overlapping", {2, 5, 7}, {3, 4}},
           AdaptiveCase{"global", {1, 2, 3, 5}, 1},
           AdaptiveCase{"larger", {1, 1, 3, 4}, {5, 7}},
           AdaptiveCase{"no_planes", {0, 1, 3, 4}, 2},
           AdaptiveCase{"medium", {2, 3, 29, 31}, {7, 6}, false},
           AdaptiveCase{"more_than_64_windows", {1, 1, 2, 3}, {20, 30}, false},
       }) {
    Sample sample;
    sample.label = c.label;
    sample.inputs = {test_values(c.sizes, 2)};
    sample.run = [c, with_indices](const TensorList& in) {
      return with_indices ? adaptive_max_pool2d_with_indices(in[0], c.output).values
                          : adaptive_max_pool2d(in[0], c.output);
    };
    sample.reference = [c](const TensorList& in) {
      return max_reference(in[0], adaptive_cells(in[0].size(-2), c.output.h),
                           adaptive_cells(in[0].size(-1), c.output.w));
    };
    sample.gradient = c.small;
    sample.tolerance = 0;
    out.push_back(sample);
  }
  return out;
}

ORDO_OP_SAMPLES(max_pool2d) { return samples(false); }
ORDO_OP_SAMPLES(max_pool2d_with_indices) { return samples(true); }
ORDO_OP_SAMPLES(adaptive_max_pool2d) { return adaptive_samples(false); }
ORDO_OP_SAMPLES(adaptive_max_pool2d_with_indices) { return adaptive_samples(true); }

}  // namespace
}  // namespace ordo::test
