// take, put, take_along_dim, nonzero, masked_select, masked_scatter and repeat_interleave.
#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::take_samples_test {
namespace {

using Values = std::vector<double>;

Sample take_sample(const char* label, const Dims& sizes, const Dims& index, DType dtype = int64) {
  Sample s = new_sample(label, {test_values(sizes, 1), test_indices(index, sizes.product(), 2, dtype)});
  s.run = [](const TensorList& in) { return take(in[0], in[1]); };
  s.reference = [](const TensorList& in) {
    Values out;
    const auto x = in[0].to_vector<double>();
    for (int64_t i : in[1].to_vector<int64_t>()) out.push_back(x[size_t(i)]);
    return out;
  };
  s.gradient = index.product() <= 100;
  s.tolerance = 0;
  return s;
}
ORDO_OP_SIZES(take) { return {take_sample("items", {3, 5}, {n}), take_sample("places", {n}, {2, 20})}; }
ORDO_OP_SAMPLES(take) {
  return {take_sample("matrix", {3, 4}, {2, 5}), take_sample("int32", {7}, {9}, int32), take_sample("none", {3}, {0}),
          take_sample("0-d", {}, {})};
}
ORDO_OP_INTEGER(take, "index", take(some(d), one_index(v, d)));

Sample put_sample(const char* label, const Dims& sizes, const Dims& index, bool accumulate, DType dtype = int64) {
  Sample s =
      new_sample(label, {test_values(sizes, 1), test_indices(index, sizes.product(), 2, dtype), test_values(index, 3)});
  s.run = [=](const TensorList& in) { return put(in[0], in[1], in[2], accumulate); };
  s.reference = [=](const TensorList& in) {
    auto out = in[0].to_vector<double>();
    const auto index = in[1].to_vector<int64_t>();
    const auto source = in[2].to_vector<double>();
    for (size_t i = 0; i < index.size(); ++i)
      out[size_t(index[i])] = accumulate ? out[size_t(index[i])] + source[i] : source[i];
    return out;
  };
  s.gradient = index.product() <= 100;
  s.tolerance = accumulate ? 4 + double(index.product()) / 16 : 0;
  return s;
}
ORDO_OP_SIZES(put) { return {put_sample("items", {3, 5}, {n}, false), put_sample("places", {n}, {2, 20}, false)}; }
ORDO_OP_SAMPLES(put) {
  return {put_sample("write", {3, 4}, {2, 5}, false), put_sample("int32", {7}, {9}, false, int32),
          put_sample("add", {3, 4}, {2, 5}, true),    put_sample("none", {3}, {0}, false),
          put_sample("0-d", {}, {}, false),           put_sample("many", {40}, {3000}, false)};
}
ORDO_OP_INTEGER(put, "index", put(some(d), one_index(v, d), ones({1}, {.device = d})));
ORDO_OP_INTEGER(put, "index to accumulate", put(some(d), one_index(v, d), ones({1}, {.device = d}), true));

Sample along_sample(const char* label, const Dims& sizes, const Dims& index, int dim) {
  Sample s = new_sample(label, {test_values(sizes, 1), test_indices(index, sizes[dim], 2)});
  s.run = [dim](const TensorList& in) { return take_along_dim(in[0], in[1], dim); };
  s.reference = [=](const TensorList& in) {
    Dims common = sizes;
    for (int d = 0; d < sizes.size(); ++d) common[d] = d == dim ? index[d] : std::max(sizes[d], index[d]);
    const auto x = in[0].to_vector<double>();
    const auto at = in[1].to_vector<int64_t>();
    const Dims from = contiguous_strides(sizes), of = contiguous_strides(index);
    Values out;
    for (int64_t k = 0; k < common.product(); ++k) {
      int64_t rest = k, place = 0, entry = 0;
      for (int d = common.size() - 1; d >= 0; --d) {
        const int64_t c = rest % common[d];
        rest /= common[d];
        if (index[d] > 1) entry += c * of[d];
        if (d != dim && sizes[d] > 1) place += c * from[d];
      }
      out.push_back(x[size_t(place + at[size_t(entry)] * from[dim])]);
    }
    return out;
  };
  s.gradient = index.product() * sizes.product() <= 1000;
  s.tolerance = 0;
  return s;
}
ORDO_OP_SIZES(take_along_dim) {
  return {along_sample("items", {3, 5}, {3, n}, 1), along_sample("lines", {n, 3}, {1, 2}, 1)};
}
ORDO_OP_SAMPLES(take_along_dim) {
  return {along_sample("same", {3, 4}, {3, 2}, 1), along_sample("one index for all", {3, 4}, {5, 1}, 0),
          along_sample("one line for all", {1, 4, 2}, {3, 6, 1}, 1)};
}
ORDO_OP_INTEGER(take_along_dim, "dim", take_along_dim(some(d), zeros({2, 3}, {int64, d}), v));
ORDO_OP_INTEGER(take_along_dim, "index", take_along_dim(some(d), one_index(v, d)));

/// About half of the elements are 0.
Tensor with_zeros(const Dims& sizes, uint64_t stream) {
  return test_values(sizes, stream) * test_indices(sizes, 2, stream + 1).to(float64);
}
Sample nonzero_sample(const char* label, const Dims& sizes) {
  Sample s = new_sample(label, {with_zeros(sizes, 1)});
  s.run = [](const TensorList& in) { return nonzero(in[0]); };
  s.reference = [sizes](const TensorList& in) {
    Values out;
    const auto x = in[0].to_vector<double>();
    const Dims strides = contiguous_strides(sizes);
    for (int64_t i = 0; i < int64_t(x.size()); ++i)
      if (x[size_t(i)] != 0)
        for (int d = 0; d < sizes.size(); ++d) out.push_back(double(i / strides[d] % sizes[d]));
    return out;
  };
  s.gradient = false;
  s.tolerance = 0;
  return s;
}
ORDO_OP_SIZES(nonzero) { return {nonzero_sample("elements", {n}), nonzero_sample("rows", {n, 3})}; }
ORDO_OP_SAMPLES(nonzero) {
  return {nonzero_sample("vector", {9}), nonzero_sample("three", {2, 3, 4}), nonzero_sample("none", {0}),
          nonzero_sample("many", {300, 700})};
}

Sample select_sample(const char* label, const Dims& sizes, const Dims& mask) {
  Sample s = new_sample(label, {test_values(sizes, 1)});
  const Tensor m = test_indices(mask, 2, 5) == 1;
  const Dims all = broadcast_sizes("mask", sizes, mask);
  s.run = [m](const TensorList& in) { return masked_select(in[0], m.to(in[0].device())); };
  s.reference = [=](const TensorList& in) {
    Values out;
    const auto x = in[0].expand(all).to_vector<double>();
    const auto taken = m.expand(all).to_vector<int64_t>();
    for (size_t i = 0; i < x.size(); ++i)
      if (taken[i]) out.push_back(x[i]);
    return out;
  };
  s.gradient = all.product() <= 100;
  s.tolerance = 0;
  return s;
}
ORDO_OP_SIZES(masked_select) { return {select_sample("elements", {n}, {n}), select_sample("rows", {n, 3}, {3})}; }
ORDO_OP_SAMPLES(masked_select) {
  return {select_sample("matrix", {3, 4}, {3, 4}), select_sample("mask broadcasts", {3, 4}, {4}),
          select_sample("both broadcast", {3, 1}, {1, 5}), select_sample("none", {0}, {0}),
          select_sample("0-d", {}, {6})};
}

Sample masked_scatter_sample(const char* label, const Dims& sizes, const Dims& mask) {
  Sample s = select_sample(label, sizes, mask);
  const Tensor m = test_indices(mask, 2, 5) == 1;
  const Dims all = broadcast_sizes("mask", sizes, mask);
  s.inputs.push_back(test_values({all.product() + 1}, 7));
  s.run = [m](const TensorList& in) { return masked_scatter(in[0], m.to(in[0].device()), in[1]); };
  s.reference = [=](const TensorList& in) {
    auto x = in[0].expand(all).to_vector<double>();
    const auto taken = m.expand(all).to_vector<int64_t>();
    const auto source = in[1].to_vector<double>();
    size_t next = 0;
    for (size_t i = 0; i < x.size(); ++i)
      if (taken[i]) x[i] = source[next++];
    return x;
  };
  return s;
}
ORDO_OP_SIZES(masked_scatter) {
  return {masked_scatter_sample("elements", {n}, {n}), masked_scatter_sample("rows", {n, 3}, {3})};
}
ORDO_OP_SAMPLES(masked_scatter) {
  return {masked_scatter_sample("matrix", {3, 4}, {3, 4}), masked_scatter_sample("mask broadcasts", {3, 4}, {4}),
          masked_scatter_sample("both broadcast", {3, 1}, {1, 5}), masked_scatter_sample("none", {0}, {0})};
}

Sample repeat_sample(const char* label, const Dims& sizes, int dim, bool one_number) {
  Sample s = new_sample(label, {test_values(sizes, 1)});
  const int64_t slices = sizes[dim];
  const std::vector<int64_t> repeats =
      one_number ? std::vector<int64_t>(size_t(slices), 3) : test_indices({slices}, 4, 2).to_vector<int64_t>();
  s.run = [=](const TensorList& in) {
    if (one_number) return repeat_interleave(in[0], 3, dim);
    return repeat_interleave(in[0], from_vector(repeats, {slices}).to(in[0].device()), dim);
  };
  s.reference = [=](const TensorList& in) {
    Values out;
    const auto x = in[0].to_vector<double>();
    int64_t outer = 1, inner = 1;
    for (int d = 0; d < sizes.size(); ++d) (d < dim ? outer : inner) *= d == dim ? 1 : sizes[d];
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < slices; ++i)
        for (int64_t r = 0; r < repeats[size_t(i)]; ++r)
          for (int64_t j = 0; j < inner; ++j) out.push_back(x[size_t((o * slices + i) * inner + j)]);
    return out;
  };
  s.gradient = sizes.product() <= 50;
  s.tolerance = 0;
  return s;
}
ORDO_OP_SIZES(repeat_interleave) {
  return {repeat_sample("slices", {n, 2}, 0, false), repeat_sample("columns", {2, n}, 0, true)};
}
ORDO_OP_SAMPLES(repeat_interleave) {
  return {repeat_sample("vector", {5}, 0, true), repeat_sample("rows", {4, 3}, 0, false),
          repeat_sample("columns", {3, 4}, 1, false), repeat_sample("middle", {2, 3, 2}, 1, true)};
}
ORDO_OP_INTEGER(repeat_interleave, "repeats", repeat_interleave(some(d), v, 1));
ORDO_OP_INTEGER(repeat_interleave, "repeats of all", repeat_interleave(some(d), v));
ORDO_OP_INTEGER(repeat_interleave, "dim", repeat_interleave(some(d), 2, v));
ORDO_OP_INTEGER(repeat_interleave, "repeats in a tensor", repeat_interleave(some(d), tensor<int64_t>({v, 1}).to(d), 0));
ORDO_OP_INTEGER(repeat_interleave, "repeats of all slices in a tensor",
                repeat_interleave(some(d), tensor<int64_t>({v}).to(d), 0));
ORDO_OP_INTEGER(repeat_interleave, "index", repeat_interleave(tensor<int64_t>({1, v}).to(d)));

TEST(Take, the_last_item_stays_with_any_number_of_threads) {
  const ThreadsScope scope;
  constexpr int64_t kItems = 300'000;
  for (const int64_t places : {1, 2, 7, 1000, 400'000}) {
    std::vector<int64_t> index;
    std::vector<float> expected(size_t(places), -1.0F), values;
    for (int64_t i = 0; i < kItems; ++i) {
      const int64_t place = i * i % 1'000'003 % places;
      index.push_back(i % 3 == 0 ? place - places : place);
      values.push_back(float(i));
      expected[size_t(place)] = float(i);
    }
    const Tensor start = full({places}, -1, float32);
    const Tensor at = from_vector(index, {kItems}), source = from_vector(values, {kItems});
    for (const int threads : {1, 2, 3, 9}) {
      set_num_threads(threads);
      EXPECT_EQ(put(start, at, source).to_vector<float>(), expected) << places << " " << threads;
    }
  }
}

TEST(Take, an_index_may_be_what_is_written) {
  for (Device device : test_devices()) {
    Tensor x = tensor<int64_t>({2, 0, 1}).to(device);
    x.put_(x, tensor<int64_t>({10, 20, 30}).to(device));
    EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{20, 30, 10}));
  }
}

TEST(Take, from_both_ends_and_the_last_stays) {
  for (Device device : test_devices()) {
    const Tensor x = arange(6).view({2, 3}).to(device, float32), index = tensor<int64_t>({-1, 0, -6, 5}).to(device);
    EXPECT_EQ(x.take(index).to_vector<float>(), (std::vector<float>{5, 0, 0, 5}));
    const Tensor source = tensor<float>({10, 20, 30, 40}).to(device).set_requires_grad();
    const Tensor out = x.put(index.view({2, 2}), source);
    EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{30, 1, 2, 3, 4, 40}));
    out.sum().backward();
    EXPECT_EQ(source.grad().to_vector<float>(), (std::vector<float>{0, 0, 1, 1}));
    Tensor y = x.t().contiguous().t();
    y.put_(index, source.detach(), true);
    EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{50, 1, 2, 3, 4, 55}));
    y.put_(tensor<int64_t>({0, 1}).to(device), y.narrow(1, 1, 1));  // reads y first
    EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 4, 2, 3, 4, 55}));
    EXPECT_EQ(take_along_dim(x, tensor<int64_t>({4, 1}).to(device)).to_vector<float>(), (std::vector<float>{4, 1}));
  }
}

TEST(MaskedSelect, special_cases) {
  for (Device device : test_devices()) {
    EXPECT_EQ(nonzero(tensor<float>({0.f, NAN, -0.f, 2.f}).to(device)).to_vector<int64_t>(),
              (std::vector<int64_t>{1, 3}));
    EXPECT_EQ(nonzero(scalar_tensor(3, {.device = device})).sizes(), (Dims{1, 0}));
    EXPECT_EQ(nonzero(scalar_tensor(0, {.device = device})).sizes(), (Dims{0, 0}));
    EXPECT_EQ(nonzero(zeros({3, 0, 2}, {.device = device})).sizes(), (Dims{0, 3}));
    EXPECT_EQ(nonzero(ones({70, 70}, {.device = device})).size(0), 4900);
    Tensor x = zeros({2, 3}, {.device = device});
    const Tensor mask = tensor({true, false, true}).to(device);
    x.t().masked_scatter_(mask.view({3, 1}), tensor<float>({1, 2, 3, 4, 5}).to(device));
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 0, 3, 2, 0, 4}));
    EXPECT_ORDO_ERROR(x.masked_scatter(mask, ones({3}, {.device = device})), ShapeError, "4 true elements");
    EXPECT_ORDO_ERROR(x.masked_select(x), DTypeError, "masked_select");
    EXPECT_EQ(repeat_interleave(tensor<int64_t>({2, 0, 1}).to(device)).to_vector<int64_t>(),
              (std::vector<int64_t>{0, 0, 2}));
    EXPECT_EQ(x.repeat_interleave(tensor<int64_t>({2}).to(device), 0).sizes(), (Dims{4, 3}));
  }
}

TEST(IndexPut, as_a_function) {
  const Tensor x = zeros({2, 3}), rows = tensor<int64_t>({0, 1, 0}), columns = tensor<int64_t>({2, 0, -1});
  const Tensor values = tensor<float>({1, 2, 4});
  EXPECT_EQ(index_put(x, {rows, columns}, values).to_vector<float>(), (std::vector<float>{0, 0, 4, 2, 0, 0}));
  EXPECT_EQ(index_put(x, {rows, columns}, values, true).to_vector<float>(), (std::vector<float>{0, 0, 5, 2, 0, 0}));
}

}  // namespace
}  // namespace ordo::test::take_samples_test
