// What the places of a grid compute, and what they add to. Internal; shared by both devices.
#pragma once

#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/resampling/grid_taps.h>

namespace ordo::kernels {

/// The cells of a place in one plane, weighted and added to zero in their order.
template <class T, class V>
ORDO_HD V weighted_cells(const T* plane, const GridCorners<V>& at, int corners) {
  V sum = V(0);
  for (int k = 0; k < corners; ++k)
    if (at.cell[k] >= 0) sum += at.weight[k] * V(plane[at.cell[k]]);
  return sum;
}

template <class T>
struct GridSampleElement {
  GridShape s;
  const T *input, *grid;
  T* output;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const int64_t sample = i / s.positions, position = i - sample * s.positions;
    const GridCorners<V> at = GridPlace<V>(s, grid + i * s.rank).corners(s);
    const T* plane = input + sample * s.channels * s.cells();
    T* to = output + sample * s.channels * s.positions + position;
    for (int64_t c = 0; c < s.channels; ++c, plane += s.cells(), to += s.positions)
      *to = T(weighted_cells(plane, at, s.corners()));
  }
};

/// The gradient of a place's coordinates: for each, rule 1 over the channels.
template <class T>
struct GridGradientElement {
  GridShape s;
  const T *grad, *input, *grid;
  T* output;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const int64_t sample = i / s.positions, position = i - sample * s.positions;
    const GridPlace<V> place(s, grid + i * s.rank);
    for (int axis = 0; axis < s.rank; ++axis) {
      GridPlace<V> along = place;  // with slopes in place of the axis' weights
      GridTaps<V>& taps = axis == 0 ? along.x : axis == 1 ? along.y : along.z;
      for (int k = 0; k < s.taps(); ++k) taps.weight[k] = taps.slope[k];
      const GridCorners<V> at = along.corners(s);
      const T* plane = input + sample * s.channels * s.cells();
      const T* from = grad + sample * s.channels * s.positions + position;
      OrderedSum<V> sum;
      for (int64_t c = 0; c < s.channels; ++c, plane += s.cells(), from += s.positions)
        sum.push(V(*from) * weighted_cells(plane, at, s.corners()));
      output[i * s.rank + axis] = T(sum.result());
    }
  }
};

/// The items of a place: a cell, -1 for none, and a weight for each corner.
template <class T>
struct GridItemsElement {
  GridShape s;
  const T* grid;
  int64_t* cells;
  accumulate_t<T>* weights;
  ORDO_HD void operator()(int64_t i) const {
    const int corners = s.corners();
    const auto at = GridPlace<accumulate_t<T>>(s, grid + i * s.rank).corners(s);
    for (int k = 0; k < corners; ++k) {
      cells[i * corners + k] = at.cell[k] < 0 ? -1 : i / s.positions * s.cells() + at.cell[k];
      weights[i * corners + k] = at.weight[k];
    }
  }
};

/// Item i adds row i / corners of the gradient, weighted, to its cell.
template <class T>
struct GridItems {
  using value_type = T;
  using Acc = accumulate_t<T>;
  int64_t count;
  const int64_t* cells;
  const Acc* weights;
  const T* rows;
  int64_t columns, corners;

  ORDO_HD int64_t destination(int64_t item) const { return cells[item]; }
  ORDO_HD int64_t raw_destination(int64_t item) const { return cells[item]; }
  ORDO_HD int64_t destination_from(int64_t, int64_t raw) const { return raw; }
  ORDO_HD Acc value(int64_t item, int64_t column) const { return element(*address(item, 0, column), item); }
  ORDO_HD Acc element(T read, int64_t item) const { return weights[item] * Acc(read); }
  ORDO_HD const T* address(int64_t item, int64_t, int64_t column) const {
    return rows + quotient(item, corners) * columns + column;
  }
  bool aligned(int64_t bytes) const { return rows_aligned(rows, {columns}, bytes); }
};

}  // namespace ordo::kernels
