// index and index_put against plain loops over coordinates.
#include <ordo/engine/tensor/tensor_impl.h>
#include "tests/kernels/samples.h"

namespace ordo::test::index_samples_test {
namespace {

using namespace indexing;

/// Rows of a matrix by an index that may count from the end.
Sample rows_sample(const char* label, const Tensor& x, const Tensor& index) {
  return {.label = label,
          .inputs = {x, index},
          .run = [](const TensorList& in) { return in[0].index({in[1] - in[0].size(0)}); },
          .reference =
              [](const TensorList& in) {
                const auto v = in[0].to_vector<double>();
                const int64_t columns = in[0].numel() / in[0].size(0);
                std::vector<double> out;
                for (int64_t row : in[1].to_vector<int64_t>())
                  for (int64_t c = 0; c < columns; ++c) out.push_back(v[size_t(row * columns + c)]);
                return out;
              },
          .gradient = x.numel() <= 100,
          .tolerance = 0};
}

/// x[:, a, b] with an a of shape [n, 1] and a b of shape [m].
Sample pairs_sample(const char* label, const Tensor& x, const Tensor& a, const Tensor& b) {
  return {.label = label,
          .inputs = {x, a, b},
          .run =
              [](const TensorList& in) {
                return in[0].index({Slice(), in[1].view({-1, 1}), in[2]});
              },
          .reference =
              [](const TensorList& in) {
                const auto v = in[0].to_vector<double>();
                std::vector<double> out;
                for (int64_t i = 0; i < in[0].size(0); ++i)
                  for (int64_t r : in[1].to_vector<int64_t>())
                    for (int64_t c : in[2].to_vector<int64_t>())
                      out.push_back(v[size_t((i * in[0].size(1) + r) * in[0].size(2) + c)]);
                return out;
              },
          .gradient = x.numel() <= 100,
          .tolerance = 0};
}

ORDO_OP_SIZES(index) {
  return {rows_sample("items", test_values({5, 3}), test_indices({n}, 5)),
          rows_sample("columns", test_values({4, n}), test_indices({3}, 4)),
          rows_sample("rows", test_values({n, 3}), test_indices({4}, n)),
          pairs_sample("pairs", test_values({2, 3, 4}), test_indices({n}, 3), test_indices({2}, 4)),
          pairs_sample("outer", test_values({n, 3, 4}), test_indices({2}, 3), test_indices({2}, 4))};
}
ORDO_OP_SAMPLES(index) {
  return {rows_sample("rows", test_values({4, 3}), test_indices({6}, 4)),
          rows_sample("int32", test_values({4, 3}), test_indices({6}, 4, 1, int32)),
          rows_sample("nothing", test_values({4, 3}), test_indices({0}, 4)),
          pairs_sample("pairs", test_values({2, 3, 4}), test_indices({5}, 3), test_indices({2}, 4, 0, int32)),
          {.label = "mask",
           .inputs = {test_values({3, 4})},
           .run =
               [](const TensorList& in) {
                 return in[0].index({arange(12).view({3, 4}).to(in[0].device()) >= 5});
               },
           .reference =
               [](const TensorList& in) {
                 const auto v = in[0].to_vector<double>();
                 return std::vector<double>(v.begin() + 5, v.end());
               },
           .tolerance = 0}};
}

/// x[index - n] = values, rows of a matrix; the last of equal ones stays.
Sample put_sample(const char* label, const Tensor& x, const Tensor& index, const Tensor& values) {
  return {.label = label,
          .inputs = {x, index, values},
          .run = [](const TensorList& in) { return in[0].index_put({in[1] - in[0].size(0)}, in[2]); },
          .reference =
              [](const TensorList& in) {
                auto v = in[0].to_vector<double>();
                const auto w = in[2].to_vector<double>();
                const auto rows = in[1].to_vector<int64_t>();
                const size_t columns = v.size() / size_t(in[0].size(0));
                for (size_t i = 0; i < rows.size(); ++i)
                  for (size_t c = 0; c < columns; ++c) v[size_t(rows[i]) * columns + c] = w[i * columns + c];
                return v;
              },
          .gradient = x.numel() <= 100 && values.numel() <= 100,
          .tolerance = 0};
}

ORDO_OP_SIZES(index_put) {
  return {put_sample("items", test_values({5, 3}), test_indices({n}, 5), test_values({n, 3}, 1)),
          put_sample("columns", test_values({4, n}), test_indices({6}, 4), test_values({6, n}, 1)),
          put_sample("rows", test_values({n, 3}), test_indices({4}, n), test_values({4, 3}, 1))};
}
ORDO_OP_SAMPLES(index_put) {
  return {put_sample("rows", test_values({4, 3}), test_indices({6}, 4), test_values({6, 3}, 1)),
          put_sample("int32", test_values({4, 3}), test_indices({6}, 4, 1, int32), test_values({6, 3}, 1)),
          put_sample("nothing", test_values({4, 3}), test_indices({0}, 4), test_values({0, 3}, 1)),
          put_sample("many", test_values({40, 9}), test_indices({500}, 40), test_values({500, 9}, 1)),
          {.label = "several",  // x[[0, 1, 0], :, [2, 2, 2]] = values; the third over the first
           .inputs = {test_values({2, 2, 3}), test_values({3, 2}, 1)},
           .run =
               [](const TensorList& in) {
                 const Device device = in[0].device();
                 return in[0].index_put(
                     {tensor<int64_t>({0, 1, 0}).to(device), Slice(), tensor<int64_t>({2, -1, 2}).to(device)}, in[1]);
               },
           .reference =
               [](const TensorList& in) {
                 auto v = in[0].to_vector<double>();
                 const auto w = in[1].to_vector<double>();
                 v[2] = w[4], v[5] = w[5], v[8] = w[2], v[11] = w[3];
                 return v;
               },
           .tolerance = 0},
          {.label = "added",  // x[[0, 1, 0]] += values
           .inputs = {test_values({2, 2}), test_values({3, 2}, 1)},
           .run =
               [](const TensorList& in) {
                 return in[0].index_put({tensor<int64_t>({0, 1, 0}).to(in[0].device())}, in[1], true);
               },
           .reference =
               [](const TensorList& in) {
                 auto v = in[0].to_vector<double>();
                 const auto w = in[1].to_vector<double>();
                 v[0] += w[0] + w[4], v[1] += w[1] + w[5], v[2] += w[2], v[3] += w[3];
                 return v;
               }}};
}

// Tensor::index, index_put_ and brackets: PyTorch's rules, one by one.

using namespace indexing;
using Values = std::vector<double>;

Tensor counted(const Dims& sizes, Device device = cpu) {
  return arange(sizes.product()).view(sizes).to(device, float64);
}
Tensor longs(std::initializer_list<int64_t> values, Device device = cpu) { return tensor<int64_t>(values).to(device); }

TEST(Index, integers_slices_none_and_ellipsis_are_views) {
  const Tensor x = counted({3, 4, 5});
  const auto expect_view = [&](const Tensor& got, const Tensor& want) {
    EXPECT_EQ(got.sizes(), want.sizes());
    EXPECT_EQ(got.to_vector<double>(), want.to_vector<double>());
    EXPECT_EQ(got.impl()->storage, x.impl()->storage) << "a view";
  };
  expect_view(x.index({1}), x.select(0, 1));
  expect_view(x.index({-1, 2}), x.select(0, 2).select(0, 2));
  expect_view(x.index({Slice()}), x);
  expect_view(x.index({Slice(1, None)}), x.slice(0, 1, 3));
  expect_view(x.index({Slice(None, -1), 0}), x.slice(0, 0, 2).select(1, 0));
  expect_view(x.index({Slice(), Slice(None, None, 2)}), x.slice(1, 0, 4, 2));
  expect_view(x.index({Ellipsis, -1}), x.select(2, 4));
  expect_view(x.index({"...", -1}), x.select(2, 4));
  expect_view(x.index({0, Ellipsis, 1}), x.select(0, 0).select(1, 1));
  expect_view(x.index({Ellipsis}), x);
  expect_view(x.index({}), x);
  expect_view(x.index({None, 1, None, Slice(2, 3)}), x.select(0, 1).slice(0, 2, 3).unsqueeze(0).unsqueeze(1));
  expect_view(x.index({Ellipsis, None}), x.unsqueeze(3));
  expect_view(x.index({scalar_tensor(2, int64), Slice()}), x.select(0, 2));
  expect_view(x[{1, Slice(0, 2)}], x.select(0, 1).slice(0, 0, 2));
  expect_view(x[Slice(1, 2)], x.slice(0, 1, 2));
}

// Where the dimensions of the index tensors go.
TEST(Index, shapes_of_results) {
  const Tensor x = counted({2, 3, 4, 5}), i = longs({0, 1}), j = longs({1, 0}).view({2, 1});
  const auto sizes = [&](const std::vector<TensorIndex>& indices) { return x.index(indices).sizes(); };
  EXPECT_EQ(sizes({i}), (Dims{2, 3, 4, 5}));
  EXPECT_EQ(sizes({Slice(), j}), (Dims{2, 2, 1, 4, 5}));
  EXPECT_EQ(sizes({i, j}), (Dims{2, 2, 4, 5})) << "broadcast together";
  EXPECT_EQ(sizes({Slice(), i, j}), (Dims{2, 2, 2, 5})) << "neighbours: in place";
  EXPECT_EQ(sizes({i, Slice(), j}), (Dims{2, 2, 3, 5})) << "apart: in front";
  EXPECT_EQ(sizes({Slice(), i, Slice(), j}), (Dims{2, 2, 2, 4}));
  EXPECT_EQ(sizes({i, None, j}), (Dims{2, 2, 1, 4, 5})) << "None keeps them apart";
  EXPECT_EQ(sizes({0, Slice(), i}), (Dims{3, 2, 5})) << "an integer goes first and separates nothing";
  EXPECT_EQ(sizes({i, 0, j}), (Dims{2, 2, 5}));
  EXPECT_EQ(sizes({Ellipsis, i}), (Dims{2, 3, 4, 2}));
  EXPECT_EQ(sizes({x > 7}), (Dims{112}));
  EXPECT_EQ(sizes({ones({2, 3}, boolean)}), (Dims{6, 4, 5}));
  EXPECT_EQ(sizes({Slice(), ones({3, 4}, boolean)}), (Dims{2, 12, 5}));
  EXPECT_EQ(sizes({zeros({2}, boolean)}), (Dims{0, 3, 4, 5}));
  EXPECT_EQ(sizes({ones({}, boolean)}), (Dims{1, 2, 3, 4, 5}));
  EXPECT_EQ(sizes({zeros({}, boolean), 0}), (Dims{0, 3, 4, 5}));
  EXPECT_EQ(sizes({empty({0}, int64)}), (Dims{0, 3, 4, 5}));
  EXPECT_EQ(empty({0, 3}).index({empty({0}, int64), longs({2})}).sizes(), (Dims{0}));
}

TEST(Index, values) {
  for (Device device : test_devices()) {
    const Tensor x = counted({3, 4}, device);
    EXPECT_EQ(x.index({longs({2, 0, -1}, device), longs({0, -1, 1}, device)}).to_vector<double>(), (Values{8, 3, 9}));
    EXPECT_EQ(x.index({Slice(1, None), longs({3, 3, 0}, device)}).to_vector<double>(), (Values{7, 7, 4, 11, 11, 8}));
    EXPECT_EQ(x.index({x > 8.5}).to_vector<double>(), (Values{9, 10, 11}));
    EXPECT_EQ(x[x < 2].to_vector<double>(), (Values{0, 1}));
    const Tensor rows = from_vector<bool>({true, false, true}, {3}).to(device);
    EXPECT_EQ(x.index({rows, 1}).to_vector<double>(), (Values{1, 9}));
    EXPECT_EQ(x.index({rows, longs({2, 3}, device)}).to_vector<double>(), (Values{2, 11})) << "a mask is an index";
    EXPECT_EQ(x.t().index({longs({1, 2}, device)}).to_vector<double>(), (Values{1, 5, 9, 2, 6, 10}));
    EXPECT_EQ(x.index({longs({1}, cpu)}).to_vector<double>(), (Values{4, 5, 6, 7})) << "a CPU index is moved";
    const Tensor y = counted({2, 3, 2, 2}, device);
    const Tensor apart = y.index({longs({1, 0}, device), Slice(), longs({0, 1}, device)});
    EXPECT_EQ(apart.to_vector<double>(), (Values{12, 13, 16, 17, 20, 21, 2, 3, 6, 7, 10, 11}));
    EXPECT_EQ(x.index({from_vector<int32_t>({-3, 2}, {2}).to(device), 0}).to_vector<double>(), (Values{0, 8}));
  }
}

TEST(Index, gradients) {
  const Tensor x = test_values({3, 4}, 1).set_requires_grad(), cube = test_values({2, 3, 2}, 2).set_requires_grad();
  const Tensor weights = test_values({4, 3}, 3);
  const auto check = [](const Tensor& input, const std::vector<TensorIndex>& indices) {
    const auto f = [&](const TensorList& in) { return in[0].index(indices).square(); };
    EXPECT_EQ(gradcheck(f, {input}, {.second_order = true}), "");
  };
  check(x, {1, Slice(None, None, 2)});
  check(x, {None, Ellipsis, -1});
  check(x, {longs({0, 2, 0, 0})});
  check(x, {longs({0, 2, 0, -3}), longs({1, 1, -3, 1})});
  check(x, {from_vector<bool>({true, false, true}, {3})});
  check(x, {x.detach() > 0});
  check(cube, {longs({1, 1}), Slice(), longs({0, 1}).view({2, 1})});
}

TEST(IndexPut, writes_tensors_and_numbers) {
  for (Device device : test_devices()) {
    Tensor x = counted({3, 4}, device);
    EXPECT_TRUE(x.index_put_({0}, -1).is_same(x));
    x.index_put_({Slice(1, None), -1}, tensor<double>({50.0, 60.0}).to(device));
    x.index_put_({x == 5}, 0.5);
    x.index_put_({longs({2, 1}, device), longs({0, -2}, device)}, tensor<int64_t>({70, 80}).to(device));
    EXPECT_EQ(x.to_vector<double>(), (Values{-1, -1, -1, -1, 4, 0.5, 80, 50, 70, 9, 10, 60}));
    x[x < 0] = 0;
    x[{1, Slice(None, 2)}] = tensor<double>({1.0, 2.0}).to(device);
    x[longs({2, 2}, device)] = ones({1, 4}, device);
    EXPECT_EQ(x.to_vector<double>(), (Values{0, 0, 0, 0, 1, 2, 80, 50, 1, 1, 1, 1}));
    x[{longs({0, 1}, device), 0}] += 3;
    x[x > 40] *= 2;
    x[{Slice(), 3}] -= tensor<double>({1.0, 0.0, 1.0}).to(device);
    x[2] /= 4;
    EXPECT_EQ(x.to_vector<double>(), (Values{3, 0, 0, -1, 4, 2, 160, 100, 0.25, 0.25, 0.25, 0}));
    const Tensor transposed = x.t();
    const_cast<Tensor&>(transposed).index_put_({longs({3, 0}, device)}, full({1}, 7, {float64, device}));
    EXPECT_EQ(x.select(1, 0).to_vector<double>(), (Values{7, 7, 7})) << "through the strides of a view";
  }
}

TEST(IndexPut, masks) {
  for (Device device : test_devices()) {
    Tensor x = counted({2, 2, 2}, device);
    const Tensor mask = from_vector<bool>({true, false, false, true}, {2, 2}).to(device);
    x[mask] = -1;
    x[{Slice(), mask}] = tensor<double>({7.0, 8.0}).to(device);
    x[ones({}, {boolean, device})] += 1;
    EXPECT_EQ(x.to_vector<double>(), (Values{8, 0, 3, 9, 8, 6, 0, 9}));
  }
  Tensor x = counted({2, 3});
  EXPECT_ORDO_ERROR(x.index_put_({ones({3}, boolean)}, 0), ShapeError, "[index_put_] a mask of shape [3]");
  EXPECT_ORDO_ERROR(x.index_put_({ones({2, 3, 1}, boolean)}, 0), IndexError, "[index_put_]");
  const Tensor leaf = test_values({2, 3}).set_requires_grad();
  const auto f = [](const TensorList& in) {
    Tensor a = in[0] * 2;
    a[in[0].detach() > 0] = 3;
    return a.square();
  };
  EXPECT_EQ(gradcheck(f, {leaf}, {.second_order = true}), "");
}

TEST(IndexPut, gradients) {
  const Tensor x = test_values({3, 4}, 1).set_requires_grad();
  const auto check = [&](const std::vector<TensorIndex>& indices, const Dims& sizes, bool accumulate = false) {
    const Tensor value = test_values(sizes, 2).set_requires_grad();
    const auto f = [&](const TensorList& in) { return in[0].index_put(indices, in[1], accumulate).square(); };
    EXPECT_EQ(gradcheck(f, {x, value}, {.second_order = true}), "");
    const auto in_place = [&](const TensorList& in) {
      Tensor a = in[0] * 2;
      a.index_put_(indices, in[1], accumulate);
      return a.square();
    };
    EXPECT_EQ(gradcheck(in_place, {x, value}), "");
  };
  check({1}, {4});
  check({Slice(), Slice(None, None, 3)}, {3, 1});
  check({longs({0, 2, 0})}, {3, 4});
  check({longs({0, 2, 0})}, {4});
  check({Slice(), longs({1, 3, 1})}, {3, 3});
  check({longs({0, 2, 0}), longs({1, 3, 1})}, {3});
  check({longs({0, 2}).view({2, 1}), longs({1, 1, 3})}, {2, 3});
  check({x.detach() > 0}, {});
  check({longs({0, 2, 0})}, {3, 4}, true);
  check({1}, {}, true);
  const auto self = [](const TensorList& in) {
    Tensor a = in[0] * 2;
    return a.index_put_({longs({0, 1, 2})}, a).square();
  };
  EXPECT_EQ(gradcheck(self, {x}), "") << "the value is the tensor itself";
}

TEST(IndexPut, an_item_that_was_overwritten_gets_no_gradient) {
  const Tensor v = test_values({3}).set_requires_grad();
  zeros({2}, float64).index_put({longs({1, 0, 1})}, v).sum().backward();
  EXPECT_EQ(v.grad().to_vector<double>(), (Values{0, 1, 1}));
}

TEST(Index, errors_name_the_call) {
  const Tensor x = counted({3, 4});
  EXPECT_ORDO_ERROR(x.index({Ellipsis, Ellipsis}), ValueError, "one Ellipsis");
  EXPECT_ORDO_ERROR(x.index({"Ellipsis"}), ValueError, "\"...\"");
  EXPECT_ORDO_ERROR(x.index({longs({0, 1}), longs({0, 1, 2})}), ShapeError, "[index]");
  Tensor y = counted({3, 4});
  EXPECT_ORDO_ERROR(y.index_put_({0}, ones({3})), ShapeError, "[index_put_] shapes [3] and [4]");
  EXPECT_ORDO_ERROR(y.index_put_({0}, ones({3, 4})), ShapeError, "[index_put_] a value of shape [3, 4]");
  EXPECT_ORDO_ERROR(y.index_put_({longs({0, 1})}, ones({3, 4})), ShapeError, "[index_put_]");
  EXPECT_ORDO_ERROR(y.index_put_({0}, Tensor()), ValueError, "[index_put_]");
  EXPECT_ORDO_ERROR(zeros({3}, int64).index_put_({0}, 0.5), DTypeError, "[index_put_]");
  EXPECT_ORDO_ERROR(zeros({3}, int64).index_put_({0}, ones({})), DTypeError, "[index_put_]");
  EXPECT_ORDO_ERROR(ones({3}).set_requires_grad().index_put_({0}, 0), AutogradError, "[index_put_]");
}

TEST(Index, an_index_changed_before_the_backward_pass_is_noticed) {
  const Tensor x = ones({3}).set_requires_grad();
  Tensor index = longs({0, 1});
  const Tensor y = x.index_put({index}, ones({2}));
  index.fill_(2);
  EXPECT_ORDO_ERROR(y.sum().backward(), AutogradError, "fill_");
}

}  // namespace
}  // namespace ordo::test::index_samples_test
