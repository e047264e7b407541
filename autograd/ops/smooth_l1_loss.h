// Losses that are quadratic near zero and linear further away.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// d = input - target: d^2 / (2 beta) where |d| < beta, |d| - beta / 2 elsewhere; averaged, summed or as it is. beta =
/// 0 is l1_loss; ValueError for a negative beta. Floating tensors of one shape (ShapeError) and dtype (DTypeError).
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. The gradient is d / beta, at most 1 in size. As
/// torch.nn.functional.smooth_l1_loss.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean,
                      double beta = 1);

/// d^2 / 2 where |d| < delta, delta (|d| - delta / 2) elsewhere, likewise; ValueError unless delta is positive.
/// As torch.nn.functional.huber_loss.
Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean, double delta = 1);

}  // namespace ordo
