// 2-d convolution and its two gradients, all differentiable.
#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/pooling/size2.h>

namespace ordo {

/// Cross-correlation of x [N, C, H, W] (or [C, H, W]) with `weight` [O, C / groups, kH, kW], plus bias [O]:
///   y[n, o, i, j] = bias[o] + sum over c, u, v of weight[o, c, u, v] x[n, c, i stride + u dilation - padding, ...]
/// with zeros outside of x. y is [N, O, oH, oW], oH = floor((H + 2 padding - dilation (kH - 1) - 1) / stride) + 1.
///
/// Floating dtypes, the same for all. ShapeError when sizes do not fit, ValueError for a stride, dilation or groups
/// below 1 or a negative padding. Determinism: run_to_run by own CPU kernels, Eigen and cuDNN (without its
/// nondeterministic algorithms); at device_to_device by rule 4 of docs/ordering.md.
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Size2 stride = 1, Size2 padding = 0,
              Size2 dilation = 1, int64_t groups = 1);

/// The gradient of conv2d with respect to its input of `input_sizes` [N, C, H, W], given the one of its result.
Tensor conv2d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad, Size2 stride = 1,
                         Size2 padding = 0, Size2 dilation = 1, int64_t groups = 1);
/// The gradient of conv2d with respect to its weight of `weight_sizes`, given the one of its result.
Tensor conv2d_weight_grad(const Tensor& x, const Dims& weight_sizes, const Tensor& grad, Size2 stride = 1,
                          Size2 padding = 0, Size2 dilation = 1, int64_t groups = 1);

}  // namespace ordo
