// Regions of images, resampled or pooled to one size.
#pragma once

#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>

namespace ordo {

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
