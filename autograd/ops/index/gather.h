// Picking elements and slices by index, by place and by mask.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// For dim = 1 of three: out[i][j][k] = input[i][index[i][j][k]][k]. index: int64 or int32, as many dimensions as
/// input, nowhere larger than it except along `dim` (ShapeError); entries in [0, input.size(dim)), else IndexError. The
/// result has index's shape. The gradient is scatter_add's. As torch.gather.
Tensor gather(const Tensor& input, int64_t dim, const Tensor& index);

/// The slices index[0], index[1], ... of dimension `dim`. index: 0-d or 1-d, int64 or int32, entries in
/// [0, input.size(dim)), else IndexError. The gradient is index_add's. As torch.index_select.
Tensor index_select(const Tensor& input, int64_t dim, const Tensor& index);

/// int64, of shape [target's..., num_classes]: 1 at each target, 0 elsewhere. target: int64 or int32, entries in
/// [0, num_classes) (else IndexError). num_classes = -1: one more than the largest target, which waits for the device.
/// As torch.nn.functional.one_hot.
Tensor one_hot(const Tensor& target, int64_t num_classes = -1);

/// The elements of input, flattened in row-major order, at index: out[i] = input.flatten()[index[i]], of index's shape.
/// index: int64 or int32 of any shape, entries in [-numel, numel), else IndexError; negative ones count from the end.
/// Any dtype. The gradient adds where an element was taken several times, as index_add. As torch.take.
Tensor take(const Tensor& input, const Tensor& index);

/// A copy of input with out.flatten()[index[i]] = source[i]; with `accumulate` these are added. index as for take;
/// source has as many elements as index, in any shape (ShapeError), and input's dtype (DTypeError). Any dtype; to
/// accumulate, all but bool. As torch.put; in place: Tensor::put_.
/// Determinism: of several elements for one place the last one stays, in row-major order of index, at every level. With
/// `accumulate`: as index_add. Gradients: of input, the gradient, without `accumulate` with 0 at index; of source, the
/// gradient at index, without `accumulate` 0 for elements that did not stay.
Tensor put(const Tensor& input, const Tensor& index, const Tensor& source, bool accumulate = false);

/// gather() whose input and indices broadcast to one another but along `dim`; without `dim` both are flattened. As many
/// dimensions in both (ShapeError). Rules and gradient as gather's. As torch.take_along_dim.
Tensor take_along_dim(const Tensor& input, const Tensor& indices, std::optional<int64_t> dim = {});

/// The coordinates of the elements that are not zero (a NaN is not), in row-major order: int64, [elements, dimensions].
/// Any dtype. Waits for the device, to know how many there are. As torch.nonzero.
Tensor nonzero(const Tensor& input);

/// The elements of input where the bool mask is true, 1-d, in row-major order. input and mask broadcast together
/// (ShapeError); DTypeError unless the mask is bool. Waits for the device. As torch.masked_select.
Tensor masked_select(const Tensor& input, const Tensor& mask);

/// A copy of input in which the elements where the bool mask is true have become the elements of source, one after the
/// other in row-major order. input and mask broadcast together; source has as many elements or more (ShapeError), in
/// any shape, and input's dtype (DTypeError). Waits for the device. As torch.masked_scatter; in place:
/// Tensor::masked_scatter_, which the mask must fit.
/// Gradients: of input, the gradient with 0 where the mask is true; of source, the gradient there, 0 for elements that
/// were not needed.
Tensor masked_scatter(const Tensor& input, const Tensor& mask, const Tensor& source);

}  // namespace ordo
