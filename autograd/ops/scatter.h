// Writing elements and slices at indices.
#pragma once

#include <ordo/engine/tensor.h>

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

}  // namespace ordo
