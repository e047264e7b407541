// Negative log likelihood of numbers under normal and Poisson distributions.
//
// Losses are averaged, summed or as they are; sums follow rule 2 of docs/ordering.md: the same bits everywhere. Half
// types are computed in float and rounded once.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// (log(v) + (input - target)^2 / v) / 2 of means, observations and variances, v being max(var, eps); `full` adds
/// log(2 pi) / 2. input, target and var: floating, of one dtype (DTypeError); input and target of one shape, var of the
/// same, or with 1 for the last size, or without the last dimension (ShapeError). The gradient of var is that of v: eps
/// does not stop it. A negative element of var is a ValueError, for which the call waits for the device. As
/// torch.nn.functional.gaussian_nll_loss.
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, bool full = false,
                         double eps = 1e-6, Reduction reduction = Reduction::mean);

/// exp(input) - target input of the logarithms of expected counts; without log_input, input - target log(input + eps)
/// of the expected counts. `full` adds Stirling's t log(t) - t + log(2 pi t) / 2 where the target t is more than 1.
/// input: floating; target: counts of its shape (ShapeError), integers or of its dtype (DTypeError). As
/// torch.nn.functional.poisson_nll_loss.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input = true, bool full = false,
                        double eps = 1e-8, Reduction reduction = Reduction::mean);

}  // namespace ordo
