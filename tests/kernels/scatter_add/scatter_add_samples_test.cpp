#include "tests/kernels/scatter/scatter_reference.h"
#include "tests/support/op_samples.h"

namespace ordo::test::scatter_add_samples_test {
namespace {

std::vector<double> scatter_add_reference(const TensorList& in, int dim) {
  auto out = in[0].to_vector<double>();
  const auto src = in[2].to_vector<double>();
  for_scattered(in[0].sizes(), in[1], in[2].sizes(), dim, [&](size_t to, size_t from) { out[to] += src[from]; });
  return out;
}

struct Case {
  const char* label;
  Dims sizes, index, src;
  int dim;
  DType index_dtype = int64;
  bool small = true;
};

Sample sample_of(const Case& c) {
  Sample sample;
  sample.label = c.label;
  sample.inputs = {test_values(c.sizes, 1),
                   test_indices(c.index, c.sizes.empty() ? 1 : c.sizes[c.dim], 2, c.index_dtype),
                   test_mixed_values(c.src, 3)};
  sample.run = [c](const TensorList& in) { return scatter_add(in[0], c.dim, in[1], in[2]); };
  sample.forced = [c](const TensorList& in, Algorithm algorithm) {
    return scatter_add(in[0], c.dim, in[1], in[2], algorithm);
  };
  sample.reference = [c](const TensorList& in) { return scatter_add_reference(in, c.dim); };
  sample.gradient = c.small;
  // `atomic` rounds at every addition; n random roundings of partial sums stay within n/16 of the largest here.
  sample.tolerance = 4 + double(c.index.product()) / 16;
  sample.order_sensitive = std::string_view(c.label) == "many";
  return sample;
}

ORDO_OP_SIZES(scatter_add) {
  return {sample_of({"items", {5, 3}, {n, 3}, {n, 3}, 0}), sample_of({"destinations", {n}, {40}, {40}, 0}),
          sample_of({"columns", {4, n}, {9, n}, {9, n}, 0}), sample_of({"outer", {n, 4}, {n, 9}, {n, 9}, 1})};
}
ORDO_OP_SAMPLES(scatter_add) {
  return samples_of<Case>({{"vector", {4}, {9}, {9}, 0},
                           {"rows", {3, 2}, {5, 2}, {5, 2}, 0},
                           {"columns", {2, 4}, {2, 7}, {2, 7}, 1, int32},
                           {"middle", {2, 3, 2}, {2, 4, 2}, {2, 4, 2}, 1},
                           {"smaller_index", {3, 4, 2}, {2, 3, 1}, {3, 3, 2}, 1},
                           {"smaller_than_input", {4, 3}, {4, 2}, {4, 2}, 0},
                           {"no_items", {3, 2}, {0, 2}, {4, 2}, 0},
                           {"one", {1, 1}, {1, 1}, {1, 1}, 0},
                           {"0-d", {}, {}, {}, 0},
                           {"0-d index", {4}, {}, {9}, 0},
                           {"run_of_65", {2, 2}, {150, 2}, {150, 2}, 0, int64, false},
                           {"hot", {1}, {4200}, {4200}, 0, int32, false},
                           {"many", {30, 3}, {1500, 3}, {1500, 3}, 0, int64, false},
                           {"sparse", {3000}, {200}, {200}, 0, int32, false}},
                          sample_of);
}

}  // namespace
}  // namespace ordo::test::scatter_add_samples_test
