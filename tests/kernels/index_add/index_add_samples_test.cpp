#include "tests/kernels/scatter/scatter_reference.h"
#include "tests/support/op_samples.h"

namespace ordo::test::index_add_samples_test {
namespace {

std::vector<double> index_add_reference(const TensorList& in, int dim, double alpha) {
  auto out = in[0].to_vector<double>();
  const auto source = in[2].to_vector<double>();
  for_sliced(in[0].sizes(), in[1], dim, [&](size_t to, size_t from) { out[to] += alpha * source[from]; });
  return out;
}

struct Case {
  const char* label;
  Dims sizes;
  int dim;
  int64_t items;
  double alpha = 1;
  DType index_dtype = int64;
  bool small = true;
};

Sample sample_of(const Case& c) {
  Dims source = c.sizes;
  source[c.dim] = c.items;
  Sample sample;
  sample.label = c.label;
  sample.inputs = {test_values(c.sizes, 1), test_indices({c.items}, c.sizes[c.dim], 2, c.index_dtype),
                   test_mixed_values(source, 3)};
  // Integer tensors take integers only.
  const auto alpha = [c](const Tensor& t) { return is_floating(t.dtype()) ? Scalar(c.alpha) : Scalar(2); };
  sample.run = [=](const TensorList& in) { return index_add(in[0], c.dim, in[1], in[2], alpha(in[0])); };
  sample.forced = [=](const TensorList& in, Algorithm algorithm) {
    return index_add(in[0], c.dim, in[1], in[2], alpha(in[0]), algorithm);
  };
  sample.reference = [c](const TensorList& in) { return index_add_reference(in, c.dim, c.alpha); };
  sample.gradient = c.small;
  // `atomic` rounds at every addition; n random roundings of partial sums stay within n/16 of the largest here.
  sample.tolerance = 4 + double(c.items) / 16;
  sample.order_sensitive = std::string_view(c.label) == "many";
  return sample;
}

ORDO_OP_SIZES(index_add) {
  return {sample_of({"items", {5, 3}, 0, n}), sample_of({"destinations", {n}, 0, 40}),
          sample_of({"columns", {4, n}, 0, 9}), sample_of({"outer", {n, 4}, 1, 9, -0.5})};
}
ORDO_OP_SAMPLES(index_add) {
  std::vector<Sample> out;
  for (const Case& c : {
           Case{"vector", {5}, 0, 12},
           Case{"rows", {4, 3}, 0, 7},
           Case{"columns", {3, 4}, 1, 6, -0.5},
           Case{"middle", {2, 3, 2}, 1, 5, 2, int32},
           Case{"no_items", {3, 2}, 0, 0},
           Case{"no_columns", {3, 0}, 0, 4},
           Case{"one", {1}, 0, 1, 3},
           Case{"run_of_65", {2}, 0, 150, 1, int64, false},
           Case{"hot", {1, 3}, 0, 4200, 0.25, int32, false},
           Case{"many", {70}, 0, 5000, 1, int64, false},
           Case{"sparse", {3000}, 0, 200, 1, int32, false},
           Case{"wide", {9, 130}, 0, 70, 1, int64, false},
           Case{"last", {33, 7}, 1, 100, 1, int64, false},
       })
    out.push_back(sample_of(c));
  Sample scalars;
  scalars.label = "0-d";
  scalars.inputs = {test_values({}, 1), test_indices({}, 1), test_values({}, 3)};
  scalars.run = [](const TensorList& in) { return index_add(in[0], 0, in[1], in[2], 2); };
  scalars.reference = [](const TensorList& in) {
    return std::vector<double>{in[0].item<double>() + 2 * in[2].item<double>()};
  };
  out.push_back(scalars);
  return out;
}

}  // namespace
}  // namespace ordo::test::index_add_samples_test
