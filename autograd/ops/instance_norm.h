// Normalisation of each channel of each sample.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// (x - mean) / sqrt(var + eps) * weight + bias, mean and biased variance being those of each channel of each sample.
/// input: [N, C, ...], floating (DTypeError). It is batch_norm of [1, N C, ...], with its errors: ValueError for one
/// value per channel.
/// running_mean and running_var, where given, move in place towards the mean of the samples' statistics (the variance
/// unbiased): r = (1 - momentum) r + momentum s. Without use_input_stats they are used instead, for all samples, and
/// stay (ValueError when undefined).
/// running_mean, running_var, weight, bias: undefined, or [C] (ShapeError) in input's dtype; for half input, float32
/// too.
///
/// Determinism: sums follow rule 2 of docs/ordering.md, the same bits everywhere. Gradients of weight and bias are sums
/// over each sample, which are then added, by rule 2 too. As torch.nn.functional.instance_norm.
Tensor instance_norm(const Tensor& input, const Tensor& running_mean = {}, const Tensor& running_var = {},
                     const Tensor& weight = {}, const Tensor& bias = {}, bool use_input_stats = true,
                     double momentum = 0.1, double eps = 1e-5);

}  // namespace ordo
