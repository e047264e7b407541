#include <ordo/kernels/scatter/scatter.h>
#include "tests/kernels/samples.h"
#include "tests/kernels/scatter/scatter_reference.h"

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
  Sample sample =
      new_sample(c.label, {test_values(c.sizes, 1), test_indices({c.items}, c.sizes[c.dim], 2, c.index_dtype),
                           test_mixed_values(source, 3)});
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
  std::vector<Sample> out = samples_of<Case>(
      {
          {"vector", {5}, 0, 12},
          {"rows", {4, 3}, 0, 7},
          {"columns", {3, 4}, 1, 6, -0.5},
          {"middle", {2, 3, 2}, 1, 5, 2, int32},
          {"no_items", {3, 2}, 0, 0},
          {"no_columns", {3, 0}, 0, 4},
          {"one", {1}, 0, 1, 3},
          {"run_of_65", {2}, 0, 150, 1, int64, false},
          {"hot", {1, 3}, 0, 4200, 0.25, int32, false},
          {"many", {70}, 0, 5000, 1, int64, false},
          {"sparse", {3000}, 0, 200, 1, int32, false},
          {"wide", {9, 130}, 0, 70, 1, int64, false},
          {"last", {33, 7}, 1, 100, 1, int64, false},
      },
      sample_of);
  Sample scalars = new_sample("0-d", {test_values({}, 1), test_indices({}, 1), test_values({}, 3)});
  scalars.run = [](const TensorList& in) { return index_add(in[0], 0, in[1], in[2], 2); };
  scalars.reference = [](const TensorList& in) {
    return std::vector<double>{in[0].item<double>() + 2 * in[2].item<double>()};
  };
  out.push_back(scalars);
  return out;
}

// An in-place operation finds a bad index before it writes, also where the indices are checked while they are used.
TEST(IndexAdd, a_bad_index_leaves_the_input_as_it_was) {
  for (int64_t n : {100, 300000})
    for (Algorithm a : {Algorithm::atomic, Algorithm::sorted, Algorithm::exact}) {
      Tensor x = ones({n});
      auto index = test_indices({400000}, n, 1).to_vector<int64_t>();
      index[300001] = n;
      EXPECT_ORDO_ERROR(kernels::index_add_(x, 0, from_vector(index, {400000}), ones({400000}), 1, a), IndexError,
                        "index[300001]");
      EXPECT_EQ(bytes_of(x), bytes_of(ones({n})));
    }
}

TEST(IndexAdd, nothing_has_room_for_an_index) {
  for (Algorithm a : {Algorithm::atomic, Algorithm::sorted, Algorithm::exact})
    EXPECT_ORDO_ERROR(index_add(zeros({0}), 0, tensor<int64_t>({0}), ones({1}), 1, a), IndexError, "index[0]");
}

TEST(IndexAdd, in_place) {
  for (Device device : test_devices()) {
    Tensor x = zeros({4, 3}, {.device = device});
    const Tensor source = ones({2, 4}, {.device = device});
    const Tensor index = tensor<int32_t>({1, 1}).to(device);
    Tensor transposed = x.t();  // not contiguous
    EXPECT_TRUE(transposed.index_add_(0, index, source, 2).is_same(transposed));
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 4, 0, 0, 4, 0, 0, 4, 0, 0, 4, 0}));
    x.index_add_(0, tensor<int64_t>({0, 0, 3, 1}).to(device), x);  // source shares memory: it is read first
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 12, 0, 0, 8, 0, 0, 4, 0, 0, 8, 0}));
  }
}

TEST(IndexAdd, bad_input) {
  const Tensor x = zeros({3, 4}), index = tensor<int64_t>({0, 2}), source = zeros({2, 4});
  EXPECT_ORDO_ERROR(index_add(x.to(boolean), 0, index, source.to(boolean)), DTypeError, "index_add");
  EXPECT_ORDO_ERROR(index_add(x.to(int32), 0, index, source.to(int32), 0.5), ValueError, "alpha");
}

}  // namespace
}  // namespace ordo::test::index_add_samples_test
