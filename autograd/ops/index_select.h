// Picking slices along a dimension.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// The slices index[0], index[1], ... of dimension `dim`. index: 0-d or 1-d, int64 or int32, entries in
/// [0, input.size(dim)), else IndexError. The gradient is index_add's. As torch.index_select.
Tensor index_select(const Tensor& input, int64_t dim, const Tensor& index);

}  // namespace ordo
