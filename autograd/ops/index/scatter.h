// Writing elements and slices at indices.
#pragma once

#include <optional>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// A copy of input with elements of src written where index says; for dim = 1 of three: out[i][index[i][j][k]][k] =
/// src[i][j][k]. Of several elements for one place the last one stays, in row-major order of index.
///
/// Shapes: input, index and src have as many dimensions (0-d counts as 1-d); index is nowhere larger than src, nor than
/// input but along `dim`. Elements of src beyond index take no part.
/// Dtypes: any; src has input's; index int32 or int64.
/// Throws: IndexError when an entry of index is not in [0, input.size(dim)), or there is no dimension `dim`; ShapeError
/// when sizes do not fit; DTypeError when dtypes differ; DeviceError when the tensors are on different devices.
/// Determinism: the same bits on every device at every level.
/// Gradient: of input, grad with 0 where something was written; of src, grad at the elements that stayed, else 0.
/// PyTorch: torch.scatter, which leaves open who stays; in place Tensor::scatter_.
Tensor scatter(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src);
/// One number everywhere. It must fit the dtype (ValueError; DTypeError for a floating number and integers).
Tensor scatter(const Tensor& input, int64_t dim, const Tensor& index, Scalar value);

/// A copy of input with the slices of source written where index says; for dim = 0 of two: out[index[i]][j] =
/// source[i][j]. Of several slices for one place the last one stays.
///
/// Shapes: index 0-d or 1-d; source has input's sizes, but index.numel() slices along `dim`.
/// Dtypes, Throws, Determinism, Gradient: as scatter.
/// PyTorch: torch.index_copy; in place Tensor::index_copy_.
Tensor index_copy(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source);

/// A copy of input with `value` in the slices that index names. A tensor as value may be on the CPU.
///
/// Shapes: index 0-d or 1-d; a tensor as value is 0-d.
/// Dtypes: any; value is converted to input's; index int32 or int64.
/// Throws: as scatter; ValueError when value does not fit the dtype.
/// Determinism: the same bits on every device at every level; the gradient of value is a sum by ordering rule 2.
/// Gradient: of input, grad with 0 in those slices; of value, the sum of grad there.
/// PyTorch: torch.index_fill; in place Tensor::index_fill_.
Tensor index_fill(const Tensor& input, int64_t dim, const Tensor& index, Scalar value);
Tensor index_fill(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& value);

/// A copy of input with elements of src added where index says; for dim = 1 of three: out[i][index[i][j][k]][k] +=
/// src[i][j][k]. An index that is expand()ed along all other dimensions is as fast as index_add.
///
/// Shapes: input, index and src have as many dimensions (0-d counts as 1-d); index is nowhere larger than src, nor than
/// input but along `dim`. Elements of src beyond index take no part.
/// Dtypes: all but bool, one for input and src; index int32 or int64. Half types add as in index_add.
/// Throws: as scatter; DTypeError also when dtypes are bool; ValueError for another algorithm.
/// Determinism: as index_add, the elements being in row-major order of index.
/// Gradient: of input, grad; of src, gather(grad, dim, index), 0 beyond index.
/// PyTorch: torch.scatter_add; in place Tensor::scatter_add_.
Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src,
                   Algorithm algorithm = Algorithm::automatic);

/// A copy of input in which .select(dim, index) has become src. A negative index counts from the end.
///
/// Shapes: src has the view's shape; the result has input's.
/// Dtypes: any; src is converted to input's.
/// Throws: IndexError when there is no dimension `dim` or index is out of range; ShapeError when src has another shape;
/// DeviceError when the tensors are on different devices.
/// Determinism: the same bits on every device at every level.
/// Gradient: of input, grad with 0 in that view; of src, grad there.
/// PyTorch: torch.select_scatter.
Tensor select_scatter(const Tensor& input, const Tensor& src, int64_t dim, int64_t index);
/// A copy of input in which .slice(dim, start, end, step) has become src, by Python's rules for open and negative ends.
///
/// Shapes, Dtypes: as select_scatter.
/// Throws: as select_scatter; ValueError when step is not positive.
/// Determinism, Gradient: as select_scatter.
/// PyTorch: torch.slice_scatter.
Tensor slice_scatter(const Tensor& input, const Tensor& src, int64_t dim = 0, std::optional<int64_t> start = {},
                     std::optional<int64_t> end = {}, int64_t step = 1);
/// A copy of input in which .diagonal(offset, dim1, dim2) has become src: elements [i, i + offset], or [i - offset, i]
/// for a negative offset.
///
/// Shapes: as select_scatter; the diagonal is the last dimension of src.
/// Dtypes: as select_scatter.
/// Throws: as select_scatter; ValueError when dim1 and dim2 are one.
/// Determinism, Gradient: as select_scatter.
/// PyTorch: torch.diagonal_scatter.
Tensor diagonal_scatter(const Tensor& input, const Tensor& src, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);

}  // namespace ordo
