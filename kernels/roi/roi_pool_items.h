// What the bins of roi_pool compute. Internal; shared by both devices.
#pragma once

#include <ordo/engine/calls/index_check.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/roi/roi_boxes.h>

namespace ordo::kernels {

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
