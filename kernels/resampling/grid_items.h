// What the places of a grid compute, and what they add to. Internal; shared by both devices.
#pragma once

#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/resampling/grid_taps.h>

namespace ordo::kernels {

template <class T>
struct GridSampleElement {
  GridShape s;
  const T *input, *grid;
  T* output;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const int64_t sample = quotient(i, s.positions), position = i - sample * s.positions;
    const GridPlace<V> at(s, grid + i * s.rank);
    const T* plane = input + sample * s.channels * s.cells();
    T* to = output + sample * s.channels * s.positions + position;
    ORDO_NO_UNROLL
    for (int64_t c = 0; c < s.channels; ++c, plane += s.cells(), to += s.positions) *to = T(at.weighted(s, plane));
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
    const int64_t sample = quotient(i, s.positions), position = i - sample * s.positions;
    ORDO_NO_UNROLL
    for (int axis = 0; axis < s.rank; ++axis) {
      const GridPlace<V> place(s, grid + i * s.rank, axis);
      const T* plane = input + sample * s.channels * s.cells();
      const T* from = grad + sample * s.channels * s.positions + position;
      OrderedSum<V> sum;
      ORDO_NO_UNROLL
      for (int64_t c = 0; c < s.channels; ++c, plane += s.cells(), from += s.positions)
        sum.push(V(*from) * place.weighted(s, plane));
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
    const int64_t plane = quotient(i, s.positions) * s.cells();
    const GridPlace<accumulate_t<T>> at(s, grid + i * s.rank);
    at.each_corner(s, [&](int k, int64_t cell, accumulate_t<T> weight) {
      cells[i * corners + k] = cell < 0 ? -1 : plane + cell;
      weights[i * corners + k] = weight;
    });
  }
};

}  // namespace ordo::kernels
