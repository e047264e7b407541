#include "tests/kernels/ordering/rule1.h"
#include "tests/kernels/samples.h"
#include "tests/kernels/scatter/scatter_reference.h"

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
  Sample sample = new_sample(
      c.label, {test_values(c.sizes, 1), test_indices(c.index, c.sizes.empty() ? 1 : c.sizes[c.dim], 2, c.index_dtype),
                test_mixed_values(c.src, 3)});
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

// Many and few items for a place; lines with and without columns.
TEST(ScatterAdd, keeps_rule_1) {
  const DeterminismGuard guard(Determinism::device_to_device);
  struct Shape {
    int64_t outer, items, destinations, inner;
  };
  for (const Shape& s : {Shape{1, 300, 5, 70}, Shape{3, 200, 50, 1}, Shape{2, 9, 33, 3}, Shape{2, 5, 33, 3},
                         Shape{1, 700, 2100, 18}, Shape{40, 80, 2, 17}})
    for (Device device : test_devices()) {
      const Tensor input = test_mixed_values({s.outer, s.destinations, s.inner}, 1).to(float32);
      const Tensor src = test_mixed_values({s.outer, s.items, s.inner}, 2).to(float32);
      const Tensor index = test_indices({s.outer, s.items, s.inner}, s.destinations, 3);
      const auto at = index.to_vector<int64_t>();
      const auto values = src.to_vector<float>();
      auto want = input.to_vector<float>();
      std::vector<int64_t> places;
      for (size_t i = 0; i < at.size(); ++i)
        places.push_back((int64_t(i) / s.inner / s.items * s.destinations + at[i]) * s.inner + int64_t(i) % s.inner);
      accumulate_by_rule1<float>(want, places, [&](int64_t i) { return values[size_t(i)]; });
      const Tensor got = scatter_add(input.to(device), 1, index.to(device), src.to(device), Algorithm::sorted);
      EXPECT_EQ(bytes_of(got), bytes_of(from_vector(want, input.sizes()))) << s.items << " " << s.destinations;
    }
}

TEST(ScatterAdd, an_expanded_index_is_an_index_add) {
  const DeterminismGuard guard(Determinism::device_to_device);
  const Tensor input = test_values({2, 6, 3}, 1).to(float32), src = test_mixed_values({2, 700, 3}, 2).to(float32);
  const Tensor index = test_indices({700}, 6, 3);
  for (Device device : test_devices()) {
    const Tensor x = input.to(device), s = src.to(device), i = index.to(device);
    const Tensor expanded = i.view({1, 700, 1}).expand({2, 700, 3});
    const auto want = bytes_of(index_add(x, 1, i, s));
    EXPECT_EQ(bytes_of(scatter_add(x, 1, expanded, s)), want);
    EXPECT_EQ(bytes_of(scatter_add(x, 1, expanded.contiguous(), s)), want);
  }
}

TEST(ScatterAdd, in_place) {
  for (Device device : test_devices()) {
    Tensor x = zeros({2, 3}, {.device = device});
    x.t().scatter_add_(0, from_vector<int64_t>({0, 1, 0, 1}, {2, 2}).to(device), ones({2, 2}, {.device = device}));
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 0, 0, 0, 2, 0}));
    x.scatter_add_(1, from_vector<int64_t>({1}, {1, 1}).to(device), x);  // reads x first
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 2, 0, 0, 2, 0}));
  }
}

TEST(ScatterAdd, bad_input) {
  const Tensor x = zeros({3, 4}, boolean), index = zeros({2, 4}, int64);
  EXPECT_ORDO_ERROR(scatter_add(x, 0, index, zeros({2, 4}, boolean)), DTypeError, "scatter_add");
}

}  // namespace
}  // namespace ordo::test::scatter_add_samples_test
