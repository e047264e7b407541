// Images of another size.
#pragma once

#include <optional>
#include <vector>

#include <ordo/engine/tensor.h>
#include <ordo/kernels/resampling/interpolate_mode.h>

namespace ordo {

/// The input with its spatial dimensions resampled to `size`, or to floor(input * scale_factor): one number for all of
/// them, or one for each. Either is given, the other is empty.
///
/// input: [N, C, W], [N, C, H, W] or [N, C, D, H, W], floating. Mode linear is for the first, bilinear and bicubic for
/// the second, trilinear for the third; nearest, nearest_exact and area are for all.
/// Along each dimension, output o stands at x of the input, with s = input / output, or 1 / scale_factor where that is
/// given and not recompute_scale_factor:
///   nearest floor(o s); nearest_exact floor((o + 0.5) s), in float32;
///   linear, bilinear, trilinear, bicubic: s (o + 0.5) - 0.5; or o (input - 1) / (output - 1) with align_corners.
/// linear and its kin set x below 0 to 0 and weigh cell i = floor(x) by 1 - (x - i), the next by x - i.
/// bicubic weighs the cells i - 1 to i + 2 by Keys' cubics with a = -0.75. Cells outside are the nearest inside.
/// Weights are computed in the element type, float32 for half types. Of every row of cells the
/// weighted sum is taken left to right, then that of the rows' sums.
/// area: adaptive_avg_pool. Errors: DTypeError, ShapeError, ValueError.
///
/// Determinism: the same bits at every level and on every device, but mode area as adaptive_avg_pool2d. Gradient: that
/// of a cell is gathered from the outputs it is part of, by rule 1 of docs/ordering.md: first down each column,
/// weighted, layer by layer and row by row, then over the columns, weighted again. As torch.nn.functional.interpolate,
/// without antialias.
Tensor interpolate(const Tensor& input, const Dims& size, const std::vector<double>& scale_factor = {},
                   InterpolateMode mode = InterpolateMode::nearest, std::optional<bool> align_corners = std::nullopt,
                   bool recompute_scale_factor = false);

}  // namespace ordo
