// Negative log likelihood.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// -weight[t] x[t] for every sample's log-probabilities x and class t; mean divides the sum by the sum of the weights.
/// input: [C] with a 0-d target, [N, C] with target [N], or [N, C, d1, ...] with target [N, d1, ...]; floating. target:
/// int64 or int32 classes in [0, C) (else IndexError); samples whose target is ignore_index count for nothing.
/// weight: undefined, or [C] in input's dtype. With nothing to average, mean is NaN.
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. As torch.nn.functional.nll_loss.
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {}, int64_t ignore_index = -100,
                Reduction reduction = Reduction::mean);

}  // namespace ordo
