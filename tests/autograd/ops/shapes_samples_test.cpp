// Samples and rules of diagonals, triangles, turned and repeated tensors, and of factories and views made of others.
// The references walk the result's indices.
#include <algorithm>
#include <cmath>

#include <ordo/engine/tensor/tensor_impl.h>
#include "tests/autograd/ops/moved_sample.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::shapes_samples_test {
namespace {

Sample diagonal_sample(int64_t rows, int64_t columns, int64_t offset) {
  const int64_t n =
      std::max<int64_t>(0, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns));
  return moved(
      "offset " + std::to_string(offset), test_values({rows, 2, columns}), {2, n},
      [=](const Tensor& t) { return diagonal(t, offset, 0, 2); },
      [=](const Index& i) {
        const int64_t r = i[1] + std::max<int64_t>(0, -offset), c = i[1] + std::max<int64_t>(0, offset);
        return (r * 2 + i[0]) * columns + c;
      });
}
ORDO_OP_SAMPLES(diagonal) {
  return {diagonal_sample(3, 4, 0), diagonal_sample(3, 4, 2), diagonal_sample(4, 3, -2), diagonal_sample(2, 2, 5)};
}
// A long diagonal is one of a large matrix: its size ends behind an ordered group.
ORDO_OP_SIZES(diagonal) {
  const int64_t rows = std::min<int64_t>(n, 70);
  return {diagonal_sample(rows, std::max(rows, n) + 1, 1)};
}

Sample diag_embed_sample(int64_t n, int64_t offset) {
  const int64_t side = n + std::abs(offset);
  return moved(
      "offset " + std::to_string(offset), test_values({2, n}), {side, 2, side},
      [=](const Tensor& t) { return diag_embed(t, offset, 0, -1); },
      [=](const Index& i) { return i[2] - i[0] == offset ? i[1] * n + std::min(i[0], i[2]) : -1; });
}
ORDO_OP_SAMPLES(diag_embed) { return {diag_embed_sample(3, 0), diag_embed_sample(3, 2), diag_embed_sample(2, -1)}; }
ORDO_OP_SIZES(diag_embed) {
  const int64_t offset = std::min<int64_t>(n, 70);
  return {moved(
      "two columns", test_values({2}), {offset + 2, offset + 2}, [=](const Tensor& t) { return diag_embed(t, offset); },
      [=](const Index& i) { return i[1] - i[0] == offset ? i[0] : -1; })};
}

Sample triangle_sample(bool lower, const Dims& sizes, int64_t diagonal) {
  const int rank = sizes.size();
  return moved(
      sizes.str() + " " + std::to_string(diagonal), test_values(sizes), sizes,
      [=](const Tensor& t) { return lower ? tril(t, diagonal) : triu(t, diagonal); },
      [=](const Index& i) {
        int64_t flat = 0;
        for (int d = 0; d < rank; ++d) flat = flat * sizes[d] + i[size_t(d)];
        const int64_t right = i[size_t(rank - 1)] - i[size_t(rank - 2)];
        return (lower ? right <= diagonal : right >= diagonal) ? flat : -1;
      });
}
std::vector<Sample> triangles(bool lower) {
  return {triangle_sample(lower, {4, 4}, 0),     triangle_sample(lower, {3, 5}, 1),
          triangle_sample(lower, {5, 3}, -2),    triangle_sample(lower, {2, 3, 4}, 9),
          triangle_sample(lower, {2, 3, 4}, -9), triangle_sample(lower, {0, 3}, 0),
          triangle_sample(lower, {7, 40, 41}, 3)};
}
ORDO_OP_SAMPLES(tril) { return triangles(true); }
ORDO_OP_SAMPLES(triu) { return triangles(false); }
ORDO_OP_SIZES(tril) {
  return {triangle_sample(true, {n, 3}, 0), triangle_sample(true, {3, n}, 1), triangle_sample(true, {n, 2, 2}, 0)};
}
ORDO_OP_SIZES(triu) { return {triangle_sample(false, {n, 3}, -1), triangle_sample(false, {3, n}, 2)}; }

Sample flip_sample(int64_t a, int64_t b, const Dims& dims, bool first, bool second) {
  return moved(
      Dims{a, b}.str() + " " + dims.str(), test_values({a, b}), {a, b}, [=](const Tensor& t) { return flip(t, dims); },
      [=](const Index& i) { return (first ? a - 1 - i[0] : i[0]) * b + (second ? b - 1 - i[1] : i[1]); });
}
ORDO_OP_SAMPLES(flip) {
  return {flip_sample(3, 4, {0}, true, false),   flip_sample(3, 4, {-1}, false, true),
          flip_sample(3, 4, {0, 1}, true, true), flip_sample(3, 4, {}, false, false),
          flip_sample(0, 4, {0, 1}, true, true), flip_sample(31, 33, {1}, false, true)};
}
ORDO_OP_SIZES(flip) { return {flip_sample(n, 3, {0}, true, false), flip_sample(3, n, {0, 1}, true, true)}; }

int64_t round_trip(int64_t i, int64_t n) { return n == 0 ? 0 : (i % n + n) % n; }
Sample roll_sample(int64_t a, int64_t b, int64_t down, int64_t right) {
  return moved(
      Dims{a, b, down, right}.str(), test_values({a, b}), {a, b},
      [=](const Tensor& t) { return roll(t, dims(down, right), dims(0, 1)); },
      [=](const Index& i) { return round_trip(i[0] - down, a) * b + round_trip(i[1] - right, b); });
}
Sample roll_flat_sample(int64_t n, int64_t shift) {
  return moved(
      "flat", test_values({n, 3}), {n, 3}, [=](const Tensor& t) { return roll(t, shift); },
      [=](const Index& i) { return round_trip(i[0] * 3 + i[1] - shift, 3 * n); });
}
ORDO_OP_SAMPLES(roll) {
  return {roll_sample(3, 4, 1, 0), roll_sample(3, 4, -1, 2), roll_sample(3, 4, 30, -401), roll_sample(0, 3, 1, 1),
          roll_flat_sample(4, 5),  roll_flat_sample(2, -1),  roll_sample(31, 33, 5, 7)};
}
ORDO_OP_SIZES(roll) { return {roll_sample(n, 3, 1, 1), roll_flat_sample(n, -2)}; }

Sample repeat_sample(Dims from, const Dims& repeats) {
  const Tensor t = test_values(from);
  while (from.size() < repeats.size()) from.insert(0, 1);
  Dims sizes = from;
  for (int d = 0; d < sizes.size(); ++d) sizes[d] *= repeats[d];
  return moved(
      t.sizes().str() + " " + repeats.str(), t, sizes, [=](const Tensor& in) { return repeat(in, repeats); },
      [=](const Index& i) {
        int64_t flat = 0;
        for (int d = 0; d < from.size(); ++d) flat = flat * from[d] + i[size_t(d)] % from[d];
        return flat;
      });
}
ORDO_OP_SAMPLES(repeat) {
  return {repeat_sample({3}, {2}),
          repeat_sample({2, 3}, {2, 1, 3}),
          repeat_sample({2, 1}, {1, 4}),
          repeat_sample({2, 3}, {1, 1}),
          repeat_sample({2, 3}, {0, 2}),
          repeat_sample({}, {3}),
          repeat_sample({2, 1, 2, 1, 2}, {2, 1, 2, 1, 2}),
          repeat_sample({2, 1, 2, 1, 2, 1}, {1, 2, 2, 1, 2, 2, 1, 2})};
}
ORDO_OP_SIZES(repeat) { return {repeat_sample({n}, {3}), repeat_sample({2, 3}, {n, 2})}; }

Sample eye_sample(int64_t rows, int64_t columns) {
  return {
      .label = "like the input",
      .inputs = {test_values({1})},
      .run =
          [=](const TensorList& in) { return eye(rows, columns, {.dtype = in[0].dtype(), .device = in[0].device()}); },
      .reference =
          [=](const TensorList&) {
            std::vector<double> v;
            for (int64_t i = 0; i < rows * columns; ++i) v.push_back(i / columns == i % columns);
            return v;
          },
      .gradient = false,
      .tolerance = 0};
}
ORDO_OP_SAMPLES(eye) { return {eye_sample(3, 3), eye_sample(2, 4), eye_sample(4, 2), eye_sample(0, 3)}; }
ORDO_OP_SIZES(eye) { return {eye_sample(n, 3), eye_sample(3, n)}; }

Sample logspace_sample(int64_t steps) {
  return {.label = "like the input",
          .inputs = {test_values({1})},
          .run =
              [=](const TensorList& in) {
                return logspace(-1, 2, steps, 3, {.dtype = in[0].dtype(), .device = in[0].device()});
              },
          .reference =
              [=](const TensorList&) {
                std::vector<double> v;
                for (int64_t i = 0; i < steps; ++i)
                  v.push_back(std::pow(3, steps == 1 ? -1 : -1 + 3 * double(i) / double(steps - 1)));
                return v;
              },
          .gradient = false};
}
ORDO_OP_SAMPLES(logspace) { return {logspace_sample(7), logspace_sample(1)}; }
ORDO_OP_SIZES(logspace) { return {logspace_sample(n)}; }

// -- extreme integers

ORDO_OP_INTEGER(diagonal, "offset", diagonal(some(d), v));
ORDO_OP_INTEGER(diagonal, "dim1", diagonal(some(d), 0, v, 0));
ORDO_OP_INTEGER(diagonal, "offset of a wide one",
                diagonal(empty_strided({0, 3}, {int64_t(1) << 60, 1}, {.device = d}), v));
ORDO_OP_INTEGER(diag_embed, "offset", diag_embed(some(d), v));
ORDO_OP_INTEGER(diag_embed, "dim2", diag_embed(some(d), 0, 0, v));
ORDO_OP_INTEGER(tril, "diagonal", tril(some(d), v));
ORDO_OP_INTEGER(triu, "diagonal", triu(some(d), v));
ORDO_OP_INTEGER(flip, "dim", flip(some(d), v));
ORDO_OP_INTEGER(roll, "shift", roll(some(d), v));
ORDO_OP_INTEGER(roll, "shift of a dimension", roll(some(d), v, 0));
ORDO_OP_INTEGER(roll, "dim", roll(some(d), 1, v));
ORDO_OP_INTEGER(rot90, "k", rot90(some(d), v));
ORDO_OP_INTEGER(rot90, "dim", rot90(some(d), 1, {v, 0}));
ORDO_OP_INTEGER(repeat, "repeats", repeat(some(d), {1, v}));
ORDO_OP_INTEGER(repeat, "repeats of nothing", repeat(some(d).narrow(0, 0, 0), {v, v, v}));
ORDO_OP_INTEGER(eye, "n", eye(v, {.device = d}));
ORDO_OP_INTEGER(eye, "m", eye(0, v, {.device = d}));
ORDO_OP_INTEGER(logspace, "steps", logspace(0, 1, v, 2, {.device = d}));
ORDO_OP_INTEGER(tensor_split, "sections", tensor_split(some(d), v)[0]);
ORDO_OP_INTEGER(tensor_split, "index", tensor_split(some(d), std::vector<int64_t>{v, 1})[1]);
ORDO_OP_INTEGER(tensor_split, "dim", tensor_split(some(d), 2, v)[0]);
ORDO_OP_INTEGER(movedim, "source", movedim(some(d), v, 0));
ORDO_OP_INTEGER(movedim, "destination", movedim(some(d), 0, v));
ORDO_OP_INTEGER(unflatten, "dim", unflatten(some(d), v, {-1}));
ORDO_OP_INTEGER(unflatten, "size", unflatten(some(d), 1, {v, -1}));

// -- what samples cannot say

Tensor numbers(const Dims& sizes) { return arange(0, double(sizes.product()), 1, float64).view(sizes); }
std::vector<int> ints(const Tensor& t) { return t.to_vector<int>(); }
using V = std::vector<int>;

bool shares(const Tensor& a, const Tensor& b) { return a.impl()->storage == b.impl()->storage; }

TEST(Shapes, diagonals_are_views_and_follow_their_base) {
  Tensor t = numbers({3, 3}), d = diagonal(t);
  EXPECT_TRUE(shares(t, d));
  d.fill_(9);
  EXPECT_EQ(ints(t), (V{9, 1, 2, 3, 9, 5, 6, 7, 9}));
  const Tensor x = numbers({2, 2}).set_requires_grad();
  Tensor y = x * 1;
  diagonal(y).mul_(3);
  y.sum().backward();
  EXPECT_EQ(ints(x.grad()), (V{3, 1, 1, 3}));
  EXPECT_EQ(ints(diag(numbers({3}), -1)), (V{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0}));
  EXPECT_EQ(ints(diag(numbers({2, 3}), 1)), (V{1, 5}));
  EXPECT_FALSE(shares(t, diag(t))) << "a copy";
  EXPECT_EQ(trace(numbers({3, 2})).item<int>(), 3);
  EXPECT_ORDO_ERROR(diag(numbers({1, 1, 1})), ShapeError, "[diag]");
  EXPECT_ORDO_ERROR(trace(numbers({3})), ShapeError, "[trace]");
}

TEST(Shapes, turned) {
  const Tensor t = numbers({2, 3});
  EXPECT_EQ(ints(rot90(t)), (V{2, 5, 1, 4, 0, 3}));
  EXPECT_EQ(rot90(t).sizes(), (Dims{3, 2}));
  EXPECT_EQ(ints(rot90(t, 2)), (V{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(ints(rot90(t, -1)), (V{3, 0, 4, 1, 5, 2}));
  EXPECT_EQ(ints(rot90(t, 4)), ints(t));
  EXPECT_EQ(ints(rot90(t, 1, {1, 0})), ints(rot90(t, -1)));
  EXPECT_ORDO_ERROR(rot90(t, 1, {0, -2}), ValueError, "[rot90]");
  EXPECT_ORDO_ERROR(flip(t, {1, -1}), ValueError, "[flip] dimension -1 appears twice");
  EXPECT_ORDO_ERROR(roll(t, {1, 2}, 0), ValueError, "[roll] needs a shift for each dimension");
  EXPECT_FALSE(shares(t, roll(t, 6))) << "a copy";
  EXPECT_FALSE(shares(t, flip(t, Dims())));
  EXPECT_EQ(ints(roll(t, {1, 1}, {1, 1})), ints(roll(t, 2, 1))) << "one after the other";
}

TEST(Shapes, repeated) {
  const Tensor t = numbers({2, 2});
  EXPECT_FALSE(shares(t, repeat(t, {1, 1})));
  EXPECT_EQ(ints(tile(t, 2)), (V{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(tile(t, {2, 1, 1}).sizes(), (Dims{2, 2, 2}));
}

TEST(Shapes, views_by_other_names) {
  const Tensor t = numbers({2, 3, 4});
  for (const Tensor& v : {movedim(t, 0, -1), movedim(t, {0, 1}, {2, 0}), swapaxes(t, 0, 2), unflatten(t, 2, {2, -1}),
                          broadcast_to(t, {5, 2, 3, 4}), expand_as(t.narrow(0, 0, 1), t)})
    EXPECT_TRUE(shares(t, v));
  EXPECT_EQ(movedim(t, 0, -1).sizes(), (Dims{3, 4, 2}));
  EXPECT_EQ(movedim(t, {0, 1}, {2, 0}).sizes(), (Dims{3, 4, 2}));
  EXPECT_EQ(movedim(t, {2, 0}, {0, 1}).sizes(), (Dims{4, 2, 3}));
  EXPECT_EQ(unflatten(t, -1, {2, 2}).sizes(), (Dims{2, 3, 2, 2}));
  EXPECT_EQ(unflatten(t, 1, {-1}).sizes(), t.sizes());
  EXPECT_ORDO_ERROR(movedim(t, {0, 0}, {1, 2}), ValueError, "[movedim]");
  EXPECT_ORDO_ERROR(movedim(t, 0, {1, 2}), ValueError, "not as many");
  EXPECT_ORDO_ERROR(unflatten(t, 1, {2, 2}), ShapeError, "[unflatten]");
  EXPECT_ORDO_ERROR(broadcast_to(t, {3, 4}), ShapeError, "[broadcast_to]");
  EXPECT_ORDO_ERROR(expand_as(t, Tensor()), ValueError, "[expand_as]");
}

TEST(Shapes, grids) {
  const Tensor a = numbers({2}), b = numbers({3}) + 10, c = scalar_tensor(5, float64);
  const TensorList ij = meshgrid({a, b, c}), xy = meshgrid({a, b, c}, MeshgridIndexing::xy);
  EXPECT_EQ(ij[0].sizes(), (Dims{2, 3, 1}));
  EXPECT_EQ(ints(ij[0]), (V{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(ints(ij[1]), (V{10, 11, 12, 10, 11, 12}));
  EXPECT_EQ(ints(ij[2]), (V{5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(xy[0].sizes(), (Dims{3, 2, 1}));
  EXPECT_EQ(ints(xy[0]), (V{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(ints(xy[1]), (V{10, 10, 11, 11, 12, 12}));
  EXPECT_TRUE(shares(ij[0], a));
  EXPECT_EQ(ints(cartesian_prod({a, b})), (V{0, 10, 0, 11, 0, 12, 1, 10, 1, 11, 1, 12}));
  EXPECT_EQ(ints(cartesian_prod({b})), ints(b));
  EXPECT_ORDO_ERROR(meshgrid({a, b.to(float32)}), DTypeError, "[meshgrid]");
  EXPECT_ORDO_ERROR(meshgrid({a}, MeshgridIndexing(2)), ValueError, "[meshgrid]");
  EXPECT_ORDO_ERROR(meshgrid({}), ValueError, "[meshgrid]");
  EXPECT_ORDO_ERROR(cartesian_prod({c}), ShapeError, "[cartesian_prod]");
}

TEST(Shapes, joined_and_cut) {
  const Tensor a = numbers({2}), m = numbers({2, 2}), one = scalar_tensor(7, float64);
  EXPECT_EQ(ints(hstack({a, one})), (V{0, 1, 7}));
  EXPECT_EQ(ints(hstack({m, m})), (V{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(ints(vstack({a, m})), (V{0, 1, 0, 1, 2, 3}));
  EXPECT_EQ(dstack({a, a}).sizes(), (Dims{1, 2, 2}));
  EXPECT_EQ(ints(dstack({m, m})), (V{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(dstack({one}).sizes(), (Dims{1, 1, 1}));
  EXPECT_ORDO_ERROR(vstack({a, numbers({3})}), ShapeError, "[vstack]");
  EXPECT_ORDO_ERROR(hstack({}), ValueError, "[hstack]");
  const Tensor t = numbers({7});
  std::vector<V> parts;
  for (const Tensor& p : tensor_split(t, 3)) parts.push_back(ints(p));
  EXPECT_EQ(parts, (std::vector<V>{{0, 1, 2}, {3, 4}, {5, 6}}));
  parts.clear();
  for (const Tensor& p : tensor_split(t, std::vector<int64_t>{5, 2, -1, 9})) parts.push_back(ints(p));
  EXPECT_EQ(parts, (std::vector<V>{{0, 1, 2, 3, 4}, {}, {2, 3, 4, 5}, {6}, {}}));
  EXPECT_EQ(tensor_split(numbers({2}), 4).size(), 4u);
  EXPECT_ORDO_ERROR(tensor_split(t, 0), ValueError, "[tensor_split]");
  EXPECT_ORDO_ERROR(tensor_split(one, 1), IndexError, "[tensor_split]");
}

TEST(Shapes, factories) {
  EXPECT_EQ(eye(2, {boolean}).to_vector<bool>(), (std::vector<bool>{true, false, false, true}));
  EXPECT_TRUE(eye(2, {.requires_grad = true}).requires_grad());
  EXPECT_EQ(logspace(0, 3, 4).to_vector<float>(), (std::vector<float>{1, 10, 100, 1000}));
  EXPECT_ORDO_ERROR(logspace(0, 100, 4), ValueError, "[logspace]");
}

TEST(Shapes, gradients_of_what_is_composed) {
  const Tensor a = test_values({3}, 1).set_requires_grad(), m = test_values({3, 3}, 2).set_requires_grad();
  const std::vector<int64_t> places{1, 2};
  const std::function<Tensor(const TensorList&)> functions[] = {
      [](const TensorList& in) { return diag(in[0], 1) * 2; },
      [](const TensorList& in) { return diag(in[1]) * trace(in[1]); },
      [](const TensorList& in) { return rot90(in[1]) * in[0]; },
      [](const TensorList& in) { return tile(in[1], dims(2, 2)) * 3; },
      [](const TensorList& in) { return cartesian_prod(TensorList(2, in[0])); },
      [&](const TensorList& in) { return tensor_split(in[1], places, 1)[1] * 2; },
      [](const TensorList& in) { return vstack(in); },
      [](const TensorList& in) { return movedim(unflatten(in[1], 0, dims(3, 1)), dims(0, 1), dims(1, 0)) * in[0]; }};
  for (const auto& f : functions) EXPECT_EQ(gradcheck(f, {a, m}, {.second_order = true}), "");
}

}  // namespace
}  // namespace ordo::test::shapes_samples_test
