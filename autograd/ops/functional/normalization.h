// Normalisations. ValueError for an undefined input, DeviceError for tensors on different devices.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// (x - mean) / sqrt(var + eps) * weight + bias, per channel.
///
/// training: mean and biased variance of the batch; running_mean and running_var, where given, move towards them (the
/// variance unbiased) in place: r = (1 - momentum) r + momentum s. Otherwise mean and var are running_mean and
/// running_var.
///
/// Shapes: input [N, C] or [N, C, ...], the others [C] or undefined -> input's.
/// Dtypes: input floating, the others of its dtype; beside a half input float32 too.
/// Throws: ShapeError when shapes are others; DTypeError when dtypes are; ValueError when training with one value per
/// channel, not training without running_mean and running_var, or with one of them only; AutogradError when training
/// would change one that requires a gradient.
/// Determinism: the same bits on every device at every level; ordering rule 2, half types in float.
/// Gradient: of input, weight and bias.
/// PyTorch: torch.nn.functional.batch_norm.
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight = {},
                  const Tensor& bias = {}, bool training = false, double momentum = 0.1, double eps = 1e-5);

/// (x - mean) / sqrt(var + eps) * weight + bias, with mean and biased variance over the last dimensions,
/// normalized_shape.
///
/// Shapes: input [..., normalized_shape], weight and bias normalized_shape or undefined -> input's.
/// Dtypes: as batch_norm.
/// Throws: ShapeError when normalized_shape are not input's last dimensions, one at least, or weight or bias has
/// another shape; DTypeError when a dtype is another.
/// Determinism, Gradient: as batch_norm.
/// PyTorch: torch.nn.functional.layer_norm.
Tensor layer_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight = {}, const Tensor& bias = {},
                  double eps = 1e-5);

/// x / sqrt(mean(x^2) + eps) * weight, with the mean over the last dimensions; eps is the dtype's epsilon if not given.
///
/// Shapes, Dtypes, Throws, Determinism: as layer_norm.
/// Gradient: of input and weight.
/// PyTorch: torch.nn.functional.rms_norm.
Tensor rms_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight = {},
                std::optional<double> eps = {});

/// layer_norm of every group of C / num_groups channels, then weight and bias per channel.
///
/// Shapes, Dtypes: as batch_norm.
/// Throws: ShapeError when shapes are others; DTypeError when dtypes are; ValueError unless num_groups is positive and
/// divides C.
/// Determinism, Gradient: as batch_norm.
/// PyTorch: torch.nn.functional.group_norm.
Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight = {}, const Tensor& bias = {},
                  double eps = 1e-5);

/// (x - mean) / sqrt(var + eps) * weight + bias, with mean and biased variance of each channel of each sample.
///
/// It is batch_norm of [1, N C, ...]. running_mean and running_var, where given, move in place towards the mean of the
/// samples' statistics (the variance unbiased): r = (1 - momentum) r + momentum s. Without use_input_stats they are
/// used instead, for all samples, and stay.
///
/// Shapes, Dtypes: as batch_norm.
/// Throws: as batch_norm, training where use_input_stats; ValueError when a channel of a sample has one value.
/// Determinism: as batch_norm; the means over samples by ordering rule 2.
/// Gradient: of input, weight and bias; the latter are sums over each sample, which are then added, by rule 2 too.
/// PyTorch: torch.nn.functional.instance_norm.
Tensor instance_norm(const Tensor& input, const Tensor& running_mean = {}, const Tensor& running_var = {},
                     const Tensor& weight = {}, const Tensor& bias = {}, bool use_input_stats = true,
                     double momentum = 0.1, double eps = 1e-5);

/// x / (k + alpha a)^beta, where a is the sum of the squares of `size` neighbouring channels, divided by size: of
/// channel c those from c - size / 2 (rounded down) on, as far as there are.
///
/// Shapes: input [N, C, ...] of three dimensions or more -> the same.
/// Dtypes: floating; half types are computed in float32 and rounded once.
/// Throws: ShapeError when input has fewer dimensions; DTypeError when it is not floating; ValueError when size is
/// below 1.
/// Determinism: as avg_pool2d, of which it is made.
/// Gradient: that of the formula.
/// PyTorch: torch.nn.functional.local_response_norm.
Tensor local_response_norm(const Tensor& input, int64_t size, double alpha = 1e-4, double beta = 0.75, double k = 1);

}  // namespace ordo
