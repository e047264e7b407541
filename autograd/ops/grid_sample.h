// Values of an image at the places of a grid.
#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/resampling/grid_padding.h>
#include <ordo/kernels/resampling/interpolate_mode.h>

namespace ordo {

/// The input's values at the places that `grid` names: result [N, C, h, w] of an input [N, C, H, W] and a grid
/// [N, h, w, 2], or [N, C, d, h, w] of [N, C, D, H, W] and [N, d, h, w, 3]. Floating, of one dtype.
/// A place holds (x, y) or (x, y, z): -1 and 1 are the borders of the input along W, H and D. Coordinate x is
/// ((x + 1) W - 1) / 2 of the input, or, with align_corners, (x + 1) / 2 (W - 1): then -1 and 1 are the centres of the
/// outer cells.
/// mode: bilinear, of the 4 cells around (8 in 3 dimensions), the weight of cell i at x being i + 1 - x, of the next
/// x - i; nearest, halves to the even cell; bicubic, in 2 dimensions, as interpolate. Weights are multiplied x first;
/// the cells are added to zero, the innermost dimension changing fastest. Cells outside: 0, where padding_mode is
/// zeros; or x is clamped to the input (border), or mirrored at its borders and then clamped (reflection). A place that
/// is NaN or infinite counts as outside; with border and reflection NaN is 0. Errors: DTypeError, DeviceError,
/// ShapeError, ValueError.
///
/// Determinism: the forward pass and the grid's gradient give the same bits at every level and on every device. The
/// input's gradient adds as index_add does: in the order threads arrive at not_guaranteed (`atomic`), in the order of
/// the places, and of the cells of each, at the other levels (`sorted`; `exact` for one channel): same bits everywhere.
/// Gradient: with respect to input and grid; a place's is the sum over the channels by rule 1 of docs/ordering.md. It
/// is 0 for nearest, and where clamping moved the place. Second derivatives: of the input's gradient only
/// (AutogradError for the grid's). As torch.nn.functional.grid_sample.
Tensor grid_sample(const Tensor& input, const Tensor& grid, InterpolateMode mode = InterpolateMode::bilinear,
                   GridPadding padding_mode = GridPadding::zeros, bool align_corners = false);

/// The grid of an affine map, for grid_sample: [N, H, W, 2] of theta [N, 2, 3] and size [N, C, H, W], or [N, D, H, W,
/// 3] of [N, 3, 4] and [N, C, D, H, W]. Place (x, y) of the result is theta (x, y, 1), where x goes from -1 to 1 along
/// W, with align_corners, or else through the centres of W cells between them: (2 i + 1) / W - 1. A place is added as
/// (x theta_0 + y theta_1 + z theta_2) + the last column. Errors: DTypeError, ShapeError. Determinism: the same bits at
/// every level and on every device. As torch.nn.functional.affine_grid.
Tensor affine_grid(const Tensor& theta, const Dims& size, bool align_corners = false);

}  // namespace ordo
