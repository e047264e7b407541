// Sparse tensors: those of their elements that are stored, and where they stand.
//
// Plain structs of tensors. Values are tensors like all others, so whatever is computed of each stored element is
// `s.with_values(relu(s.values))`, and gradients arrive at the values.
//
// Operations check the structs they are given, and throw "as the struct": ShapeError when sizes do not fit together;
// DTypeError when indices are neither int32 nor int64; DeviceError when tensors are on different devices; ValueError
// for an undefined one. IndexError for indices out of range; on CUDA it is thrown at the next synchronising call.
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

/// Coordinates of `values`. Without a size it is the smallest that holds all indices, and the call waits for the
/// device. `is_coalesced` promises what SparseCoo::coalesced says; it is not looked at.
///
/// Shapes: indices [sparse_dim, nnz], at least one sparse dimension; values [nnz, dense sizes...]; size: the sparse
/// sizes, then the dense ones.
/// Dtypes: indices int32 or int64, kept as int64; values of any.
/// Throws: as the struct; IndexError when an index is not in [0, size); ShapeError when there is neither size nor item.
/// Determinism: the same bits on every device at every level; nothing is added.
/// Gradient: that of the values.
/// PyTorch: torch.sparse_coo_tensor, which checks indices only when asked to.
SparseCoo sparse_coo_tensor(const Tensor& indices, const Tensor& values, const Dims& size, bool is_coalesced = false);
SparseCoo sparse_coo_tensor(const Tensor& indices, const Tensor& values);

/// Compressed rows of `values`.
///
/// Shapes: crow_indices [rows + 1], col_indices and values [nnz]; size [rows, columns].
/// Dtypes: both indices int32, or both int64; values of any.
/// Throws: as the struct; IndexError when contents are not what SparseCsr says.
/// Determinism, Gradient: as sparse_coo_tensor.
/// PyTorch: torch.sparse_csr_tensor with check_invariants=True.
SparseCsr sparse_csr_tensor(const Tensor& crow_indices, const Tensor& col_indices, const Tensor& values,
                            const Dims& size);

/// This tensor with its coordinates in row-major order and the values of equal ones added up; itself where it is
/// coalesced already. The number of items depends on the values, so on CUDA the call waits for the device.
///
/// Shapes: any.
/// Dtypes: any but bool.
/// Throws: as the struct; DTypeError when values are bool; IndexError when an index is out of range.
/// Determinism: values add as by index_add, in the order of the items: `sorted` (ordering rule 1) or `exact` (rule 5)
/// at the deterministic levels, `atomic` at not_guaranteed.
/// Gradient: of a value, that of the sum it is in.
/// PyTorch: Tensor.coalesce.
SparseCoo coalesce(const SparseCoo& s);

/// All elements, 0 where none is stored; values of equal coordinates add up.
///
/// Shapes, Dtypes, Throws, Determinism: as coalesce.
/// Gradient: of a value, the gradient where it stands.
/// PyTorch: Tensor.to_dense.
Tensor to_dense(const SparseCoo& s);
Tensor to_dense(const SparseCsr& s);

/// The elements of a dense tensor that are not 0 (a NaN is not), coalesced. With sparse_dim, the parts that follow the
/// first sparse_dim dimensions and hold a number that is not 0. Waits for the device.
///
/// Shapes: at least one dimension.
/// Dtypes: any but bool.
/// Throws: DTypeError when the tensor is bool; ShapeError when it is 0-d; ValueError unless sparse_dim is from 1 to
/// dense.dim().
/// Determinism: as sparse_coo_tensor.
/// Gradient: that of the values, 0 elsewhere.
/// PyTorch: Tensor.to_sparse.
SparseCoo to_sparse(const Tensor& dense, std::optional<int64_t> sparse_dim = {});
/// Compressed rows as coordinates, coalesced; their values are the same tensor.
SparseCoo to_sparse(const SparseCsr& s);
/// Compressed rows of a matrix. Coordinates are coalesced first.
///
/// Shapes: two dimensions, of coordinates two sparse ones and no dense one.
/// Dtypes: any but bool.
/// Throws: as coalesce and to_sparse; ShapeError also when the tensor is no such matrix.
/// Determinism, Gradient: as coalesce and to_sparse.
/// PyTorch: Tensor.to_sparse_csr.
SparseCsr to_sparse_csr(const Tensor& dense);
SparseCsr to_sparse_csr(const SparseCoo& s);

/// The product of a sparse matrix and a dense one. What is not stored takes no part: 0 * inf is left out. Coordinates
/// are coalesced and compressed first.
///
/// Shapes: [m, n] and [n, k] -> [m, k].
/// Dtypes: floating, one for both.
/// Throws: as the struct; DTypeError when dtypes differ or are not floating; ShapeError when inner sizes differ, or the
/// plan is for other columns; IndexError when an index is out of range.
/// Determinism: elements of a row of the result add the products in the order of the row's items, each rounded, by
/// ordering rule 1, half types in float: the same bits at every level. The gradient of the dense matrix is added in the
/// order of the items at the deterministic levels (`sorted`), in that of arrival at
/// not_guaranteed (`atomic`).
/// Gradient: of a value, the products of a row of grad and one of the dense matrix, added over the columns by rule 1;
/// of row j of the dense matrix, the rows of grad times the items of column j.
/// PyTorch: torch.sparse.mm.
Tensor sparse_mm(const SparseCsr& sparse, const Tensor& dense);
Tensor sparse_mm(const SparseCoo& sparse, const Tensor& dense);
/// sparse_mm of each matrix of a batch.
///
/// Shapes: [b, m, n] and [b, n, k] -> [b, m, k].
/// Dtypes, Throws, Determinism, Gradient: as sparse_mm.
/// PyTorch: torch.bmm.
Tensor bmm(const SparseCoo& sparse, const Tensor& dense);

/// Two sparse dimensions exchanged; negative ones count from the last of all dimensions. The result is not coalesced.
///
/// Shapes, Dtypes: any.
/// Throws: as the struct; IndexError when there is no such dimension; ShapeError when it is a dense one.
/// Determinism, Gradient: as sparse_coo_tensor.
/// PyTorch: Tensor.transpose.
SparseCoo transpose(const SparseCoo& s, int64_t dim0, int64_t dim1);

/// The sum of all values; or over `dims`, of which one sparse dimension at least stays, coalesced.
///
/// Shapes: any -> 0-d; or s without `dims`.
/// Dtypes: any but bool; of integers, the sum of all values and sums over dense dimensions are int64.
/// Throws: as coalesce; IndexError when there is no dimension of `dims`; ValueError when it is named twice; ShapeError
/// when no sparse dimension stays.
/// Determinism: all values, and dense dimensions, by ordering rule 2; sparse dimensions as coalesce.
/// Gradient: of a value, that of the sum it is in.
/// PyTorch: torch.sparse.sum.
Tensor sparse_sum(const SparseCoo& s);
SparseCoo sparse_sum(const SparseCoo& s, const Dims& dims);

/// Both are arguments of an OpCall.
void report(detail::OpArguments& call, const SparseCoo& s);
void report(detail::OpArguments& call, const SparseCsr& s);

}  // namespace ordo
