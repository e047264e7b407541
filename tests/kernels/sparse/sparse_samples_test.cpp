#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::sparse_samples_test {
namespace {

/// Coordinates of `items` in a tensor of these sizes, several at one place where there are few places.
Tensor test_coordinates(const Dims& sizes, int64_t items, DType dtype = int64) {
  TensorList rows;
  for (int d = 0; d < sizes.size(); ++d) rows.push_back(test_indices({items}, sizes[d], uint64_t(d) + 2, dtype));
  return stack(rows);
}

/// The elements of a tensor of `sizes` to which `values` are added, each of as many as its dense dimensions hold.
std::vector<double> dense_reference(const Tensor& indices, const Tensor& values, const Dims& sizes) {
  const auto at = indices.to_vector<int64_t>();
  const auto v = values.to_vector<double>();
  const int64_t items = indices.size(1), inner = items > 0 ? values.numel() / items : 0;
  std::vector<double> out(size_t(sizes.product()), 0.0);
  for (int64_t i = 0; i < items; ++i) {
    int64_t place = 0;
    for (int64_t d = 0; d < indices.size(0); ++d) place = place * sizes[int(d)] + at[size_t(d * items + i)];
    for (int64_t j = 0; j < inner; ++j) out[size_t(place * inner + j)] += v[size_t(i * inner + j)];
  }
  return out;
}

struct Case {
  const char* label;
  Dims sparse, dense;  // sizes
  int64_t items;
  DType index_dtype = int64;
};

Dims all_sizes(const Case& c) {
  Dims out = c.sparse;
  for (int64_t n : c.dense) out.push_back(n);
  return out;
}

/// Where all sparse sizes are one, the indices are an input too, which tests may exchange for others in range.
bool indices_are_input(const Case& c) {
  for (int64_t n : c.sparse)
    if (n != c.sparse[0]) return false;
  return true;
}
Tensor indices_of(const Case& c, const TensorList& in) {
  if (indices_are_input(c)) return in[0];
  const Tensor indices = test_coordinates(c.sparse, c.items, c.index_dtype);
  return in[0].defined() ? indices.to(in[0].device()) : indices;
}

template <class Run>
Sample coo_sample(const Case& c, Run run) {
  Sample s;
  s.label = c.label;
  Dims values{c.items};
  for (int64_t n : c.dense) values.push_back(n);
  s.inputs = {test_mixed_values(values, 1)};
  if (indices_are_input(c)) s.inputs.insert(s.inputs.begin(), test_coordinates(c.sparse, c.items, c.index_dtype));
  s.run = [=](const TensorList& in) { return run(SparseCoo{indices_of(c, in), in.back(), all_sizes(c)}); };
  s.gradient = values.product() <= 60;
  // As of index_add: `atomic` rounds at every addition.
  s.tolerance = 4 + double(c.items) / 16;
  return s;
}

Sample to_dense_sample(const Case& c) {
  Sample s = coo_sample(c, [](const SparseCoo& x) { return to_dense(x); });
  s.reference = [c](const TensorList& in) { return dense_reference(indices_of(c, in), in.back(), all_sizes(c)); };
  return s;
}

/// The values of a coalesced tensor: those of the dense one, where there are items.
Sample coalesce_sample(const Case& c) {
  Sample s = coo_sample(c, [](const SparseCoo& x) { return coalesce(x).values; });
  s.reference = [c](const TensorList& in) {
    const auto sums = dense_reference(indices_of(c, in), in.back(), all_sizes(c));
    const auto there = dense_reference(indices_of(c, in), ones_like(in.back()), all_sizes(c));
    std::vector<double> out;
    for (size_t i = 0; i < sums.size(); ++i)
      if (there[i] > 0) out.push_back(sums[i]);
    return out;
  };
  return s;
}

std::vector<Case> coo_cases() {
  return {{"matrix", {5, 5}, {}, 12},          {"vector", {6}, {}, 9, int32}, {"hybrid", {3, 2}, {2, 2}, 8},
          {"three", {2, 3, 4}, {}, 10, int32}, {"none", {3, 2}, {}, 0},       {"one place", {1, 1}, {}, 80},
          {"many", {30, 30}, {}, 1500},        {"many rows", {20}, {5}, 400}};
}
std::vector<Case> coo_sizes(int64_t n) {
  return {{"items", {5, 3}, {}, n}, {"places", {n, 2}, {}, 40}, {"columns", {3}, {n}, 7}};
}

ORDO_OP_SAMPLES(to_dense) { return samples_of(coo_cases(), to_dense_sample); }
ORDO_OP_SIZES(to_dense) { return samples_of(coo_sizes(n), to_dense_sample); }
ORDO_OP_SAMPLES(coalesce) { return samples_of(coo_cases(), coalesce_sample); }
ORDO_OP_SIZES(coalesce) { return samples_of(coo_sizes(n), coalesce_sample); }

Sample sum_sample(const Case& c, const Dims& dims) {
  Sample s = coo_sample(
      c, [dims](const SparseCoo& x) { return dims.empty() ? sparse_sum(x) : to_dense(sparse_sum(x, dims)); });
  s.reference = [c, sizes = all_sizes(c), dims](const TensorList& in) {
    const auto dense = dense_reference(indices_of(c, in), in.back(), sizes);
    Dims kept = sizes;
    for (int64_t d : dims) kept[int(d)] = 1;
    if (dims.empty()) kept = Dims::filled(sizes.size(), 1);
    std::vector<double> out(size_t(kept.product()), 0.0);
    for (size_t i = 0; i < dense.size(); ++i) {
      int64_t rest = int64_t(i), to = 0, step = 1;
      for (int d = sizes.size() - 1; d >= 0; --d) {
        if (kept[d] > 1) to += rest % sizes[d] * step;
        step *= kept[d];
        rest /= sizes[d];
      }
      out[size_t(to)] += dense[i];
    }
    return out;
  };
  s.tolerance = 4 + double(s.inputs.back().numel()) / 4;  // values cancel in sums of sums
  return s;
}
ORDO_OP_SAMPLES(sparse_sum) {
  return {sum_sample({"all", {5, 5}, {}, 12}, {}), sum_sample({"rows", {4, 5}, {}, 12}, {0}),
          sum_sample({"columns", {4, 5}, {}, 12, int32}, {1}), sum_sample({"dense part", {3, 2}, {2, 3}, 8}, {1, 2}),
          sum_sample({"hybrid", {3, 2}, {2}, 8}, {})};
}
ORDO_OP_SIZES(sparse_sum) {
  return {sum_sample({"items", {5, 3}, {}, n}, {0}), sum_sample({"all items", {5, 3}, {}, n}, {}),
          sum_sample({"places", {3, n}, {}, 40}, {0})};
}

/// A dense tensor of which about half the elements are 0.
Tensor half_empty(const Dims& sizes, uint64_t stream) {
  const Tensor v = test_values(sizes, stream);
  return where(gt(v, 0), v + 1, zeros_like(v));
}
Sample to_sparse_sample(const char* label, const Dims& sizes, std::optional<int64_t> dims = {}, bool csr = false) {
  Sample s = new_sample(label, {half_empty(sizes, 5)});
  s.run = [=](const TensorList& in) { return csr ? to_dense(to_sparse_csr(in[0])) : to_dense(to_sparse(in[0], dims)); };
  s.reference = [](const TensorList& in) { return in[0].to_vector<double>(); };
  s.gradient = false;  // finite differences make elements that are 0 appear
  return s;
}
ORDO_OP_SAMPLES(to_sparse) {
  return {to_sparse_sample("matrix", {4, 5}),        to_sparse_sample("vector", {9}),
          to_sparse_sample("three", {2, 3, 4}),      to_sparse_sample("hybrid", {5, 2}, 1),
          to_sparse_sample("empty", {0, 3}),         to_sparse_sample("no dense part", {3, 0}, 1),
          to_sparse_sample("rows", {6, 5}, {}, true)};
}
ORDO_OP_SIZES(to_sparse) {
  return {to_sparse_sample("rows", {n, 2}, {}, true), to_sparse_sample("columns", {2, n}),
          to_sparse_sample("dense part", {3, n}, 1)};
}

/// Rows of `per_row` items each, or, where there are fewer columns, of all.
SparseCsr test_rows(int64_t rows, int64_t columns, int64_t per_row, DType dtype) {
  std::vector<int64_t> crow{0}, col;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t here = r % 5 == 3 ? 0 : std::min(per_row, columns);
    for (int64_t i = 0; i < here; ++i) col.push_back(i * columns / here);
    crow.push_back(int64_t(col.size()));
  }
  return {from_vector(crow, {rows + 1}, dtype), from_vector(col, {int64_t(col.size())}, dtype), {}, {rows, columns}};
}

enum class Layout { csr, coo };

Sample mm_sample(const char* label, int64_t rows, int64_t columns, int64_t per_row, int64_t k, Layout layout,
                 DType dtype = int64) {
  Sample s;
  s.label = label;
  const SparseCsr csr = test_rows(rows, columns, per_row, dtype);
  // Coordinates in the opposite order.
  const Tensor coo = to_sparse(csr.with_values(zeros({csr.nnz()}))).indices.flip({1});
  s.inputs = {test_values({csr.nnz()}, 1), test_values({columns, k}, 2)};
  s.run = [=](const TensorList& in) {
    const Device device = in[0].defined() ? in[0].device() : cpu;
    if (layout == Layout::coo) return sparse_mm(SparseCoo{coo.to(device), in[0], csr.sizes}, in[1]);
    return sparse_mm(SparseCsr{csr.crow_indices.to(device), csr.col_indices.to(device), in[0], csr.sizes}, in[1]);
  };
  s.reference = [=](const TensorList& in) {
    const auto at = (layout == Layout::coo ? coo : coo.flip({1})).to_vector<int64_t>();
    const auto v = in[0].to_vector<double>(), x = in[1].to_vector<double>();
    std::vector<double> out(size_t(rows * k), 0.0);
    for (size_t i = 0; i < v.size(); ++i)
      for (int64_t j = 0; j < k; ++j) out[size_t(at[i] * k + j)] += v[i] * x[size_t(at[v.size() + i] * k + j)];
    return out;
  };
  s.gradient = csr.nnz() * k <= 60;
  s.tolerance = s.gradient ? 8 : 64;  // as embedding_bag, which this is
  return s;
}
ORDO_OP_SAMPLES(sparse_mm) {
  return {mm_sample("rows", 5, 6, 3, 2, Layout::csr),
          mm_sample("coordinates", 5, 6, 3, 2, Layout::coo),
          mm_sample("int32", 4, 4, 2, 3, Layout::csr, int32),
          mm_sample("no rows", 0, 4, 2, 3, Layout::csr),
          mm_sample("no columns", 3, 0, 2, 3, Layout::csr),
          mm_sample("no result columns", 3, 4, 2, 0, Layout::csr),
          mm_sample("one column", 40, 9, 6, 1, Layout::csr, int32),
          mm_sample("many items", 3, 300, 200, 2, Layout::csr),
          mm_sample("wide", 8, 9, 4, 40, Layout::coo)};
}
ORDO_OP_SIZES(sparse_mm) {
  return {mm_sample("rows", n, 5, 2, 3, Layout::csr), mm_sample("items", 2, n, n, 3, Layout::csr),
          mm_sample("columns of the result", 3, 4, 2, n, Layout::csr),
          mm_sample("coordinates", n, 5, 2, 1, Layout::coo)};
}

Tensor two_items(int64_t v, Device d) { return tensor<int64_t>({0, 1, 1, v}).view({2, 2}).to(d); }
SparseCoo two(int64_t v, Device d, const Dims& sizes = {2, 3}) { return {two_items(v, d), ones({2}, d), sizes}; }
SparseCsr two_rows(int64_t at, int64_t column, Device d, const Dims& sizes = {2, 3}) {
  return {tensor<int64_t>({0, at, 2}).to(d), tensor<int64_t>({0, column}).to(d), ones({2}, d), sizes};
}

ORDO_OP_INTEGER(to_dense, "indices", to_dense(two(v, d)));
ORDO_OP_INTEGER(to_dense, "size", to_dense(two(1, d, {2, v})));
ORDO_OP_INTEGER(to_dense, "crow_indices", to_dense(two_rows(v, 1, d)));
ORDO_OP_INTEGER(to_dense, "col_indices", to_dense(two_rows(1, v, d)));
ORDO_OP_INTEGER(coalesce, "indices", coalesce(two(v, d)).values);
ORDO_OP_INTEGER(coalesce, "size", coalesce(two(1, d, {v, v})).values);
ORDO_OP_INTEGER(sparse_coo_tensor, "indices", sparse_coo_tensor(two_items(v, d), ones({2}, d), {2, 3}).indices);
ORDO_OP_INTEGER(sparse_coo_tensor, "indices without a size", sparse_coo_tensor(two_items(v, d), ones({2}, d)).indices);
ORDO_OP_INTEGER(sparse_coo_tensor, "size", sparse_coo_tensor(two_items(1, d), ones({2}, d), {v, v}).indices);
Tensor made(const SparseCsr& s) {
  return sparse_csr_tensor(s.crow_indices, s.col_indices, s.values, s.sizes).col_indices;
}
ORDO_OP_INTEGER(sparse_csr_tensor, "crow_indices", made(two_rows(v, 1, d)));
ORDO_OP_INTEGER(sparse_csr_tensor, "col_indices", made(two_rows(1, v, d)));
ORDO_OP_INTEGER(sparse_csr_tensor, "size", made(two_rows(1, 1, d, {v, v})));
ORDO_OP_INTEGER(to_sparse, "sparse_dim", to_sparse(some(d), v).values);
ORDO_OP_INTEGER(to_sparse, "crow_indices", to_sparse(two_rows(v, 1, d)).indices);
ORDO_OP_INTEGER(to_sparse_csr, "indices", to_sparse_csr(two(v, d)).values);
ORDO_OP_INTEGER(to_sparse_csr, "size", to_sparse_csr(two(1, d, {v, 3})).crow_indices);
ORDO_OP_INTEGER(sparse_sum, "dims", sparse_sum(two(1, d), {v}).values);
ORDO_OP_INTEGER(sparse_sum, "indices", sparse_sum(two(v, d), {0}).values);
ORDO_OP_INTEGER(sparse_mm, "crow_indices", sparse_mm(two_rows(v, 1, d, {2, 2}), some(d)));
ORDO_OP_INTEGER(sparse_mm, "col_indices", sparse_mm(two_rows(1, v, d, {2, 2}), some(d)));
ORDO_OP_INTEGER(sparse_mm, "indices", sparse_mm(two(v, d, {2, 2}), some(d)));
ORDO_OP_INTEGER(sparse_mm, "size", sparse_mm(two(1, d, {v, 2}), some(d)));

TEST(Sparse, batches) {
  Tensor first;
  for (Device device : test_devices()) {
    const Tensor indices = tensor<int64_t>({1, 0, 1, 0, 0, 1, 1, 2, 2, 0}).view({2, 5}).to(device);
    const Tensor all = cat({tensor<int64_t>({0, 0, 1, 1, 1}).view({1, 5}).to(device), indices % 3}, 0);
    const Tensor values = test_values({5}, 1).to(device).set_requires_grad();
    const Tensor dense = test_values({2, 3, 4}, 2).to(device).set_requires_grad();
    const auto product = [&](const TensorList& in) { return bmm(sparse_coo_tensor(all, in[0], {2, 3, 3}), in[1]); };
    const Tensor out = product({values, dense});
    const Tensor want = bmm(to_dense(sparse_coo_tensor(all, values, {2, 3, 3})), dense);
    EXPECT_TRUE(out.allclose(want, 1e-12, 1e-12));
    const Tensor weights = test_values(out.sizes(), 3).to(device);
    const TensorList got = grad({(out * weights).sum()}, {values, dense});
    const TensorList expected = grad({(want * weights).sum()}, {values, dense});
    EXPECT_TRUE(got[0].allclose(expected[0], 1e-12, 1e-12));
    EXPECT_TRUE(got[1].allclose(expected[1], 1e-12, 1e-12));
    if (!first.defined()) first = out.detach();
    EXPECT_EQ(bytes_of(out), bytes_of(first));
  }
  const Tensor values = ones({1});
  EXPECT_ORDO_ERROR(bmm(SparseCoo{tensor<int64_t>({0, 2, 0}).view({3, 1}), values, {1, 2, 2}}, ones({1, 2, 2})),
                    IndexError, "[bmm] indices[1] = 2 is out of range for dimension 1 of size 2");
  EXPECT_ORDO_ERROR(bmm(SparseCoo{zeros({3, 1}, int64), values, {1, INT64_MAX, 2}}, ones({1, 2, 2})), ShapeError,
                    "bmm");
}

TEST(Sparse, coalesce_orders_and_adds_up) {
  for (Device device : test_devices()) {
    const Tensor values = tensor<double>({1, 2, 3, 4}).to(device).set_requires_grad();
    const SparseCoo s =
        sparse_coo_tensor(tensor<int64_t>({0, 1, 1, 0, 2, 0, 2, 2}).view({2, 4}).to(device), values, {2, 3});
    EXPECT_FALSE(s.is_coalesced());
    const SparseCoo c = coalesce(s);
    EXPECT_TRUE(c.is_coalesced());
    EXPECT_EQ(c.indices.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 1, 2, 0, 2}));
    EXPECT_EQ(c.values.to_vector<double>(), (std::vector<double>{5, 2, 3}));
    EXPECT_TRUE(coalesce(c).values.is_same(c.values));
    (c.values * tensor<double>({10, 20, 30}).to(device)).sum().backward();
    EXPECT_EQ(values.grad().to_vector<double>(), (std::vector<double>{10, 20, 30, 10}));
    const SparseCsr rows = to_sparse_csr(s);
    EXPECT_EQ(rows.crow_indices.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 3}));
    EXPECT_EQ(rows.col_indices.to_vector<int64_t>(), (std::vector<int64_t>{2, 0, 2}));
    EXPECT_EQ(to_sparse(rows).indices.to_vector<int64_t>(), c.indices.to_vector<int64_t>());
    const SparseCoo t = transpose(s, 0, -1);
    EXPECT_EQ(t.sizes, (Dims{3, 2}));
    EXPECT_EQ(to_dense(t).to_vector<double>(), (std::vector<double>{0, 2, 0, 0, 5, 3}));
    EXPECT_EQ(to_dense(s.with_values(s.values.square())).to_vector<double>(), (std::vector<double>{0, 0, 17, 4, 0, 9}));
    EXPECT_EQ(sparse_coo_tensor(s.indices, s.values).sizes, (Dims{2, 3}));
  }
}

TEST(Sparse, elements_that_are_not_0) {
  for (Device device : test_devices()) {
    const Tensor dense = tensor<double>({0, 1, 0, NAN, 0, -0.0}).view({2, 3}).to(device).set_requires_grad();
    const SparseCoo s = to_sparse(dense);
    EXPECT_EQ(s.indices.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 1, 0}));
    s.values.sum().backward();
    EXPECT_EQ(dense.grad().to_vector<double>(), (std::vector<double>{0, 1, 0, 1, 0, 0}));
    EXPECT_EQ(to_sparse(dense, 1).values.sizes(), (Dims{2, 3}));
    EXPECT_EQ(to_sparse_csr(dense).crow_indices.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2}));
  }
}

TEST(Sparse, a_product_leaves_out_what_is_not_stored) {
  const SparseCsr s = sparse_csr_tensor(tensor<int64_t>({0, 1, 1}), tensor<int64_t>({1}), tensor<double>({2}), {2, 2});
  EXPECT_EQ(sparse_mm(s, tensor<double>({INFINITY, 3}).view({2, 1})).to_vector<double>(), (std::vector<double>{6, 0}));
}

TEST(Sparse, a_plan_of_the_columns_changes_no_bits) {
  for (Device device : test_devices()) {
    const DeterminismGuard guard(Determinism::device_to_device);
    SparseCsr s = to_sparse_csr(half_empty({70, 9}, 5).to(device));
    const Tensor dense = test_values({9, 4}, 6).to(device).set_requires_grad();
    const Tensor weights = test_mixed_values({70, 4}, 7).to(device);
    const auto gradient = [&] { return bytes_of(grad({sparse_mm(s, dense)}, {dense}, {weights})[0]); };
    const auto want = gradient();
    s.plan = IndexPlan(s.col_indices, 9);
    EXPECT_EQ(gradient(), want);
    s.plan = IndexPlan(s.col_indices, 10);
    EXPECT_ORDO_ERROR(sparse_mm(s, dense), ShapeError, "the plan is for");
  }
}

TEST(Sparse, refuses) {
  const Tensor indices = tensor<int64_t>({0, 1, 1, 2}).view({2, 2}), values = ones({2});
  EXPECT_ORDO_ERROR(sparse_coo_tensor(indices, values, {2, 2}), IndexError, "sparse_coo_tensor");
  EXPECT_ORDO_ERROR(sparse_coo_tensor(-indices, values, {2, 3}), IndexError, "sparse_coo_tensor");
  EXPECT_ORDO_ERROR(sparse_coo_tensor(-indices, values), IndexError, "sparse_coo_tensor");
  EXPECT_ORDO_ERROR(sparse_coo_tensor(indices, ones({3}), {2, 3}), ShapeError, "2 items in the indices");
  EXPECT_ORDO_ERROR(sparse_coo_tensor(indices, ones({2, 4}), {2, 3}), ShapeError, "sparse sizes and the dense ones");
  EXPECT_ORDO_ERROR(sparse_coo_tensor(indices.select(0, 0), values, {2}), ShapeError, "[sparse dimensions, items]");
  EXPECT_ORDO_ERROR(sparse_coo_tensor(indices.to(float32), values, {2, 3}), DTypeError, "sparse_coo_tensor");
  EXPECT_ORDO_ERROR(sparse_coo_tensor(Tensor(), values, {2, 3}), ValueError, "indices");
  EXPECT_ORDO_ERROR(sparse_coo_tensor(zeros({2, 0}, int64), ones({0})), ShapeError, "needs a size");
  const auto csr = [](const Tensor& crow, const Tensor& col) {
    return sparse_csr_tensor(crow, col, ones({2}), {2, 3});
  };
  const Tensor crow = tensor<int64_t>({0, 1, 2}), col = tensor<int64_t>({0, 1});
  EXPECT_ORDO_ERROR(csr(tensor<int64_t>({0, 2, 1}), col), IndexError, "crow_indices");
  EXPECT_ORDO_ERROR(csr(tensor<int64_t>({1, 1, 2}), col), IndexError, "crow_indices");
  EXPECT_ORDO_ERROR(csr(tensor<int64_t>({0, 1, 1}), col), IndexError, "crow_indices");
  EXPECT_ORDO_ERROR(csr(crow, tensor<int64_t>({0, 3})), IndexError, "col_indices");
  EXPECT_ORDO_ERROR(csr(tensor<int64_t>({0, 2, 2}), tensor<int64_t>({1, 0})), IndexError, "ascending in each row");
  EXPECT_ORDO_ERROR(csr(tensor<int64_t>({0, 2, 2}), tensor<int64_t>({1, 1})), IndexError, "ascending in each row");
  EXPECT_ORDO_ERROR(csr(tensor<int64_t>({0, 2}), col), ShapeError, "one element more than there are rows");
  EXPECT_ORDO_ERROR(csr(crow, col.to(int32)), DTypeError, "sparse_csr_tensor");
  EXPECT_ORDO_ERROR(csr(crow, zeros({3}, int64)), ShapeError, "equally many");
  EXPECT_ORDO_ERROR(sparse_csr_tensor(tensor<int64_t>({0}), col, values, {0, 3}), ShapeError, "without rows");
  const SparseCoo s = sparse_coo_tensor(indices, values, {2, 3});
  EXPECT_ORDO_ERROR(bmm(s, ones({3, 2})), ShapeError, "batches");
  EXPECT_ORDO_ERROR(to_sparse_csr(sparse_coo_tensor(indices, ones({2, 4}), {2, 3, 4})), ShapeError, "dense dimensions");
  EXPECT_ORDO_ERROR(sparse_sum(s, {0, 1}), ShapeError, "must stay");
  EXPECT_ORDO_ERROR(sparse_sum(s, {0, 0}), ValueError, "named twice");
  EXPECT_ORDO_ERROR(transpose(sparse_coo_tensor(indices, ones({2, 4}), {2, 3, 4}), 0, 2), ShapeError, "sparse ones");
}

}  // namespace
}  // namespace ordo::test::sparse_samples_test
