// Images of another size, values of an image at the places of a grid or in regions, and padding.
// ValueError for an undefined tensor, DeviceError for tensors on different devices.
#pragma once

#include <optional>
#include <vector>

#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/resampling/modes.h>

namespace ordo {

struct InterpolateOptions {
  Dims size = {};                         ///< one number for all dimensions, or one for each
  std::vector<double> scale_factor = {};  ///< likewise
  InterpolateMode mode = InterpolateMode::nearest;
  std::optional<bool> align_corners = {};
  bool recompute_scale_factor = false;
};

/// The input with its spatial dimensions resampled to `size`, or to floor(input * scale_factor): one number for all of
/// them, or one for each. Along each, output o stands at x of the input, with s = input / output, or 1 / scale_factor
/// where that is given and not recompute_scale_factor:
///   nearest floor(o s); nearest_exact floor((o + 0.5) s), in float32;
///   linear, bilinear, trilinear, bicubic: s (o + 0.5) - 0.5; or o (input - 1) / (output - 1) with align_corners.
/// linear and its kin set x below 0 to 0 and weigh cell i = floor(x) by 1 - (x - i), the next by x - i. bicubic weighs
/// the cells i - 1 to i + 2 by Keys' cubics with a = -0.75. Cells outside are the nearest inside. Weights are computed
/// in the element type, float32 for half types. area is adaptive_avg_pool.
///
/// Shapes: [N, C, W], [N, C, H, W] or [N, C, D, H, W]; linear is for the first, bilinear and bicubic for the second,
/// trilinear for the third, the others for all.
/// Dtypes: floating.
/// Throws: DTypeError when the dtype is not floating; ShapeError when the shape is not the mode's, or a size is 0;
/// ValueError unless exactly one of size and scale_factor is given, with one number or one for each dimension, for
/// sizes from 1 to 2^31 - 1; also when align_corners is given to nearest, nearest_exact or area, recompute_scale_factor
/// to a size, or the mode is none.
/// Determinism: the same bits on every device at every level, but area as adaptive_avg_pool2d. Of every row of cells
/// the weighted sum is taken left to right, then that of the rows' sums.
/// Gradient: gathered from the outputs a cell is part of, by ordering rule 1: down each column, then over the columns.
/// PyTorch: torch.nn.functional.interpolate, without antialias.
Tensor interpolate(const Tensor& input, const InterpolateOptions& options = {});

struct GridSampleOptions {
  InterpolateMode mode = InterpolateMode::bilinear;
  GridPadding padding_mode = GridPadding::zeros;
  bool align_corners = false;
};

/// The input's values at the places that `grid` names: (x, y) or (x, y, z), where -1 and 1 are the borders of the input
/// along W, H and D. x is ((x + 1) W - 1) / 2 of the input, or, with align_corners, (x + 1) / 2 (W - 1): then -1 and 1
/// are the centres of the outer cells.
///
/// mode: bilinear, of the 4 cells around (8 in 3 dimensions), cell i weighing i + 1 - x at x and the next one x - i;
/// nearest, halves to the even cell; bicubic, in 2 dimensions, as interpolate. Weights are multiplied x first; cells
/// are added to zero, the innermost dimension changing fastest. Cells outside: 0, where padding_mode is zeros; or x is
/// clamped to the input (border), or mirrored at its borders and then clamped (reflection). A place that is NaN or
/// infinite counts as outside; with border and reflection NaN is 0.
///
/// Shapes: input [N, C, H, W] with grid [N, h, w, 2] -> [N, C, h, w], or [N, C, D, H, W] with [N, d, h, w, 3] -> [N, C,
/// d, h, w].
/// Dtypes: floating, one for both.
/// Throws: DTypeError when dtypes differ or are not floating; ShapeError when shapes are others, or a spatial size is
/// 0; ValueError when the mode or padding_mode is another; AutogradError when bicubic's gradient of the grid is
/// differentiated again.
/// Determinism: the same bits on every device at every level. The input's gradient adds in the order threads arrive at
/// not_guaranteed (`atomic`), else in the order of places and of the cells of each (`sorted`, ordering rule 1):
/// same bits everywhere.
/// Gradient: of input and grid. A place's is the sum over the channels by ordering rule 1; it is 0 for nearest, and
/// where clamping moved the place. Where it is to be differentiated again, it is composed of operations on the corners,
/// and may round otherwise.
/// PyTorch: torch.nn.functional.grid_sample.
Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridSampleOptions& options = {});

/// The grid of an affine map, for grid_sample: place (x, y) of the result is theta (x, y, 1), added as (x theta_0 + y
/// theta_1 + z theta_2) + the last column. x goes from -1 to 1 along W, with align_corners, or else through the centres
/// of W cells between them: (2 i + 1) / W - 1.
///
/// Shapes: theta [N, 2, 3] and size [N, C, H, W] -> [N, H, W, 2], or [N, 3, 4] and [N, C, D, H, W] -> [N, D, H, W, 3].
/// Dtypes: floating.
/// Throws: DTypeError when theta is not floating; ShapeError when shapes are others; ValueError when a size is below 1.
/// Determinism: the same bits on every device at every level.
/// Gradient: of theta.
/// PyTorch: torch.nn.functional.affine_grid.
Tensor affine_grid(const Tensor& theta, const Dims& size, bool align_corners = false);

/// A copy of the input with cells added before and behind its last dimensions. `padding` is {left, right} of the last
/// one, or {left, right, top, bottom}, and so on. Negative numbers take cells away.
///
/// constant: the new cells hold `value`. reflect: cell -i is cell i, and cell n - 1 + i is cell n - 1 - i. replicate:
/// they hold the nearest cell. circular: cell -i is cell n - i.
///
/// Shapes: any; the last 1, 2 or 3 dimensions of [N, C, spatial...] or [C, spatial...] where the mode is not constant.
/// Dtypes: any.
/// Throws: ShapeError when there are numbers for more dimensions than these, or nothing is left (constant: less than
/// nothing); ValueError when a number is missing, reflect pads by the size n or more, circular by more than n,
/// replicate keeps no cell, the mode is none, or `value` does not fit the dtype.
/// Determinism: the same bits on every device at every level.
/// Gradient: of a cell, the sum over the cells that show it, by ordering rule 1, row-major, added to zero.
/// PyTorch: torch.nn.functional.pad.
Tensor pad(const Tensor& input, const std::vector<int64_t>& padding, PadMode mode = PadMode::constant,
           Scalar value = 0);

/// Every box, cut into output_size bins, of each the average of bilinear samples. A box is (number of the image, x1,
/// y1, x2, y2), or (x1, y1, x2, y2) in the list of its image; coordinates are multiplied by spatial_scale.
///
/// aligned: then 0.5 is subtracted, so that cell i is centred at i; else a box is one cell high and wide at least. A
/// bin has sampling_ratio rows and columns of samples, evenly spread; where that is not positive, the bin's height and
/// width in cells, rounded up. A sample at (y, x) is (1 - y + i) (1 - x + j) of cell (i, j) and so on of the four
/// around it; up to one cell outside of the input it counts as on the border; further out, or where it is no number, it
/// is 0. A bin without samples is 0. Half types are computed in float32.
///
/// Shapes: input [N, C, H, W]; boxes [K, 5], or [L, 4] for every image -> [K, C, rows, columns].
/// Dtypes: floating, one for both.
/// Throws: DTypeError when dtypes differ or are not floating; ShapeError when shapes are others; ValueError when an
/// output_size is below 1, sampling_ratio above 1024, or lists are more than the dtype counts; IndexError when an
/// image, its fraction left out, is out of range.
/// Determinism: the same bits on every device at every level; the samples inside are summed by ordering rule 1 and
/// divided by the number of all. The input's gradient as grid_sample's, in the order of the boxes and their bins.
/// Gradient: of input. None of boxes.
/// PyTorch: torchvision.ops.roi_align.
Tensor roi_align(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale = 1,
                 int64_t sampling_ratio = -1, bool aligned = false);
Tensor roi_align(const Tensor& input, const TensorList& boxes, Size2 output_size, double spatial_scale = 1,
                 int64_t sampling_ratio = -1, bool aligned = false);

/// Every box, cut into output_size bins, of each the maximum. Boxes are roi_align's.
///
/// A box goes from cell round(spatial_scale x1) to cell round(spatial_scale x2), halves away from zero, both included,
/// and is one cell at least; of its n cells bin i of P covers those from floor(i n / P) to ceil((i + 1) n / P), as far
/// as they lie in the input. A bin without cells is 0. A NaN in a bin is its maximum.
///
/// Shapes, Dtypes: as roi_align.
/// Throws: as roi_align, without sampling_ratio.
/// Determinism: the same bits on every device at every level. The input's gradient adds as roi_align's, in the order of
/// the result's elements.
/// Gradient: of input, at the first of equal maxima in row-major order. None of boxes.
/// PyTorch: torchvision.ops.roi_pool, which leaves NaN out, and whose bins differ by a cell where its division rounds.
Tensor roi_pool(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale = 1);
Tensor roi_pool(const Tensor& input, const TensorList& boxes, Size2 output_size, double spatial_scale = 1);

}  // namespace ordo
