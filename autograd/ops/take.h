// Elements by their places in the flattened tensor, or along a dimension.
#pragma once

#include <optional>

#include <ordo/engine/tensor.h>

namespace ordo {

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

}  // namespace ordo
