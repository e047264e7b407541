// Normalisations.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// (x - mean) / sqrt(var + eps) * weight + bias, per channel: dimension 1 of [N, C] or [N, C, ...].
/// training: mean and biased variance of the batch; running_mean and running_var, where given, move towards them (the
/// variance unbiased) in place: r = (1 - momentum) r + momentum s. ValueError for one value per channel.
/// Otherwise mean and var are running_mean and running_var (ValueError when undefined).
/// running_mean, running_var, weight, bias: undefined, or [C] in input's dtype; for half input, float32 too.
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. As torch.nn.functional.batch_norm.
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight = {},
                  const Tensor& bias = {}, bool training = false, double momentum = 0.1, double eps = 1e-5);

/// (x - mean) / sqrt(var + eps) * weight + bias, mean and biased variance over the last dimensions, which are
/// `normalized_shape` (ShapeError). weight, bias: undefined, or of that shape in input's dtype; for half input, float32
/// too. Floating dtypes (DTypeError).
/// Sums follow rule 2 of docs/ordering.md, half types in float: the same bits everywhere.
/// As torch.nn.functional.layer_norm.
Tensor layer_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight = {}, const Tensor& bias = {},
                  double eps = 1e-5);

/// x / sqrt(mean(x^2) + eps) * weight, likewise. Without eps: the dtype's epsilon. As torch.nn.functional.rms_norm.
Tensor rms_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight = {},
                std::optional<double> eps = {});

/// layer_norm of every group of C / num_groups channels, then weight and bias, [C], per channel. input: [N, C, ...]
/// (ShapeError); ValueError unless num_groups divides C. As torch.nn.functional.group_norm.
Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight = {}, const Tensor& bias = {},
                  double eps = 1e-5);

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

/// x / (k + alpha a)^beta, where a is the sum of the squares of `size` neighbouring channels, divided by size: of
/// channel c those from c - size / 2 (rounded down) on, as far as there are. input: [N, C, ...] of three dimensions or
/// more (ShapeError), floating (DTypeError). ValueError for a size below 1. Half types are computed in float32 and
/// rounded once.
///
/// Determinism: as avg_pool2d, of which it is made: the backward pass adds in the order threads arrive at
/// not_guaranteed only. As torch.nn.functional.local_response_norm.
Tensor local_response_norm(const Tensor& input, int64_t size, double alpha = 1e-4, double beta = 0.75, double k = 1);

}  // namespace ordo
