// Picking elements and slices by index, by place and by mask.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// For dim = 1 of three: out[i][j][k] = input[i][index[i][j][k]][k].
///
/// Shapes: index has as many dimensions as input and is nowhere larger but along `dim`; the result has its shape.
/// Dtypes: any input; index int64 or int32.
/// Throws: IndexError when an entry of index is not in [0, input.size(dim)), or there is no dimension `dim`; ShapeError
/// when shapes do not fit; DTypeError when index is of another dtype; DeviceError when the tensors are on different
/// devices.
/// Determinism: the same bits on every device at every level; the gradient as scatter_add.
/// Gradient: scatter_add of grad at index.
/// PyTorch: torch.gather.
Tensor gather(const Tensor& input, int64_t dim, const Tensor& index);

/// The slices index[0], index[1], ... of dimension `dim`.
///
/// Shapes: index 0-d or 1-d; the result has input's sizes, but index.numel() along `dim`.
/// Dtypes: any input; index int64 or int32.
/// Throws: as gather.
/// Determinism: the same bits on every device at every level; the gradient as index_add.
/// Gradient: index_add of grad at index.
/// PyTorch: torch.index_select.
Tensor index_select(const Tensor& input, int64_t dim, const Tensor& index);

/// 1 at each target, 0 elsewhere. num_classes = -1: one more than the largest target, which waits for the device.
///
/// Shapes: target of any shape -> [target's..., num_classes].
/// Dtypes: target int64 or int32; the result is int64.
/// Throws: IndexError when a target is not in [0, num_classes); ValueError when num_classes is below -1, or -1 beside
/// an empty target; DTypeError when target is of another dtype.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.nn.functional.one_hot.
Tensor one_hot(const Tensor& target, int64_t num_classes = -1);

/// out[i] = input.flatten()[index[i]]; negative entries count from the end.
///
/// Shapes: any; the result has index's shape.
/// Dtypes: any input; index int64 or int32.
/// Throws: IndexError when an entry is not in [-input.numel(), input.numel()); DTypeError when index is of another
/// dtype; DeviceError when the tensors are on different devices.
/// Determinism: the same bits on every device at every level; the gradient as index_add.
/// Gradient: grad added at index.
/// PyTorch: torch.take.
Tensor take(const Tensor& input, const Tensor& index);

/// A copy of input with out.flatten()[index[i]] = source[i]; with `accumulate` these are added. Without it, of several
/// elements for one place the last one in row-major order of index stays.
///
/// Shapes: source has as many elements as index, in any shape; the result has input's sizes.
/// Dtypes: any, to accumulate all but bool; source has input's; index int64 or int32.
/// Throws: as take; ShapeError when source has another number of elements; DTypeError when dtypes differ.
/// Determinism: the same bits on every device at every level; with `accumulate` as index_add.
/// Gradient: of input, grad, without `accumulate` with 0 at index; of source, grad at index, without `accumulate` 0 for
/// elements that did not stay.
/// PyTorch: torch.put; in place Tensor::put_.
Tensor put(const Tensor& input, const Tensor& index, const Tensor& source, bool accumulate = false);

/// gather() whose input and indices broadcast to one another but along `dim`; without `dim` both are flattened.
///
/// Shapes: as many dimensions in both; the result has the indices' broadcast shape.
/// Dtypes, Throws, Determinism, Gradient: as gather.
/// PyTorch: torch.take_along_dim.
Tensor take_along_dim(const Tensor& input, const Tensor& indices, std::optional<int64_t> dim = {});

/// The coordinates of the elements that are not zero (a NaN is not zero), in row-major order. It waits for the device,
/// to know how many there are.
///
/// Shapes: any -> [elements, dimensions].
/// Dtypes: any; the result is int64.
/// Throws: nothing of its own.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.nonzero.
Tensor nonzero(const Tensor& input);

/// The elements of input where the mask is true, in row-major order. It waits for the device.
///
/// Shapes: input and mask broadcast together; the result is 1-d.
/// Dtypes: any input; the mask is bool.
/// Throws: ShapeError when sizes do not broadcast; DTypeError when the mask is not bool; DeviceError when the tensors
/// are on different devices.
/// Determinism: the same bits on every device at every level.
/// Gradient: of input, grad at the selected elements, else 0.
/// PyTorch: torch.masked_select.
Tensor masked_select(const Tensor& input, const Tensor& mask);

/// A copy of input in which the elements where the mask is true have become the elements of source, one after the other
/// in row-major order. It waits for the device.
///
/// Shapes: input and mask broadcast together; source has as many elements as the mask is true, or more, in any shape.
/// Dtypes: any; source has input's; the mask is bool.
/// Throws: as masked_select; ShapeError when source has too few elements; DTypeError when dtypes differ.
/// Determinism: the same bits on every device at every level.
/// Gradient: of input, grad with 0 where the mask is true; of source, grad there, 0 for elements that were not needed.
/// PyTorch: torch.masked_scatter; in place Tensor::masked_scatter_, which the mask must fit.
Tensor masked_scatter(const Tensor& input, const Tensor& mask, const Tensor& source);

}  // namespace ordo
