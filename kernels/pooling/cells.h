// What one output, or one input cell, computes: the plain formulas behind every pooling kernel. Internal.
#pragma once

#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels {

template <class V>
struct MaxCell {
  V value;
  int64_t index;  // flat in the volume
};

/// The first maximum of the cells (at least one) of a [d, height, width] volume in row-major order; a NaN, the last
/// one, wins over everything.
template <class T>
ORDO_HD MaxCell<accumulate_t<T>> first_maximum(const T* volume, int64_t height, int64_t width, const AxisCells& d,
                                               const AxisCells& h, const AxisCells& w) {
  const int64_t next_row = h.step * width;
  int64_t row = (d.begin * height + h.begin) * width, index = row + w.begin;
  accumulate_t<T> best = volume[index];
  for (int64_t id = d.begin; id < d.end;) {
    for (int64_t iw = w.begin; iw < w.end; iw += w.step) {
      const accumulate_t<T> v = volume[row + iw];
      if (v > best || v != v) {
        best = v;
        index = row + iw;
      }
    }
    row += next_row;
    if (row >= (id * height + h.end) * width) row = ((id += d.step) * height + h.begin) * width;
  }
  return {best, index};
}

// What position `at` of volume v of a [volumes, d, h, w] result holds. Its window is the same in all volumes, and is
// found once for many of them.

struct PoolWindow {
  int64_t position;
  VolumeCell at;
  AxisCells d, h, w;
};

/// f(volume, window) for element i of the result.
template <class F>
ORDO_HD void at_position(const F& f, int64_t i) {
  const int64_t volume = quotient(i, f.positions());
  f(volume, f.window(i - volume * f.positions()));
}

/// Base of what computes an output. Its window: the cells it covers.
struct OfOutput {
  Windows s;
  ORDO_HD int64_t positions() const { return s.outputs(); }
  ORDO_HD PoolWindow window(int64_t position) const {
    const VolumeCell at(position, s.d.output, s.h.output, s.w.output);
    return {position, at, s.d.cells(at.d), s.h.cells(at.h), s.w.cells(at.w)};
  }
};
/// Of a cell: the outputs that may cover it.
struct OfCell {
  Windows s;
  ORDO_HD int64_t positions() const { return s.inputs(); }
  ORDO_HD PoolWindow window(int64_t position) const {
    const VolumeCell at(position, s.d.input, s.h.input, s.w.input);
    return {position, at, s.d.outputs(at.d), s.h.outputs(at.h), s.w.outputs(at.w)};
  }
};

template <class T>
struct MaxPoolElement : OfOutput {
  const T* input;
  T* values;
  int64_t* indices;  // may be null
  ORDO_HD void operator()(int64_t volume, const PoolWindow& p) const {
    const auto cell = first_maximum(input + volume * s.inputs(), s.h.input, s.w.input, p.d, p.h, p.w);
    const int64_t i = volume * s.outputs() + p.position;
    values[i] = T(cell.value);
    if (indices != nullptr) indices[i] = cell.index;
  }
};

/// The gradient of a cell: rule 1 over the outputs that chose it, in their order, added to zero. Sum: ShortSum or
/// OrderedSum.
template <template <class> class Sum, class T>
struct MaxPoolGradientElement : OfCell {
  const T* grad;
  const int64_t* indices;
  T* output;
  ORDO_HD void operator()(int64_t volume, const PoolWindow& p) const {
    using V = accumulate_t<T>;
    const int64_t first = volume * s.outputs();
    Sum<V> sum;
    for (int64_t od = p.d.begin; od < p.d.end; ++od) {
      const int64_t end = first + s.output_row(od, p.h.end);
      for (int64_t row = first + s.output_row(od, p.h.begin); row < end; row += s.w.output) {
        for (int64_t o = row + p.w.begin; o < row + p.w.end; ++o)
          if (indices[o] == p.position) sum.push(grad[o]);
      }
    }
    output[volume * s.inputs() + p.position] = T(V(0) + sum.result());
  }
};

/// The average of a window: rule 1 in row-major order, divided once.
template <template <class> class Sum, class T>
struct AveragePoolElement : OfOutput {
  const T* input;
  T* values;
  ORDO_HD void operator()(int64_t volume, const PoolWindow& p) const {
    using V = accumulate_t<T>;
    const T* const from = input + volume * s.inputs();
    const int64_t next_row = p.h.step * s.w.input;
    int64_t row = s.input_row(p.d.begin, p.h.begin);
    Sum<V> sum;
    for (int64_t id = p.d.begin; id < p.d.end;) {
      for (int64_t iw = p.w.begin; iw < p.w.end; iw += p.w.step) sum.push(from[row + iw]);
      row += next_row;
      if (row >= s.input_row(id, p.h.end)) row = s.input_row(id += p.d.step, p.h.begin);
    }
    values[volume * s.outputs() + p.position] = T(sum.result() / V(s.divisor(s.row_divisor(p.at.d, p.at.h), p.at.w)));
  }
};

/// The gradient of a cell: rule 1 over the outputs that cover it, in their order, each divided as the average was;
/// added to zero.
template <template <class> class Sum, class T>
struct AveragePoolGradientElement : OfCell {
  const T* grad;
  T* output;
  ORDO_HD void operator()(int64_t volume, const PoolWindow& p) const {
    using V = accumulate_t<T>;
    Sum<V> sum;
    for (int64_t od = p.d.begin; od < p.d.end; ++od) {
      if (!s.d.covers(od, p.at.d)) continue;
      for (int64_t oh = p.h.begin; oh < p.h.end; ++oh) {
        if (!s.h.covers(oh, p.at.h)) continue;
        const T* const row = grad + volume * s.outputs() + s.output_row(od, oh);
        const int64_t row_divisor = s.row_divisor(od, oh);
        for (int64_t ow = p.w.begin; ow < p.w.end; ++ow)
          if (s.w.covers(ow, p.at.w)) sum.push(V(row[ow]) / V(s.divisor(row_divisor, ow)));
      }
    }
    output[volume * s.inputs() + p.position] = T(V(0) + sum.result());
  }
};

}  // namespace ordo::kernels
