// A tensor with one of its views replaced.
#pragma once

#include <optional>

#include <ordo/engine/tensor.h>

namespace ordo {

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
