// Tensors side by side with themselves.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// A copy that holds t repeats[d] times along each dimension d; repeats may name more dimensions than t has, which come
/// first. Any dtype; differentiable: gradients of repetitions are added as sum adds them. ShapeError for fewer repeats
/// than dimensions, ValueError for a negative one. As torch.Tensor.repeat.
Tensor repeat(const Tensor& t, const Dims& repeats);
/// The same; where repeats are fewer than dimensions they are those of the last. As torch.tile.
Tensor tile(const Tensor& t, const Dims& repeats);

}  // namespace ordo
