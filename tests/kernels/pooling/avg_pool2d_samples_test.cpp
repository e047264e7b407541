#include <gtest/gtest.h>

#include <ordo/autograd/ops/adaptive_avg_pool2d.h>
#include <ordo/autograd/ops/avg_pool2d.h>
#include <ordo/kernels/pooling/adaptive_avg_pool2d.h>
#include <ordo/kernels/pooling/avg_pool2d.h>
#include "tests/kernels/pooling/pool_reference.h"
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

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

Sample sample_of(const Case& c) {
  Sample sample;
  sample.label = c.label;
  sample.inputs = {test_values(c.sizes, 3)};
  sample.run = [c](const TensorList& in) {
    return avg_pool2d(in[0], c.kernel, c.stride, c.padding, c.ceil_mode, c.count_include_pad, c.divisor);
  };
  sample.forced = [c](const TensorList& in, Algorithm algorithm) {
    const Dims sizes = kernels::avg_pool2d(in[0], c.kernel, c.stride, c.padding, c.ceil_mode).sizes();
    return kernels::avg_pool2d_backward(test_gradient(sizes, in[0]), c.sizes, c.kernel, c.stride, c.padding,
                                        c.ceil_mode, c.count_include_pad, c.divisor, algorithm);
  };
  sample.reference = [c](const TensorList& in) {
    const Size2 stride = c.stride.value_or(c.kernel);
    return average_reference(in[0], sliding_cells(in[0].size(-2), c.kernel.h, stride.h, c.padding.h, 1, c.ceil_mode),
                             sliding_cells(in[0].size(-1), c.kernel.w, stride.w, c.padding.w, 1, c.ceil_mode),
                             c.count_include_pad, c.divisor);
  };
  sample.gradient = c.small;
  sample.order_sensitive = std::string_view(c.label) == "stride_one";
  return sample;
}

ORDO_OP_SIZES(avg_pool2d) {
  return {sample_of({"width", {1, 2, 3, n}, {2, 3}, 1, 1}), sample_of({"height", {2, 1, n, 3}, 3, {2, 1}, 1}),
          sample_of({"planes", {n, 1, 3, 3}, 2, 1}),
          sample_of({"window", {1, 2, 2, n}, {1, n}, {1, n / 4 + 1}, {0, n / 2}})};
}
ORDO_OP_SAMPLES(avg_pool2d) {
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
       })
    out.push_back(sample_of(c));
  return out;
}

struct AdaptiveCase {
  const char* label;
  Dims sizes;
  Size2 output;
  bool small = true;
};

Sample sample_of(const AdaptiveCase& c) {
  Sample sample;
  sample.label = c.label;
  sample.inputs = {test_values(c.sizes, 4)};
  sample.run = [c](const TensorList& in) { return adaptive_avg_pool2d(in[0], c.output); };
  sample.forced = [c](const TensorList& in, Algorithm algorithm) {
    const Dims sizes = kernels::adaptive_avg_pool2d(in[0], c.output).sizes();
    return kernels::adaptive_avg_pool2d_backward(test_gradient(sizes, in[0]), c.sizes, algorithm);
  };
  sample.reference = [c](const TensorList& in) {
    return average_reference(in[0], adaptive_cells(in[0].size(-2), c.output.h),
                             adaptive_cells(in[0].size(-1), c.output.w));
  };
  sample.gradient = c.small;
  sample.order_sensitive = std::string_view(c.label) == "more_than_64_windows";
  return sample;
}

ORDO_OP_SIZES(adaptive_avg_pool2d) {
  return {sample_of(AdaptiveCase{"cells", {1, 2, 3, n}, {2, 5}}), sample_of(AdaptiveCase{"planes", {n, 1, 3, 3}, 2}),
          sample_of(AdaptiveCase{"outputs", {1, 2, 2, 5}, {3, n}})};
}
ORDO_OP_SAMPLES(adaptive_avg_pool2d) {
  std::vector<Sample> out;
  for (const AdaptiveCase& c : {
           AdaptiveCase{"divides", {1, 2, 4, 6}, {2, 3}},
           AdaptiveCase{"overlapping", {2, 5, 7}, {3, 4}},
           AdaptiveCase{"global", {1, 2, 3, 5}, 1},
           AdaptiveCase{"larger", {1, 1, 3, 4}, {5, 7}},
           AdaptiveCase{"no_planes", {0, 1, 3, 4}, 2},
           AdaptiveCase{"medium", {2, 3, 29, 31}, {7, 6}, false},
           AdaptiveCase{"more_than_64_cells", {1, 3, 27, 31}, {2, 3}, false},
           AdaptiveCase{"more_than_64_windows", {1, 1, 2, 3}, {20, 30}, false},
       })
    out.push_back(sample_of(c));
  return out;
}

}  // namespace
}  // namespace ordo::test
