#include <gtest/gtest.h>

#include <ordo/autograd/ops/adaptive_avg_pool2d.h>
#include <ordo/autograd/ops/avg_pool2d.h>
#include "tests/kernels/pooling/pool_reference.h"
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

ORDO_OP_SAMPLES(avg_pool2d) {
  struct Case {
    const char* label;
    Dims sizes;
    Size2 kernel;
    OptionalSize2 stride = {};
    Size2 padding = 0;
    bool ceil_mode = false, count_include_pad = true;
    std::optional<int64_t> divisor = {};
    bool small = true;
  };
  std::vector<Sample> out;
  for (const Case& c : {
           Case{"2x2", {1, 2, 4, 6}, 2},
           Case{"overlapping", {2, 1, 5, 5}, 3, 2, 1},
           Case{"without_padding", {2, 1, 5, 5}, 3, 2, 1, false, false},
           Case{"image", {2, 5, 7}, {2, 3}, {1, 2}, {1, 1}},
           Case{"ceil", {1, 2, 5, 6}, {2, 4}, {2, 3}, {1, 2}, true},
           Case{"ceil_without_padding", {1, 2, 5, 6}, {2, 4}, {2, 3}, {1, 2}, true, false},
           Case{"divisor", {1, 2, 4, 5}, 3, 1, 1, false, true, -7},
           Case{"one_cell", {1, 1, 1, 1}, 1},
           Case{"no_planes", {0, 3, 4, 4}, 2},
           Case{"stride_one", {2, 3, 33, 29}, 3, 1, 1, false, true, {}, false},
           Case{"wide", {1, 2, 4, 300}, {3, 5}, {2, 3}, {1, 2}, false, false, {}, false},
           Case{"more_than_64_cells", {1, 1, 20, 21}, 11, 1, 5, false, false, {}, false},
       }) {
    Sample sample;
    sample.label = c.label;
    sample.inputs = {test_values(c.sizes, 3)};
    sample.run = [c](const TensorList& in) {
      return avg_pool2d(in[0], c.kernel, c.stride, c.padding, c.ceil_mode, c.count_include_pad, c.divisor);
    };
    sample.reference = [c](const TensorList& in) {
      const Size2 stride = c.stride.value_or(c.kernel);
      return average_reference(in[0], sliding_cells(in[0].size(-2), c.kernel.h, stride.h, c.padding.h, 1, c.ceil_mode),
                               sliding_cells(in[0].size(-1), c.kernel.w, stride.w, c.padding.w, 1, c.ceil_mode),
                               c.count_include_pad, c.divisor);
    };
    sample.gradient = c.small;
    sample.order_sensitive = std::string_view(c.label) == "stride_one";
    out.push_back(sample);
  }
  return out;
}

ORDO_OP_SAMPLES(adaptive_avg_pool2d) {
  struct Case {
    const char* label;
    Dims sizes;
    Size2 output;
    bool small = true;
  };
  std::vector<Sample> out;
  for (const Case& c : {
           Case{"divides", {1, 2, 4, 6}, {2, 3}},
           Case{"overlapping", {2, 5, 7}, {3, 4}},
           Case{"global", {1, 2, 3, 5}, 1},
           Case{"larger", {1, 1, 3, 4}, {5, 7}},
           Case{"no_planes", {0, 1, 3, 4}, 2},
           Case{"medium", {2, 3, 29, 31}, {7, 6}, false},
           Case{"more_than_64_cells", {1, 3, 27, 31}, {2, 3}, false},
           Case{"more_than_64_windows", {1, 1, 2, 3}, {20, 30}, false},
       }) {
    Sample sample;
    sample.label = c.label;
    sample.inputs = {test_values(c.sizes, 4)};
    sample.run = [c](const TensorList& in) { return adaptive_avg_pool2d(in[0], c.output); };
    sample.reference = [c](const TensorList& in) {
      return average_reference(in[0], adaptive_cells(in[0].size(-2), c.output.h),
                               adaptive_cells(in[0].size(-1), c.output.w));
    };
    sample.gradient = c.small;
    out.push_back(sample);
  }
  return out;
}

}  // namespace
}  // namespace ordo::test
