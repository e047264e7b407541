#include <ordo/autograd/ops/linalg/sparse.h>

#include <utility>
#include <vector>

#include <ordo/autograd/ops/functional/embedding.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/kernels/indexing/take.h>
#include <ordo/kernels/sparse/sparse.h>

namespace ordo {

void report(detail::OpArguments& call, const SparseCoo& s) {
  call.add(s.indices);
  call.add(s.values);
  call.add(s.sizes);
}

void report(detail::OpArguments& call, const SparseCsr& s) {
  call.add(s.crow_indices);
  call.add(s.col_indices);
  call.add(s.values);
  call.add(s.sizes);
}

static SparseCoo done(const OpCall& call, SparseCoo s) {
  call.done(TensorList{s.indices, s.values});
  return s;
}
static SparseCsr done(const OpCall& call, SparseCsr s) {
  call.done(TensorList{s.crow_indices, s.col_indices, s.values});
  return s;
}

/// Anyone may have made the struct.
static void check(const char* op, const SparseCoo& s) {
  detail::expect_pair(op, s.indices, "indices", s.values, "values");
  detail::expect_index_dtype(op, s.indices);
  ORDO_CHECK(s.indices.dim() == 2 && s.indices.sizes()[0] > 0, ShapeError, op,
             "indices must have sizes [sparse dimensions, items], at least one dimension, not {}", s.indices.sizes());
  ORDO_CHECK(s.values.dim() > 0 && s.values.sizes()[0] == s.nnz(), ShapeError, op,
             "there are {} items in the indices, but values have sizes {}", s.nnz(), s.values.sizes());
  bool fits = s.sizes.size() == s.indices.sizes()[0] + s.dense_dim();
  for (int d = 0; fits && d < s.dense_dim(); ++d) fits = s.sizes[s.sparse_dim() + d] == s.values.sizes()[d + 1];
  ORDO_CHECK(fits, ShapeError, op,
             "size {} must be {} sparse sizes and the dense ones, those of values {} but the first", s.sizes,
             s.indices.sizes()[0], s.values.sizes());
  int64_t places = 1;
  for (int d = 0; d < s.sparse_dim(); ++d) {
    ORDO_CHECK(s.sizes[d] >= 0, ShapeError, op, "size {} must not be negative", s.sizes);
    places = checked::mul(op, places, s.sizes[d]);
  }
}

static void check(const char* op, const SparseCsr& s) {
  detail::expect_defined(op, s.crow_indices, "crow_indices", s.col_indices, "col_indices");
  detail::expect_defined(op, s.values, "values");
  detail::expect_same_device(op, s.crow_indices, s.col_indices);
  detail::expect_same_device(op, s.crow_indices, s.values);
  detail::expect_index_dtype(op, s.crow_indices);
  detail::expect_same_dtype(op, s.crow_indices, s.col_indices);
  ORDO_CHECK(s.sizes.size() == 2 && s.sizes[0] >= 0 && s.sizes[1] >= 0, ShapeError, op,
             "size must be [rows, columns], not {}", s.sizes);
  ORDO_CHECK(s.crow_indices.dim() == 1 && s.crow_indices.numel() - 1 == s.sizes[0], ShapeError, op,
             "crow_indices of a matrix of size {} must have one element more than there are rows, not sizes {}",
             s.sizes, s.crow_indices.sizes());
  ORDO_CHECK(s.col_indices.dim() == 1 && s.values.sizes() == s.col_indices.sizes(), ShapeError, op,
             "col_indices and values must be 1-d and equally many, but their sizes are {} and {}",
             s.col_indices.sizes(), s.values.sizes());
  ORDO_CHECK(s.sizes[0] > 0 || s.nnz() == 0, ShapeError, op, "a matrix without rows has no items, but there are {}",
             s.nnz());
}

static Dims sparse_sizes(const SparseCoo& s) { return Dims(s.sizes.begin(), s.sparse_dim()); }

/// Where each item stands when the sparse dimensions are seen as one.
static Tensor places_of(const char* op, const SparseCoo& s) {
  return kernels::places_of(op, kernels::contiguous(s.indices), sparse_sizes(s));
}

/// [n, dense sizes...]
static Dims dense_rows(const SparseCoo& s, int64_t n) {
  Dims sizes = s.values.sizes();
  sizes[0] = n;
  return sizes;
}

static Tensor coordinates(const Tensor& places, const Dims& sizes) {
  return kernels::contiguous(views::transpose(kernels::coordinates(places, sizes), 0, 1));
}

static void check_factors(const char* op, const Tensor& values, const Dims& sizes, const Tensor& dense, int dims) {
  detail::expect_defined(op, dense, "dense");
  detail::expect_same_device(op, values, dense);
  detail::expect_floating(op, dense);
  detail::expect_same_dtype(op, values, dense);
  bool fits =
      sizes.size() == dims && dense.dim() == dims && values.dim() == 1 && sizes[dims - 1] == dense.sizes()[dims - 2];
  if (fits && dims == 3) fits = sizes[0] == dense.sizes()[0];
  ORDO_CHECK(fits, ShapeError, op, "takes {}, not sizes {} and {}",
             dims == 2 ? "matrices of sizes [m, n] and [n, k]" : "batches of sizes [b, m, n] and [b, n, k]", sizes,
             dense.sizes());
}

SparseCoo sparse_coo_tensor(const Tensor& indices, const Tensor& values, const Dims& size, bool is_coalesced) {
  const OpCall call("sparse_coo_tensor", indices, values, size, is_coalesced);
  SparseCoo s{indices, values, size, is_coalesced};
  check("sparse_coo_tensor", s);
  s.indices = indices.detach().to(int64).contiguous();
  kernels::check_coordinates("sparse_coo_tensor", s.indices, sparse_sizes(s));
  return done(call, std::move(s));
}

SparseCoo sparse_coo_tensor(const Tensor& indices, const Tensor& values) {
  const OpCall call("sparse_coo_tensor", indices, values);
  detail::expect_defined("sparse_coo_tensor", indices, "indices", values, "values");
  ORDO_CHECK(indices.dim() == 2 && indices.numel() > 0 && values.dim() > 0, ShapeError, "sparse_coo_tensor",
             "needs a size where indices, of sizes {}, hold no item", indices.sizes());
  detail::expect_index_dtype("sparse_coo_tensor", indices);
  Dims size;
  for (int64_t last : amax(indices.detach(), 1).to_vector<int64_t>())
    size.push_back(checked::add("sparse_coo_tensor", last < -1 ? -1 : last, 1));
  for (int d = 1; d < values.dim(); ++d) size.push_back(values.sizes()[d]);
  return done(call, sparse_coo_tensor(indices, values, size));
}

SparseCsr sparse_csr_tensor(const Tensor& crow_indices, const Tensor& col_indices, const Tensor& values,
                            const Dims& size) {
  const OpCall call("sparse_csr_tensor", crow_indices, col_indices, values, size);
  SparseCsr s{crow_indices, col_indices, values, size};
  check("sparse_csr_tensor", s);
  s.crow_indices = crow_indices.detach().contiguous();
  s.col_indices = col_indices.detach().contiguous();
  kernels::check_rows("sparse_csr_tensor", s.crow_indices, s.col_indices, size[1]);
  return done(call, std::move(s));
}

SparseCoo coalesce(const SparseCoo& s) {
  const OpCall call("coalesce", s);
  check("coalesce", s);
  detail::expect_not_bool("coalesce", s.values.dtype());
  if (s.coalesced) return done(call, s);
  const UniqueResult found = unique(places_of("coalesce", s), true);
  const Tensor none = zeros(dense_rows(s, found.output.numel()), s.values.options());
  return done(call,
              {coordinates(found.output, sparse_sizes(s)), index_add(none, 0, found.inverse, s.values), s.sizes, true});
}

Tensor to_dense(const SparseCoo& s) {
  const OpCall call("to_dense", s);
  check("to_dense", s);
  const Tensor none = zeros(dense_rows(s, sparse_sizes(s).product()), s.values.options());
  return call.done(index_add(none, 0, places_of("to_dense", s), s.values).reshape(s.sizes));
}

Tensor to_dense(const SparseCsr& s) {
  const OpCall call("to_dense", s);
  return call.done(to_dense(to_sparse(s)));
}

SparseCoo to_sparse(const Tensor& dense, std::optional<int64_t> sparse_dim) {
  const OpCall call("to_sparse", dense, sparse_dim);
  detail::expect_defined("to_sparse", dense, "dense");
  detail::expect_not_bool("to_sparse", dense.dtype());
  ORDO_CHECK(dense.dim() > 0, ShapeError, "to_sparse", "takes a tensor of at least one dimension");
  const int64_t dims = sparse_dim.value_or(dense.dim());
  ORDO_CHECK(dims >= 1 && dims <= dense.dim(), ValueError, "to_sparse",
             "sparse_dim = {} must be from 1 to {}, the dimensions of the tensor", dims, dense.dim());
  const Dims sparse(dense.sizes().begin(), dims);
  Dims rows{sparse.product()}, flat{sparse.product(), 1};
  for (int d = int(dims); d < dense.dim(); ++d) rows.push_back(dense.sizes()[d]), flat[1] *= dense.sizes()[d];
  Tensor mask = ne(dense.detach(), 0);
  if (dims < dense.dim()) mask = any(mask.reshape(flat), 1);
  const Tensor places = kernels::nonzero_places("to_sparse", mask);
  return done(call, {coordinates(places, sparse), index_select(dense.reshape(rows), 0, places), dense.sizes(), true});
}

SparseCoo to_sparse(const SparseCsr& s) {
  const OpCall call("to_sparse", s);
  check("to_sparse", s);
  kernels::check_rows("to_sparse", kernels::contiguous(s.crow_indices), kernels::contiguous(s.col_indices), s.sizes[1]);
  const Tensor items = arange(0, s.nnz(), 1, s.crow_indices.options());
  const Tensor rows = searchsorted(s.crow_indices, items, false, true) - 1;
  return done(call, {stack({rows, s.col_indices.to(int64)}), s.values, s.sizes, true});
}

SparseCsr to_sparse_csr(const SparseCoo& s) {
  const OpCall call("to_sparse_csr", s);
  check("to_sparse_csr", s);
  ORDO_CHECK(s.sparse_dim() == 2 && s.dense_dim() == 0, ShapeError, "to_sparse_csr",
             "takes a matrix without dense dimensions, not size {} with {} dense ones", s.sizes, s.dense_dim());
  const SparseCoo sorted = coalesce(s);
  const Tensor indices = sorted.indices.to(int64);
  const Tensor bounds = arange(0, checked::add("to_sparse_csr", s.sizes[0], 1), 1, indices.options());
  return done(call, {searchsorted(indices.select(0, 0).contiguous(), bounds), indices.select(0, 1).contiguous(),
                     sorted.values, s.sizes});
}

SparseCsr to_sparse_csr(const Tensor& dense) {
  const OpCall call("to_sparse_csr", dense);
  detail::expect_defined("to_sparse_csr", dense, "dense");
  ORDO_CHECK(dense.dim() == 2, ShapeError, "to_sparse_csr", "takes a matrix, not sizes {}", dense.sizes());
  return done(call, to_sparse_csr(to_sparse(dense)));
}

Tensor sparse_mm(const SparseCsr& sparse, const Tensor& dense) {
  const OpCall call("sparse_mm", sparse, dense);
  check("sparse_mm", sparse);
  check_factors("sparse_mm", sparse.values, sparse.sizes, dense, 2);
  // Row r of the product is a bag: the rows of `dense` that the columns of the items name, times their values.
  const auto product = [&](const auto& columns) {
    return call.done(embedding_bag(columns, dense,
                                   {.offsets = sparse.crow_indices,
                                    .mode = EmbeddingBagMode::sum,
                                    .per_sample_weights = sparse.values,
                                    .include_last_offset = true}));
  };
  if (!sparse.plan) return product(sparse.col_indices);
  ORDO_CHECK(sparse.plan->size() == sparse.sizes[1] && sparse.plan->index().sizes() == sparse.col_indices.sizes(),
             ShapeError, "sparse_mm", "the plan is for {} of {} columns, but the matrix of size {} has {} items",
             sparse.plan->index().sizes(), sparse.plan->size(), sparse.sizes, sparse.nnz());
  return product(*sparse.plan);
}

Tensor sparse_mm(const SparseCoo& sparse, const Tensor& dense) {
  const OpCall call("sparse_mm", sparse, dense);
  check("sparse_mm", sparse);
  check_factors("sparse_mm", sparse.values, sparse.sizes, dense, 2);
  return call.done(sparse_mm(to_sparse_csr(sparse), dense));
}

Tensor bmm(const SparseCoo& sparse, const Tensor& dense) {
  const OpCall call("bmm", sparse, dense);
  check("bmm", sparse);
  check_factors("bmm", sparse.values, sparse.sizes, dense, 3);
  // The batch is one matrix with the others as its blocks.
  const int64_t b = sparse.sizes[0], m = sparse.sizes[1], n = sparse.sizes[2], k = dense.size(2);
  kernels::check_coordinates("bmm", kernels::contiguous(sparse.indices), sparse.sizes);
  const Tensor indices = sparse.indices.to(int64), batch = indices.select(0, 0);
  const Tensor blocks = stack({batch * m + indices.select(0, 1), batch * n + indices.select(0, 2)});
  const SparseCoo matrix{
      blocks, sparse.values, {checked::mul("bmm", b, m), checked::mul("bmm", b, n)}, sparse.coalesced};
  return call.done(sparse_mm(matrix, dense.reshape({b * n, k})).reshape({b, m, k}));
}

SparseCoo transpose(const SparseCoo& s, int64_t dim0, int64_t dim1) {
  const OpCall call("transpose", s, dim0, dim1);
  check("transpose", s);
  const int a = wrap_dim("transpose", dim0, s.sizes.size()), b = wrap_dim("transpose", dim1, s.sizes.size());
  ORDO_CHECK(a < s.sparse_dim() && b < s.sparse_dim(), ShapeError, "transpose",
             "dimensions {} and {} must be among the {} sparse ones", dim0, dim1, s.sparse_dim());
  if (a == b) return done(call, s);
  TensorList rows;
  for (int d = 0; d < s.sparse_dim(); ++d) rows.push_back(s.indices.select(0, d == a ? b : d == b ? a : d));
  SparseCoo out{stack(rows), s.values, s.sizes, false};
  std::swap(out.sizes[a], out.sizes[b]);
  return done(call, std::move(out));
}

Tensor sparse_sum(const SparseCoo& s) {
  const OpCall call("sparse_sum", s);
  check("sparse_sum", s);
  detail::expect_not_bool("sparse_sum", s.values.dtype());
  return call.done(sum(s.values));
}

SparseCoo sparse_sum(const SparseCoo& s, const Dims& dims) {
  const OpCall call("sparse_sum", s, dims);
  check("sparse_sum", s);
  detail::expect_not_bool("sparse_sum", s.values.dtype());
  std::vector<bool> summed(size_t(s.sizes.size()), false);
  for (int64_t d : dims) {
    const auto at = size_t(wrap_dim("sparse_sum", d, s.sizes.size()));
    ORDO_CHECK(!summed[at], ValueError, "sparse_sum", "dimension {} is named twice", d);
    summed[at] = true;
  }
  SparseCoo out{{}, s.values, {}, false};
  TensorList rows;
  Dims dense;
  for (int d = 0; d < s.sizes.size(); ++d) {
    if (!summed[size_t(d)]) out.sizes.push_back(s.sizes[d]);
    if (d >= s.sparse_dim() && summed[size_t(d)]) dense.push_back(d - s.sparse_dim() + 1);
    if (d < s.sparse_dim() && !summed[size_t(d)]) rows.push_back(s.indices.select(0, d));
  }
  ORDO_CHECK(!rows.empty(), ShapeError, "sparse_sum",
             "one of the {} sparse dimensions must stay; without dimensions it adds up all values", s.sparse_dim());
  out.indices = stack(rows);
  if (!dense.empty()) out.values = sum(s.values, dense);
  return done(call, coalesce(out));
}

}  // namespace ordo
