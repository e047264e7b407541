// Writing elements and slices at indices.
#pragma once

#include <optional>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// A copy of input with elements of src written where index says; for dim = 1 of three:
/// out[i][index[i][j][k]][k] = src[i][j][k]. As torch.scatter; in place: Tensor::scatter_.
///
/// index: int32 or int64, entries in [0, input.size(dim)), else IndexError; negative entries do not count from the end.
/// input, index and src have as many dimensions (0-d counts as 1-d); index is nowhere larger than src, nor than input
/// but along `dim` (ShapeError); elements of src beyond index take no part. src has input's dtype (DTypeError), any.
///
/// Of several elements for one place the last one stays, in row-major order of index: at every level, with the same
/// bits on every device. Gradients: of input, the gradient with 0 where something was written; of src, the gradient at
/// the elements that stayed, 0 for the others (torch leaves open who stays).
Tensor scatter(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src);
/// The same number everywhere. It must fit the dtype (ValueError; DTypeError for a floating number and integers).
Tensor scatter(const Tensor& input, int64_t dim, const Tensor& index, Scalar value);

/// A copy of input with the slices of source written where index says; for dim = 0 of two:
/// out[index[i]][j] = source[i][j]. As torch.index_copy; in place: Tensor::index_copy_.
///
/// index: int32 or int64, 0-d or 1-d, entries in [0, input.size(dim)), else IndexError. source: the sizes and dtype of
/// input, but index.numel() slices along `dim` (ShapeError, DTypeError). Any dtype. Of several slices for one place the
/// last one stays, at every level. Gradients as scatter's.
Tensor index_copy(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source);

/// A copy of input with `value` in the slices that index names: a number, or a 0-d tensor (ShapeError), which is
/// converted to input's dtype and may be on the CPU. Any dtype. As torch.index_fill; in place: Tensor::index_fill_.
/// Gradients: of input, the gradient with 0 in those slices; of value, the sum of the gradient there.
Tensor index_fill(const Tensor& input, int64_t dim, const Tensor& index, Scalar value);
Tensor index_fill(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& value);

/// A copy of input with elements of src added where index says; for dim = 1 of three:
/// out[i][index[i][j][k]][k] += src[i][j][k]. As torch.scatter_add; in place: Tensor::scatter_add_.
///
/// index: int32 or int64, entries in [0, input.size(dim)), else IndexError; negative entries do not count from the end.
/// input, index and src have as many dimensions (0-d counts as 1-d); index is nowhere larger than src, nor than input
/// but along `dim` (ShapeError); elements of src beyond index take no part. src has input's dtype, any but bool.
/// Half types add in float: `sorted` and `exact` round once, `atomic` at every addition.
///
/// Determinism: as index_add, the elements being in row-major order of index. An index that is expand()ed along all
/// other dimensions is as fast as index_add. Gradients: of input, the gradient itself; of src, gather(gradient, dim,
/// index), zero beyond index.
Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src,
                   Algorithm algorithm = Algorithm::automatic);

/// A copy of input in which .select(dim, index), .slice(dim, start, end, step) or the diagonal has become src, which is
/// converted to input's dtype. src has the view's shape (ShapeError). Any dtype. Gradients: of input, the gradient with
/// 0 in that view; of src, the gradient there.

/// As torch.select_scatter. IndexError for an index out of range; a negative one counts from the end.
Tensor select_scatter(const Tensor& input, const Tensor& src, int64_t dim, int64_t index);
/// As torch.slice_scatter: Python's rules for open and negative ends; the step is positive.
Tensor slice_scatter(const Tensor& input, const Tensor& src, int64_t dim = 0, std::optional<int64_t> start = {},
                     std::optional<int64_t> end = {}, int64_t step = 1);
/// The diagonal of dimensions dim1 and dim2 (ValueError when they are one): elements [i, i + offset], [i - offset, i]
/// for a negative offset; its dimension is the last one of src. As torch.diagonal_scatter.
Tensor diagonal_scatter(const Tensor& input, const Tensor& src, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);

}  // namespace ordo
