// A tensor cut into several: views of it, recorded as one operation with several results.
#pragma once

#include <vector>

#include <ordo/engine/tensor.h>

namespace ordo {

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
