// Losses between two tensors of one shape.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// (input - target)^2, averaged, summed or as it is. Floating tensors of one shape (ShapeError) and dtype. Sums follow
/// rule 2 of docs/ordering.md: the same bits everywhere. As torch.nn.functional.mse_loss.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);
/// |input - target|, likewise. As torch.nn.functional.l1_loss.
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

}  // namespace ordo
