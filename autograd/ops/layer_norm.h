// Normalisation of each sample by itself.
#pragma once

#include <optional>

#include <ordo/engine/tensor.h>

namespace ordo {

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

}  // namespace ordo
