// Maxima of bins of boxes on images, on plain tensors. The differentiable function is in
// <ordo/autograd/ops/functional/resampling.h>.
#pragma once

#include <ordo/engine/calls/index_check.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/roi/roi_boxes.h>

namespace ordo::kernels {

/// Maxima, and their flat places in the input, int64; -1 where there is none.
struct RoiPoolResult {
  Tensor values, places;
};

RoiPoolResult roi_pool(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale);
/// The gradient with respect to an input of `input_sizes`.
Tensor roi_pool_backward(const Tensor& grad, const Tensor& places, const Dims& input_sizes,
                         Algorithm algorithm = Algorithm::automatic);

// Per device. Everything is contiguous.
ORDO_DEVICES(void, roi_pool, const Tensor& input, const Tensor& boxes, const RoiPoolResult& result,
             const RoiShape& shape, double scale)

/// The first maximum of a bin in row-major order, and its flat place in the input; 0 and -1 for a bin without cells. A
/// NaN, the last one, wins. `plane` is the input's, which begins at `offset`.
template <class V, class T>
ORDO_HD MaxCell<V> roi_maximum(const T* plane, int64_t offset, int64_t width, const AxisCells& rows,
                               const AxisCells& columns) {
  if (rows.begin >= rows.end || columns.begin >= columns.end) return {V(0), -1};
  const MaxCell<V> best = first_maximum(plane, 0, width, {0, 1}, rows, columns);
  return {best.value, offset + best.index};
}

template <class T>
struct RoiPoolElement {
  RoiShape s;
  double scale;
  const T *input, *boxes;
  T* values;
  int64_t* places;
  IndexCheck check;
  ORDO_HD int64_t cell(T at) const { return nearest_cell(accumulate_t<T>(at) * accumulate_t<T>(scale)); }
  ORDO_HD AxisCells rows_of(const T* box, int64_t row) const {
    return roi_cells(cell(box[2]), cell(box[4]), row, s.rows, s.height);
  }
  ORDO_HD AxisCells columns_of(const T* box, int64_t column) const {
    return roi_cells(cell(box[1]), cell(box[3]), column, s.columns, s.width);
  }
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const VolumeCell at = s.output(i);
    const T* const box = boxes + at.volume * kBoxNumbers;
    const int64_t image = box_image(V(box[0]));
    if (!check.ok(at.volume * kBoxNumbers, image, s.images)) {
      values[i] = T(V(0));
      places[i] = -1;
      return;
    }
    const AxisCells rows = rows_of(box, at.h), columns = columns_of(box, at.w);
    const int64_t offset = (image * s.channels + at.d) * s.cells();
    const MaxCell<V> best = roi_maximum<V>(input + offset, offset, s.width, rows, columns);
    values[i] = T(best.value);
    places[i] = best.index;
  }
};

}  // namespace ordo::kernels
