// Normalisations.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// (x - mean) / sqrt(var + eps) * weight + bias, per channel. training: mean and biased variance of the batch;
/// running_mean and running_var, where given, move towards them in place (the variance unbiased): r = (1 - momentum) r
/// + momentum s. Otherwise mean and var are running_mean and running_var.
///
/// Shapes: input [N, C] or [N, C, ...]; running_mean, running_var, weight, bias [C] or undefined.
/// Dtypes: floating, one for all; beside half input the others may be float32.
/// Throws: ValueError when there is one value per channel in training, or running statistics are undefined in
/// evaluation; ShapeError, DTypeError, DeviceError when tensors do not fit.
/// Determinism: the same bits on every device at every level; ordering rule 2.
/// Gradient: of input, weight and bias.
/// PyTorch: torch.nn.functional.batch_norm.
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight = {},
                  const Tensor& bias = {}, bool training = false, double momentum = 0.1, double eps = 1e-5);

/// (x - mean) / sqrt(var + eps) * weight + bias, mean and biased variance over the last dimensions, which are
/// normalized_shape.
///
/// Shapes: input [..., normalized_shape]; weight and bias of normalized_shape or undefined.
/// Dtypes: floating, one for all, sums of half types in float; beside half input the others may be float32.
/// Throws: ShapeError, DTypeError, DeviceError when tensors do not fit.
/// Determinism: the same bits on every device at every level; ordering rule 2.
/// Gradient: of input, weight and bias.
/// PyTorch: torch.nn.functional.layer_norm.
Tensor layer_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight = {}, const Tensor& bias = {},
                  double eps = 1e-5);

/// x / sqrt(mean(x^2) + eps) * weight over the last dimensions, which are normalized_shape. Without eps: the dtype's
/// epsilon.
///
/// Shapes, Dtypes, Throws, Determinism: as layer_norm.
/// Gradient: of input and weight.
/// PyTorch: torch.nn.functional.rms_norm.
Tensor rms_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight = {},
                std::optional<double> eps = {});

/// layer_norm of every group of C / num_groups channels, then weight and bias per channel.
///
/// Shapes: input [N, C, ...]; weight and bias [C] or undefined.
/// Dtypes: as layer_norm.
/// Throws: as layer_norm; ValueError when num_groups does not divide C.
/// Determinism, Gradient: as layer_norm.
/// PyTorch: torch.nn.functional.group_norm.
Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight = {}, const Tensor& bias = {},
                  double eps = 1e-5);

/// (x - mean) / sqrt(var + eps) * weight + bias, mean and biased variance being those of each channel of each sample:
/// batch_norm of [1, N C, ...]. running_mean and running_var, where given, move in place towards the mean of the
/// samples' statistics (the variance unbiased): r = (1 - momentum) r + momentum s. Without use_input_stats they are
/// used instead, for all samples, and stay.
///
/// Shapes: input [N, C, ...]; running_mean, running_var, weight, bias [C] or undefined.
/// Dtypes, Throws: as batch_norm.
/// Determinism: the same bits on every device at every level. Gradients of weight and bias are sums over each sample,
/// which are then added; both by ordering rule 2.
/// Gradient: as batch_norm.
/// PyTorch: torch.nn.functional.instance_norm.
Tensor instance_norm(const Tensor& input, const Tensor& running_mean = {}, const Tensor& running_var = {},
                     const Tensor& weight = {}, const Tensor& bias = {}, bool use_input_stats = true,
                     double momentum = 0.1, double eps = 1e-5);

/// x / (k + alpha a)^beta, where a is the sum of the squares of `size` neighbouring channels, divided by size: of
/// channel c those from c - size / 2 (rounded down) on, as far as there are.
///
/// Shapes: input [N, C, ...] of three dimensions or more.
/// Dtypes: floating; half types are computed in float32 and rounded once.
/// Throws: ShapeError when input has fewer dimensions; ValueError when size is below 1; DTypeError when input is not
/// floating.
/// Determinism: as avg_pool2d, of which it is made: the gradient adds in the order threads arrive at not_guaranteed
/// only.
/// Gradient: of input.
/// PyTorch: torch.nn.functional.local_response_norm.
Tensor local_response_norm(const Tensor& input, int64_t size, double alpha = 1e-4, double beta = 0.75, double k = 1);

}  // namespace ordo
