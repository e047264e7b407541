// Joining tensors, and cutting them into views.
#pragma once

#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// The tensors one after the other along `dim`. Their other sizes agree (ShapeError); dtypes promote. 1-d tensors
/// without elements fit everywhere. As torch.cat.
Tensor cat(const TensorList& tensors, int64_t dim = 0);
/// Tensors of one shape along a new dimension `dim`. As torch.stack.
Tensor stack(const TensorList& tensors, int64_t dim = 0);
/// cat along columns: dimension 1, or 0 of 1-d tensors; along rows, vectors being rows; and along dimension 2, what has
/// fewer dimensions being [1, n, 1] or [m, n, 1]. 0-d tensors count as vectors. As torch.hstack, vstack and dstack.
Tensor hstack(const TensorList& tensors);
Tensor vstack(const TensorList& tensors);
Tensor dstack(const TensorList& tensors);

/// The slices t.select(dim, i), for all i: size(dim) views without that dimension. Any dtype; IndexError for a 0-d
/// tensor. As torch.unbind.
TensorList unbind(const Tensor& t, int64_t dim = 0);
/// Views along `dim` of `split_size` elements each, of which the last may have fewer. ValueError for a negative size,
/// or 0 where the dimension is not empty. As torch.split.
TensorList split(const Tensor& t, int64_t split_size, int64_t dim = 0);
/// The same with the sizes given; ShapeError unless they add up to size(dim).
TensorList split(const Tensor& t, const std::vector<int64_t>& split_sizes, int64_t dim = 0);
/// split into at most `chunks` parts of one size, of which the last may be smaller; into exactly `chunks` empty parts
/// where the dimension is empty. ValueError unless chunks is positive. As torch.chunk.
TensorList chunk(const Tensor& t, int64_t chunks, int64_t dim = 0);
/// `sections` parts whose sizes differ by at most one, the larger first. ValueError unless it is positive. As
/// torch.tensor_split.
TensorList tensor_split(const Tensor& t, int64_t sections, int64_t dim = 0);
/// The slices before the first index, between each index and the next, and from the last on, by Python's rules.
TensorList tensor_split(const Tensor& t, const std::vector<int64_t>& indices, int64_t dim = 0);

}  // namespace ordo
