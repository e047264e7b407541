// Picking elements along a dimension.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// For dim = 1 of three: out[i][j][k] = input[i][index[i][j][k]][k]. index: int64 or int32, as many dimensions as
/// input, nowhere larger than it except along `dim` (ShapeError); entries in [0, input.size(dim)), else IndexError. The
/// result has index's shape. The gradient is scatter_add's. As torch.gather.
Tensor gather(const Tensor& input, int64_t dim, const Tensor& index);

}  // namespace ordo
