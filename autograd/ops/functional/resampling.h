// Images of another size, values of an image at the places of a grid or in regions, and padding.
#pragma once

#include <optional>
#include <vector>

#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/resampling/modes.h>

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

/// The input with cells added before and behind its last dimensions: `padding` is {left, right} of the last dimension,
/// or {left, right, top, bottom}, and so on, two numbers for each dimension from the last on. Negative ones take cells
/// away.
/// PadMode::constant: the new cells hold `value`; any number of dimensions.
/// reflect: cell -i is cell i, and cell n - 1 + i is cell n - 1 - i; padding below the size n.
/// replicate: they hold the nearest cell. circular: cell -i is cell n - i; padding up to n.
/// These three pad the last 1, 2 or 3 dimensions of [N, C, spatial...] or [C, spatial...] (ShapeError).
/// Any dtype. Errors: ShapeError, ValueError. Always a copy.
///
/// Determinism: the same bits at every level and on every device. Gradient: that of a cell is the sum of those of the
/// cells that show it, by rule 1 of docs/ordering.md in their row-major order, added to zero. As
/// torch.nn.functional.pad.
Tensor pad(const Tensor& input, const std::vector<int64_t>& padding, PadMode mode = PadMode::constant,
           Scalar value = 0);

/// Every box, cut into output_size bins, of each the average of bilinear samples: [K, C, rows, columns].
/// input: [N, C, H, W], floating. boxes: [K, 5] of input's dtype, each (number of the image, x1, y1, x2, y2); or for
/// every image a tensor [L, 4] of (x1, y1, x2, y2). Coordinates are multiplied by spatial_scale. aligned: then 0.5 is
/// subtracted, so that cell i is centred at i; else a box is one cell high and wide at least.
/// A bin has sampling_ratio rows and columns of samples (at most 1024), evenly spread; where that is not positive, the
/// bin's height and width in cells, rounded up. A sample at (y, x) is (1 - y + i) (1 - x + j) of cell (i, j) and so on
/// of the four around it; up to one cell outside of the input it counts as on the border, further out, or where it is
/// no number, as 0. A bin without samples is 0. Half types are computed in float32.
/// Errors: DTypeError, DeviceError, ShapeError, ValueError; IndexError for an image out of range, its fraction left
/// out.
///
/// Determinism: the forward pass gives the same bits everywhere: the samples inside, row-major, are summed by rule 1 of
/// docs/ordering.md and divided by the number of all. The input's gradient adds as index_add does: in the order threads
/// arrive at not_guaranteed (`atomic`), in the order of the boxes and their bins at the other levels
/// (`sorted`; `exact` for one channel). Boxes get no gradient. As torchvision.ops.roi_align.
Tensor roi_align(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale = 1,
                 int64_t sampling_ratio = -1, bool aligned = false);
Tensor roi_align(const Tensor& input, const TensorList& boxes, Size2 output_size, double spatial_scale = 1,
                 int64_t sampling_ratio = -1, bool aligned = false);

/// Every box, cut into output_size bins, of each the maximum: [K, C, rows, columns].
/// input and boxes: as roi_align. A box goes from cell round(spatial_scale x1) to cell round(spatial_scale x2), halves
/// away from zero, both included, and is one cell at least; of its n cells bin i of P covers those from floor(i n / P)
/// to ceil((i + 1) n / P), as far as they lie in the input. A bin without cells is 0. A NaN in a bin is its maximum
/// (torchvision leaves it out). Errors as roi_align.
///
/// Determinism: the forward pass gives the same bits everywhere. The input's gradient adds each bin's to the place of
/// its maximum, the first of equal ones in row-major order, as index_add does: in the order threads arrive at
/// not_guaranteed (`atomic`), in the order of the result's elements at the other levels (`sorted`, or `exact` where
/// they are as many as the input's). Boxes get no gradient. As torchvision.ops.roi_pool, whose bins differ by a cell
/// where its division rounds.
Tensor roi_pool(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale = 1);
Tensor roi_pool(const Tensor& input, const TensorList& boxes, Size2 output_size, double spatial_scale = 1);

}  // namespace ordo
