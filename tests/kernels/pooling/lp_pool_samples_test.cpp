#include <ordo/kernels/pooling/pool.h>
#include "tests/kernels/pooling/pool_reference.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::lp_pool_samples_test {
namespace {

template <int N>
struct Case {
  const char* label;
  Dims sizes;
  double p;
  Size<N> kernel;
  OptionalSize<N> stride = std::nullopt;
  bool ceil_mode = false;
};

template <int N>
Sample sample_of(const Case<N>& c) {
  Sample s = new_sample(c.label, {test_values(c.sizes, 3, 0.5, 2)});
  s.run = [c](const TensorList& in) {
    if constexpr (N == 1) return lp_pool1d(in[0], c.p, c.kernel, {.stride = c.stride, .ceil_mode = c.ceil_mode});
    if constexpr (N == 2) return lp_pool2d(in[0], c.p, c.kernel, {.stride = c.stride, .ceil_mode = c.ceil_mode});
    if constexpr (N == 3) return lp_pool3d(in[0], c.p, c.kernel, {.stride = c.stride, .ceil_mode = c.ceil_mode});
  };
  s.forced = [c](const TensorList& in, Algorithm algorithm) {
    const auto arguments = kernels::avg_pool_arguments<N>(c.kernel, c.stride, 0, c.ceil_mode);
    const Dims sizes = kernels::avg_pool(in[0], arguments).sizes();
    return kernels::avg_pool_backward(test_gradient(sizes, in[0]), c.sizes, arguments, algorithm);
  };
  s.reference = [c](const TensorList& in) {
    const Size<N> stride = c.stride.value_or(c.kernel);
    std::vector<double> powers = in[0].to_vector<double>();
    for (double& x : powers) x = std::pow(x, c.p);
    const WindowAxes windows(
        N, [&](int i) { return sliding_cells(in[0].size(i - N), c.kernel[i], stride[i], 0, 1, c.ceil_mode); });
    std::vector<double> out = average_reference(from_vector<double>(powers, in[0].sizes()), windows, true, {});
    double cells = 1;
    for (int64_t k : c.kernel) cells *= double(k);
    for (double& x : out) x = std::pow(x * cells, 1 / c.p);
    return out;
  };
  s.gradient = s.inputs[0].numel() < 100;
  s.tolerance = 16;  // two powers, each rounded
  s.order_sensitive = std::string_view(c.label) == "stride_one";
  return s;
}
template <class C>
std::vector<Sample> samples(const std::vector<C>& cases) {
  return samples_of<C>(cases, sample_of);
}

ORDO_OP_SAMPLES(lp_pool1d) {
  return samples<Case<1>>({{"two", {1, 2, 6}, 2, 2},
                           {"overlapping", {2, 7}, 3, 3, 2},
                           {"ceil", {1, 2, 6}, 2, 4, 3, true},
                           {"stride_one", {2, 3, 733}, 2, 9, 1}});
}
ORDO_OP_SIZES(lp_pool1d) { return samples<Case<1>>({{"width", {2, 2, n + 2}, 2, 3, 1}, {"lines", {n, 1, 5}, 3, 2}}); }
ORDO_OP_SAMPLES(lp_pool2d) {
  return samples<Case<2>>({{"2x2", {1, 2, 4, 6}, 2, 2},
                           {"overlapping", {2, 1, 5, 5}, 1.5, 3, 2},
                           {"image", {2, 5, 7}, 1, {2, 3}, {1, 2}},
                           {"ceil", {1, 2, 5, 6}, 2, {2, 4}, {2, 3}, true},
                           {"no_planes", {0, 3, 4, 4}, 2, 2},
                           {"stride_one", {2, 3, 33, 29}, 2, 3, 1}});
}
ORDO_OP_SIZES(lp_pool2d) {
  return samples<Case<2>>({{"width", {1, 2, 3, n + 2}, 2, {2, 3}, 1}, {"planes", {n, 1, 3, 3}, 2, 2, 1}});
}
ORDO_OP_SAMPLES(lp_pool3d) {
  return samples<Case<3>>({{"2x2x2", {1, 2, 2, 4, 2}, 2, 2},
                           {"overlapping", {1, 1, 3, 5, 4}, 3, {2, 3, 2}, {1, 2, 1}},
                           {"stride_one", {1, 2, 9, 8, 11}, 2, 3, 1}});
}
ORDO_OP_SIZES(lp_pool3d) {
  return samples<Case<3>>({{"width", {1, 1, 2, 3, n + 2}, 2, {2, 2, 3}, 1}, {"volumes", {n, 1, 2, 3, 2}, 2, 2, 1}});
}

ORDO_OP_INTEGER(lp_pool1d, "kernel", lp_pool1d(some(d), 2, v));
ORDO_OP_INTEGER(lp_pool1d, "stride", lp_pool1d(some(d), 2, 2, {.stride = v}));
ORDO_OP_INTEGER(lp_pool1d, "norm_type", lp_pool1d(some(d), double(v), 2));
ORDO_OP_INTEGER(lp_pool2d, "kernel", lp_pool2d(some(d).view({1, 2, 3}), 2, {1, v}));
ORDO_OP_INTEGER(lp_pool2d, "stride", lp_pool2d(some(d).view({1, 2, 3}), 2, 2, {.stride = v}));
ORDO_OP_INTEGER(lp_pool3d, "kernel", lp_pool3d(some(d).view({1, 1, 2, 3}), 2, {1, 1, v}));
ORDO_OP_INTEGER(lp_pool3d, "stride", lp_pool3d(some(d).view({1, 1, 2, 3}), 2, 1, {.stride = v}));

}  // namespace
}  // namespace ordo::test::lp_pool_samples_test
