// Maximum pooling over windows at random places.
#pragma once

#include <vector>

#include <ordo/engine/generator.h>
#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/pooling/max_pool_result.h>

namespace ordo {

/// The maximum of windows of kernel_size cells. Along an axis window o of O begins at floor((o + u) a) - floor(u a),
/// a = (I - kernel) / (O - 1), and the last one at I - kernel. u are numbers in [0, 1] for each sample, channel and
/// axis.
/// input: [N, C, H, W] or [C, H, W], in 3d [N, C, D, H, W] or [C, D, H, W], floating. Exactly one of output_size and
/// output_ratio is given (ValueError); output_ratio holds one number in (0, 1) or one per axis, and O = floor(ratio I).
/// O + kernel - 1 may not exceed I (ShapeError). random_samples: u, [N, C, 2] with those of (W, H), in 3d [N, C, 3]
/// with those of (D, H, W), N = 1 where input has none, in input's dtype (DTypeError). When left out, they are drawn by
/// rand from the generator. Numbers outside [0, 1] count as the nearer end, NaN as 0.
/// Of half types the windows' places are computed in float32 (PyTorch's 2d function on the CPU: in the half type).
/// Of equal maxima the first in row-major order counts; a NaN, the last one, is a maximum. Indices as
/// max_pool2d_with_indices.
///
/// Determinism: the forward pass gives the same bits everywhere, drawn numbers included. Gradient: scatter_add of the
/// result's at the indices, with its algorithms (windows overlap); the automatic one is atomic at not_guaranteed only.
/// As torch.nn.functional.fractional_max_pool2d and 3d, with random numbers of its own.
Tensor fractional_max_pool2d(const Tensor& input, Size2 kernel_size, OptionalSize2 output_size = {},
                             const std::vector<double>& output_ratio = {}, const Tensor& random_samples = {},
                             Generator* generator = nullptr);
Tensor fractional_max_pool3d(const Tensor& input, Size3 kernel_size, OptionalSize3 output_size = {},
                             const std::vector<double>& output_ratio = {}, const Tensor& random_samples = {},
                             Generator* generator = nullptr);
/// The same, and where each maximum lies.
MaxPoolResult fractional_max_pool2d_with_indices(const Tensor& input, Size2 kernel_size, OptionalSize2 output_size = {},
                                                 const std::vector<double>& output_ratio = {},
                                                 const Tensor& random_samples = {}, Generator* generator = nullptr);
MaxPoolResult fractional_max_pool3d_with_indices(const Tensor& input, Size3 kernel_size, OptionalSize3 output_size = {},
                                                 const std::vector<double>& output_ratio = {},
                                                 const Tensor& random_samples = {}, Generator* generator = nullptr);

}  // namespace ordo
