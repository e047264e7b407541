// scatter, index_copy and index_fill.
#include "tests/kernels/scatter/scatter_reference.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::scatter_samples_test {
namespace {

struct Case {
  const char* label;
  Dims sizes, index, src;
  int dim;
  DType index_dtype = int64;
};

Sample scatter_sample(const Case& c) {
  Sample s = new_sample(
      c.label, {test_values(c.sizes, 1), test_indices(c.index, c.sizes.empty() ? 1 : c.sizes[c.dim], 2, c.index_dtype),
                test_values(c.src, 3)});
  s.run = [c](const TensorList& in) { return scatter(in[0], c.dim, in[1], in[2]); };
  s.reference = [c](const TensorList& in) {
    auto out = in[0].to_vector<double>();
    const auto src = in[2].to_vector<double>();
    for_scattered(c.sizes, in[1], c.src, c.dim, [&](size_t to, size_t from) { out[to] = src[from]; });
    return out;
  };
  s.gradient = c.index.product() <= 100;
  s.tolerance = 0;
  return s;
}

Sample scatter_number_sample(const Case& c) {
  Sample s = scatter_sample(c);
  s.inputs.pop_back();
  s.run = [c](const TensorList& in) { return scatter(in[0], c.dim, in[1], 1); };
  s.reference = [c](const TensorList& in) {
    auto out = in[0].to_vector<double>();
    for_scattered(c.sizes, in[1], c.src, c.dim, [&](size_t to, size_t) { out[to] = 1; });
    return out;
  };
  return s;
}

ORDO_OP_SIZES(scatter) {
  return {scatter_sample({"items", {5, 3}, {n, 3}, {n, 3}, 0}), scatter_sample({"destinations", {n}, {40}, {40}, 0}),
          scatter_sample({"columns", {4, n}, {9, n}, {9, n}, 0}), scatter_sample({"outer", {n, 4}, {n, 9}, {n, 9}, 1}),
          scatter_number_sample({"rows", {n, 4}, {n, 1}, {n, 1}, 1})};
}
ORDO_OP_SAMPLES(scatter) {
  return {scatter_sample({"vector", {4}, {9}, {9}, 0}),
          scatter_sample({"rows", {3, 2}, {5, 2}, {5, 2}, 0}),
          scatter_sample({"columns", {2, 4}, {2, 7}, {2, 7}, 1, int32}),
          scatter_sample({"middle", {2, 3, 2}, {2, 4, 2}, {2, 4, 2}, 1}),
          scatter_sample({"smaller_index", {3, 4, 2}, {2, 3, 1}, {3, 3, 2}, 1}),
          scatter_sample({"no_items", {3, 2}, {0, 2}, {4, 2}, 0}),
          scatter_sample({"0-d", {}, {}, {}, 0}),
          scatter_sample({"0-d index", {4}, {}, {9}, 0}),
          scatter_sample({"hot", {1}, {4200}, {4200}, 0, int32}),
          scatter_sample({"many", {70000}, {90000}, {90000}, 0}),
          scatter_sample({"many lines", {40, 30, 9}, {40, 60, 9}, {40, 60, 9}, 1}),
          scatter_number_sample({"number", {3, 4}, {3, 2}, {3, 2}, 1}),
          scatter_number_sample({"one-hot", {6, 4}, {6, 1}, {6, 1}, 1, int32})};
}
ORDO_OP_INTEGER(scatter, "dim", scatter(some(d), v, zeros({2, 3}, {.dtype = int64, .device = d}), some(d)));
ORDO_OP_INTEGER(scatter, "index", scatter(some(d), 1, one_index(v, d).view({1, 1}), some(d)));
ORDO_OP_INTEGER(scatter, "value", scatter(some(d).to(int32), 1, one_index(1, d).view({1, 1}), v));

Sample copy_sample(const char* label, const Dims& sizes, int dim, int64_t items, DType index_dtype = int64) {
  Dims src = sizes;
  src[dim] = items;
  Sample s = new_sample(
      label, {test_values(sizes, 1), test_indices({items}, sizes[dim], 2, index_dtype), test_values(src, 3)});
  s.run = [dim](const TensorList& in) { return index_copy(in[0], dim, in[1], in[2]); };
  s.reference = [=](const TensorList& in) {
    auto out = in[0].to_vector<double>();
    const auto src = in[2].to_vector<double>();
    for_sliced(sizes, in[1], dim, [&](size_t to, size_t from) { out[to] = src[from]; });
    return out;
  };
  s.gradient = src.product() <= 100;
  s.tolerance = 0;
  return s;
}
ORDO_OP_SIZES(index_copy) {
  return {copy_sample("items", {5, 3}, 0, n), copy_sample("destinations", {n}, 0, 40),
          copy_sample("columns", {4, n}, 0, 9), copy_sample("outer", {n, 4}, 1, 9)};
}
ORDO_OP_SAMPLES(index_copy) {
  return {copy_sample("vector", {5}, 0, 12),         copy_sample("rows", {4, 3}, 0, 7),
          copy_sample("columns", {3, 4}, 1, 6),      copy_sample("middle", {2, 3, 2}, 1, 5, int32),
          copy_sample("no_items", {3, 2}, 0, 0),     copy_sample("no_columns", {3, 0}, 0, 4),
          copy_sample("one slice", {4, 5}, 0, 1),    copy_sample("wide", {9, 3000}, 0, 70),
          copy_sample("hot", {1, 3}, 0, 4200, int32)};
}
ORDO_OP_INTEGER(index_copy, "dim", index_copy(some(d), v, one_index(1, d), some(d).narrow(0, 0, 1)));
ORDO_OP_INTEGER(index_copy, "index", index_copy(some(d), 0, one_index(v, d), some(d).narrow(0, 0, 1)));

Sample fill_sample(const char* label, const Dims& sizes, int dim, int64_t items, bool number) {
  Sample s = new_sample(label, {test_values(sizes, 1), test_indices({items}, sizes[dim], 2)});
  if (!number) s.inputs.push_back(test_values({}, 3));
  s.run = [=](const TensorList& in) {
    return number ? index_fill(in[0], dim, in[1], 1) : index_fill(in[0], dim, in[1], in[2]);
  };
  s.reference = [=](const TensorList& in) {
    auto out = in[0].to_vector<double>();
    const double value = number ? 1 : in[2].item<double>();
    for_sliced(sizes, in[1], dim, [&](size_t to, size_t) { out[to] = value; });
    return out;
  };
  s.gradient = sizes.product() <= 100;
  s.tolerance = 0;
  return s;
}
ORDO_OP_SIZES(index_fill) {
  return {fill_sample("items", {5, 3}, 0, n, true), fill_sample("destinations", {n}, 0, 40, false),
          fill_sample("columns", {4, n}, 0, 9, true), fill_sample("outer", {n, 4}, 1, 9, false)};
}
ORDO_OP_SAMPLES(index_fill) {
  return {fill_sample("number", {5}, 0, 3, true), fill_sample("tensor", {4, 3}, 0, 2, false),
          fill_sample("columns", {3, 6}, 1, 3, false), fill_sample("no_items", {3, 2}, 0, 0, true)};
}
ORDO_OP_INTEGER(index_fill, "dim", index_fill(some(d), v, one_index(1, d), 1));
ORDO_OP_INTEGER(index_fill, "index", index_fill(some(d), 0, one_index(v, d), 1));
ORDO_OP_INTEGER(index_fill, "value", index_fill(some(d).to(int32), 0, one_index(1, d), v));

TEST(Scatter, in_place) {
  for (Device device : test_devices()) {
    Tensor x = zeros({2, 3}, {.device = device});
    x.t().scatter_(0, from_vector<int64_t>({0, 1, 0, 2}, {2, 2}).to(device), 7);
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{7, 0, 0, 0, 7, 7}));
    x.scatter_(1, from_vector<int64_t>({1}, {1, 1}).to(device), x);  // reads x first
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{7, 7, 0, 0, 7, 7}));
    x.index_copy_(1, tensor<int64_t>({2, 0}).to(device), x.narrow(1, 0, 2));
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{7, 7, 7, 7, 7, 0}));
    x.index_fill_(0, tensor<int64_t>({1}).to(device), -1);
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{7, 7, 7, -1, -1, -1}));
    x.index_fill_(1, tensor<int64_t>({0}).to(device), scalar_tensor(5));
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{5, 7, 7, 5, -1, -1}));
  }
}

TEST(Scatter, in_place_is_recorded) {
  const Tensor src = ones({2}).set_requires_grad(), value = scalar_tensor(2).set_requires_grad();
  Tensor x = zeros({3}) * 1;
  x.scatter_(0, tensor<int64_t>({2, 0}), src);
  x.index_fill_(0, tensor<int64_t>({2}), value);
  x.scatter_add_(0, tensor<int64_t>({0, 1}), src);
  (x * tensor<float>({1, 10, 100})).sum().backward();
  EXPECT_EQ(src.grad().to_vector<float>(), (std::vector<float>{1, 11}));
  EXPECT_EQ(value.grad().item<float>(), 100);
}

TEST(Scatter, bad_input) {
  const Tensor x = zeros({3, 4}), index = zeros({2, 4}, int64);
  EXPECT_ORDO_ERROR(scatter(x.to(int32), 0, index, 1.5), DTypeError, "scatter");
}

}  // namespace
}  // namespace ordo::test::scatter_samples_test
