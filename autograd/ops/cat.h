// Joining tensors.
#pragma once

#include <ordo/engine/tensor.h>

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

}  // namespace ordo
