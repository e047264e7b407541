// Batch normalisation.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// (x - mean) / sqrt(var + eps) * weight + bias, per channel: dimension 1 of [N, C] or [N, C, ...].
/// training: mean and biased variance of the batch; running_mean and running_var, where given, move towards them (the
/// variance unbiased) in place: r = (1 - momentum) r + momentum s. ValueError for one value per channel.
/// Otherwise mean and var are running_mean and running_var (ValueError when undefined).
/// running_mean, running_var, weight, bias: undefined, or [C] in input's dtype; for half input, float32 too.
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. As torch.nn.functional.batch_norm.
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight = {},
                  const Tensor& bias = {}, bool training = false, double momentum = 0.1, double eps = 1e-5);

}  // namespace ordo
