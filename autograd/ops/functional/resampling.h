// Images of another size, values of an image at the places of a grid or in regions, and padding.
#pragma once

#include <optional>
#include <vector>

#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/resampling/modes.h>

namespace ordo {

/// The input with its spatial dimensions resampled to `size`, or to floor(input * scale_factor): one number for all of
/// them, or one for each. Either is given, the other is empty. Along each dimension, output o stands at x of the input,
/// with s = input / output, or 1 / scale_factor where that is given and not recompute_scale_factor:
///   nearest floor(o s); nearest_exact floor((o + 0.5) s), in float32;
///   linear, bilinear, trilinear, bicubic: s (o + 0.5) - 0.5; or o (input - 1) / (output - 1) with align_corners.
/// linear and its kin set x below 0 to 0 and weigh cell i = floor(x) by 1 - (x - i), the next by x - i. bicubic weighs
/// the cells i - 1 to i + 2 by Keys' cubics with a = -0.75. Cells outside are the nearest inside. Of every row of cells
/// the weighted sum is taken left to right, then that of the rows' sums. area: adaptive_avg_pool.
///
/// Shapes: input [N, C, W] (mode linear), [N, C, H, W] (bilinear, bicubic) or [N, C, D, H, W] (trilinear); nearest,
/// nearest_exact and area take all.
/// Dtypes: floating; weights are computed in it, in float32 for half types.
/// Throws: ShapeError when dimensions do not fit the mode, or sizes are below 1; ValueError when size and scale_factor
/// are both given, or none, or align_corners does not fit the mode; DTypeError when input is not floating.
/// Determinism: the same bits on every device at every level; mode area as adaptive_avg_pool2d.
/// Gradient: a cell's is gathered from the outputs it is part of, by ordering rule 1: first down each column, weighted,
/// layer by layer and row by row, then over the columns, weighted again.
/// PyTorch: torch.nn.functional.interpolate, without antialias.
Tensor interpolate(const Tensor& input, const Dims& size, const std::vector<double>& scale_factor = {},
                   InterpolateMode mode = InterpolateMode::nearest, std::optional<bool> align_corners = std::nullopt,
                   bool recompute_scale_factor = false);

/// The input's values at the places that grid names: (x, y) or (x, y, z), -1 and 1 being the borders of the input along
/// W, H and D. Coordinate x is ((x + 1) W - 1) / 2 of the input, or (x + 1) / 2 (W - 1) with align_corners: then -1 and
/// 1 are the centres of the outer cells. mode: bilinear, of the 4 cells around (8 in 3 dimensions), the weight of cell
/// i at x being i + 1 - x, of the next x - i; nearest, halves to the even cell; bicubic, in 2 dimensions, as
/// interpolate. Weights are multiplied x first; the cells are added to zero, the innermost dimension changing fastest.
/// Cells outside: 0, where padding_mode is zeros; or x is clamped to the input (border), or mirrored at its borders and
/// then clamped (reflection). A place that is NaN or infinite counts as outside; with border and reflection NaN is 0.
///
/// Shapes: input [N, C, H, W], grid [N, h, w, 2] -> [N, C, h, w]; or [N, C, D, H, W], [N, d, h, w, 3] -> [N, C, d, h,
/// w].
/// Dtypes: floating, one for both.
/// Throws: ShapeError when shapes do not fit; ValueError when the mode does not fit the dimensions; DTypeError,
/// DeviceError when tensors differ.
/// Determinism: the same bits on every device at every level, but the input's gradient, which adds in the order threads
/// arrive at not_guaranteed (`atomic`), else in the order of the places, and of the cells of each (`sorted`; `exact`
/// for one channel).
/// Gradient: of input and grid; a place's is the sum over the channels by ordering rule 1, and 0 for nearest and where
/// clamping moved the place. Second derivatives: of the input's gradient only (AutogradError for the grid's).
/// PyTorch: torch.nn.functional.grid_sample.
Tensor grid_sample(const Tensor& input, const Tensor& grid, InterpolateMode mode = InterpolateMode::bilinear,
                   GridPadding padding_mode = GridPadding::zeros, bool align_corners = false);

/// The grid of an affine map, for grid_sample. Place (x, y) of the result is theta (x, y, 1), where x goes from -1 to 1
/// along W, with align_corners, or else through the centres of W cells between them: (2 i + 1) / W - 1. A place is
/// added as (x theta_0 + y theta_1 + z theta_2) + the last column.
///
/// Shapes: theta [N, 2, 3] and size [N, C, H, W] -> [N, H, W, 2]; or [N, 3, 4] and [N, C, D, H, W] -> [N, D, H, W, 3].
/// Dtypes: floating.
/// Throws: ShapeError when shapes do not fit; ValueError when a size is below 1; DTypeError when theta is not floating.
/// Determinism: the same bits on every device at every level.
/// Gradient: of theta.
/// PyTorch: torch.nn.functional.affine_grid.
Tensor affine_grid(const Tensor& theta, const Dims& size, bool align_corners = false);

/// A copy of input with cells added before and behind its last dimensions: `padding` is {left, right} of the last
/// dimension, or {left, right, top, bottom}, and so on, two numbers for each dimension from the last on. Negative ones
/// take cells away. PadMode::constant: the new cells hold `value`. reflect: cell -i is cell i, and cell n - 1 + i is
/// cell n - 1 - i. replicate: they hold the nearest cell. circular: cell -i is cell n - i.
///
/// Shapes: constant pads any dimensions; the other modes the last 1, 2 or 3 of [N, C, spatial...] or [C, spatial...],
/// reflect by less than the size, circular by at most the size.
/// Dtypes: any.
/// Throws: ShapeError when dimensions or paddings do not fit; ValueError when `padding` has an odd number of entries,
/// or `value` does not fit the dtype.
/// Determinism: the same bits on every device at every level.
/// Gradient: a cell's is the sum of those of the cells that show it, by ordering rule 1 in their row-major order, added
/// to zero.
/// PyTorch: torch.nn.functional.pad.
Tensor pad(const Tensor& input, const std::vector<int64_t>& padding, PadMode mode = PadMode::constant,
           Scalar value = 0);

/// Every box, cut into output_size bins, of each the average of bilinear samples. A box is (number of the image, x1,
/// y1, x2, y2); coordinates are multiplied by spatial_scale. aligned: then 0.5 is subtracted, so that cell i is centred
/// at i; else a box is one cell high and wide at least. A bin has sampling_ratio rows and columns of samples (at most
/// 1024), evenly spread; where that is not positive, the bin's height and width in cells, rounded up. A sample at (y,
/// x) is (1 - y + i) (1 - x + j) of cell (i, j) and so on of the four around it; up to one cell outside of the input it
/// counts as on the border, further out, or where it is no number, as 0. A bin without samples is 0.
///
/// Shapes: input [N, C, H, W]; boxes [K, 5], or for every image a tensor [L, 4] of (x1, y1, x2, y2). Result [K, C,
/// rows, columns].
/// Dtypes: floating, one for all; half types are computed in float32.
/// Throws: IndexError when the number of an image, its fraction left out, is out of range; ShapeError, DTypeError,
/// DeviceError when tensors do not fit; ValueError when output_size, spatial_scale or sampling_ratio is out of range.
/// Determinism: the same bits on every device at every level, but the gradient: the samples inside, row-major, are
/// summed by ordering rule 1 and divided by the number of all. The gradient adds in the order threads arrive at
/// not_guaranteed (`atomic`), else in the order of the boxes and their bins (`sorted`; `exact` for one channel).
/// Gradient: of input; boxes get none.
/// PyTorch: torchvision.ops.roi_align.
Tensor roi_align(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale = 1,
                 int64_t sampling_ratio = -1, bool aligned = false);
Tensor roi_align(const Tensor& input, const TensorList& boxes, Size2 output_size, double spatial_scale = 1,
                 int64_t sampling_ratio = -1, bool aligned = false);

/// Every box, cut into output_size bins, of each the maximum. A box goes from cell round(spatial_scale x1) to cell
/// round(spatial_scale x2), halves away from zero, both included, and is one cell at least; of its n cells bin i of P
/// covers those from floor(i n / P) to ceil((i + 1) n / P), as far as they lie in the input. A bin without cells is 0.
/// A NaN in a bin is its maximum (torchvision leaves it out).
///
/// Shapes, Dtypes, Throws: as roi_align.
/// Determinism: the same bits on every device at every level, but the gradient, which adds in the order threads arrive
/// at not_guaranteed (`atomic`), else in the order of the result's elements (`sorted`, or `exact` where they are as
/// many as the input's).
/// Gradient: of input, each bin's added to its maximum, the first of equal ones in row-major order; boxes get none.
/// PyTorch: torchvision.ops.roi_pool, whose bins differ by a cell where its division rounds.
Tensor roi_pool(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale = 1);
Tensor roi_pool(const Tensor& input, const TensorList& boxes, Size2 output_size, double spatial_scale = 1);

}  // namespace ordo
