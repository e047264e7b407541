// Joining tensors.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// The tensors one after the other along `dim`. Their other sizes agree (ShapeError); dtypes promote. 1-d tensors
/// without elements fit everywhere. As torch.cat.
Tensor cat(const TensorList& tensors, int64_t dim = 0);
/// Tensors of one shape along a new dimension `dim`. As torch.stack.
Tensor stack(const TensorList& tensors, int64_t dim = 0);

}  // namespace ordo
