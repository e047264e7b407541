// Kullback-Leibler divergence.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// t (log(t) - x) of log-probabilities x and probabilities t, where t = 0 counts as 0; with log_target, exp(t) (t - x)
/// of log-probabilities on both sides. Averaged over all elements, summed, as it is, or `batchmean`: the sum divided by
/// input.size(0), which is the divergence's mean over the samples (ShapeError for a 0-d input). input and target:
/// floating, of one shape (ShapeError) and dtype (DTypeError).
///
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. Half types are computed in float and rounded once.
/// Gradients of both; that of a target of 0 is NaN, as PyTorch's. As torch.nn.functional.kl_div.
Tensor kl_div(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean,
              bool log_target = false);

}  // namespace ordo
