// Sparse tensors: those of their elements that are stored, and where they stand.
//
// Plain structs of tensors. Values are tensors like all others, so whatever is computed of each stored element is
// `s.with_values(relu(s.values))`, and gradients arrive at the values.
#pragma once

#include <optional>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/index_plan.h>

namespace ordo {

namespace detail {
struct OpArguments;
}

/// Coordinates: item i stands at (indices[0][i], indices[1][i], ...) of the first sparse_dim() dimensions. It is a
/// value or, in a hybrid tensor, a dense part. Items of equal coordinates add up.
struct SparseCoo {
  Tensor indices;          ///< int64 [sparse_dim, nnz]
  Tensor values;           ///< [nnz, sizes of the dense dimensions...]
  Dims sizes;              ///< of the whole tensor
  bool coalesced = false;  ///< coordinates ascend in row-major order, each different

  int sparse_dim() const { return int(indices.size(0)); }
  int dense_dim() const { return values.dim() - 1; }
  int64_t nnz() const { return indices.size(1); }
  bool is_coalesced() const { return coalesced; }
  SparseCoo with_values(const Tensor& v) const { return {indices, v, sizes, coalesced}; }
};

/// Compressed rows of a matrix: those of row r are the items crow_indices[r] to crow_indices[r + 1] (which is left
/// out).
struct SparseCsr {
  Tensor crow_indices;  ///< int64 or int32 [rows + 1]: from 0 to nnz, not descending
  Tensor col_indices;   ///< of the same dtype [nnz], ascending in each row
  Tensor values;        ///< [nnz]
  Dims sizes;           ///< [rows, columns]
  /// Where given, IndexPlan(col_indices, columns): the gradient of a product's dense matrix need not sort, and adds by
  /// `sorted` at every level. It then says which columns a product takes.
  std::optional<IndexPlan> plan = {};

  int64_t nnz() const { return col_indices.numel(); }
  SparseCsr with_values(const Tensor& v) const { return {crow_indices, col_indices, v, sizes, plan}; }
};

/// indices: int32 or int64 [sparse_dim, nnz], at least one sparse dimension; values: [nnz, dense sizes...]; size: the
/// sparse sizes, then the dense ones (ShapeError). Entries in [0, size), else IndexError. Without a size it is the
/// smallest that holds them, and the call waits for the device. `is_coalesced` promises what SparseCoo::coalesced says;
/// it is not looked at. As torch.sparse_coo_tensor, which checks indices only when asked to.
SparseCoo sparse_coo_tensor(const Tensor& indices, const Tensor& values, const Dims& size, bool is_coalesced = false);
SparseCoo sparse_coo_tensor(const Tensor& indices, const Tensor& values);

/// Index tensors are int32 or int64, both alike (DTypeError); crow_indices of rows + 1 elements, values and col_indices
/// of equally many (ShapeError). What SparseCsr says of their contents is checked: IndexError. As
/// torch.sparse_csr_tensor with check_invariants=True.
SparseCsr sparse_csr_tensor(const Tensor& crow_indices, const Tensor& col_indices, const Tensor& values,
                            const Dims& size);

/// The same tensor with its coordinates in row-major order and the values of equal ones added up; itself where it is
/// coalesced already. The number of items depends on the values, so on CUDA the call waits for the device. All dtypes
/// but bool. Values add as by index_add, items in their order. The gradient of a value is that of the sum it is in. As
/// Tensor.coalesce.
SparseCoo coalesce(const SparseCoo& s);

/// All elements, 0 where none is stored; values of equal coordinates add up as by index_add. All dtypes but bool. The
/// gradient of the values is the gradient where they stand. As Tensor.to_dense.
Tensor to_dense(const SparseCoo& s);
Tensor to_dense(const SparseCsr& s);

/// The elements of a dense tensor that are not 0 (a NaN is not), coalesced. With sparse_dim, from 1 to dense.dim()
/// (ValueError), the parts that follow these dimensions and hold a number that is not 0. Any dtype but bool; at least
/// 1-d (ShapeError). Waits for the device. The gradient is that of the values, 0 elsewhere. As Tensor.to_sparse.
SparseCoo to_sparse(const Tensor& dense, std::optional<int64_t> sparse_dim = {});
/// Compressed rows as coordinates, coalesced; their values are the same tensor. As Tensor.to_sparse.
SparseCoo to_sparse(const SparseCsr& s);
/// Of a matrix (ShapeError), as Tensor.to_sparse_csr. Coordinates are coalesced first; no dense dimensions.
SparseCsr to_sparse_csr(const Tensor& dense);
SparseCsr to_sparse_csr(const SparseCoo& s);

/// The product of a sparse matrix [m, n] and a dense one [n, k]: [m, k], as torch.sparse.mm. Floating, both of one
/// dtype (DTypeError); inner sizes agree (ShapeError). Coordinates are coalesced and compressed first.
///
/// Elements of a row of the result add the products in the order of the row's items, each rounded, by ordering rule 1
/// (docs/ordering.md): the same bits at every level. What is not stored takes no part: 0 * inf is left out. Half types
/// add in float. Gradients: of the values, the products of a row of the gradient and one of the dense matrix, added
/// over the columns by rule 1; of the dense matrix, row j adds the rows of the gradient times the items of column j, in
/// the order of the items at the deterministic levels (`sorted`; `exact` for one column), in that of arrival at
/// not_guaranteed (`atomic`).
Tensor sparse_mm(const SparseCsr& sparse, const Tensor& dense);
Tensor sparse_mm(const SparseCoo& sparse, const Tensor& dense);
/// The same for each matrix of a batch: sparse [b, m, n], dense [b, n, k]. As torch.bmm.
Tensor bmm(const SparseCoo& sparse, const Tensor& dense);

/// With two sparse dimensions exchanged; negative ones count from the last of all dimensions (ShapeError for a dense
/// one). Not coalesced. As Tensor.transpose.
SparseCoo transpose(const SparseCoo& s, int64_t dim0, int64_t dim1);

/// The sum of all values, 0-d. All dtypes but bool. As torch.sparse.sum.
Tensor sparse_sum(const SparseCoo& s);
/// Over some dimensions, of which at least one sparse one stays (ShapeError): coalesced, adding as by index_add.
SparseCoo sparse_sum(const SparseCoo& s, const Dims& dims);

/// Both are arguments of an OpCall.
void report(detail::OpArguments& call, const SparseCoo& s);
void report(detail::OpArguments& call, const SparseCsr& s);

}  // namespace ordo
