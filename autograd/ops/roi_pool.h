// Regions of images, pooled to one size.
#pragma once

#include <ordo/engine/size.h>
#include <ordo/engine/tensor.h>

namespace ordo {

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
