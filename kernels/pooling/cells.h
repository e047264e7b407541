// What one output, or one input cell, computes: the plain formulas behind every pooling kernel. Internal.
#pragma once

#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels {

/// Rule 1 for at most 64 values: a plain fold.
template <class V>
class ShortSum {
 public:
  ORDO_HD void push(V v) { sum_ += v; }
  ORDO_HD V result() const { return sum_; }

 private:
  V sum_ = V(-0.0);  // -0 + v is v, bit for bit
};

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

// What position i of a [volumes, d, h, w] result holds.

template <class T>
struct MaxPoolElement {
  Windows s;
  const T* input;
  T* values;
  int64_t* indices;  // may be null
  ORDO_HD void operator()(int64_t i) const {
    const VolumeCell at(i, s.d.output, s.h.output, s.w.output);
    const auto cell = first_maximum(input + at.volume * s.inputs(), s.h.input, s.w.input, s.d.cells(at.d),
                                    s.h.cells(at.h), s.w.cells(at.w));
    values[i] = T(cell.value);
    if (indices != nullptr) indices[i] = cell.index;
  }
};

/// The gradient of a cell: rule 1 over the outputs that chose it, in their order, added to zero. Sum: ShortSum or
/// OrderedSum.
template <template <class> class Sum, class T>
struct MaxPoolGradientElement {
  Windows s;
  const T* grad;
  const int64_t* indices;
  T* output;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const VolumeCell at(i, s.d.input, s.h.input, s.w.input);
    const int64_t first = at.volume * s.outputs(), cell = i - at.volume * s.inputs();
    const AxisCells d = s.d.outputs(at.d), h = s.h.outputs(at.h), w = s.w.outputs(at.w);
    Sum<V> sum;
    for (int64_t od = d.begin; od < d.end; ++od) {
      const int64_t end = first + s.output_row(od, h.end);
      for (int64_t row = first + s.output_row(od, h.begin); row < end; row += s.w.output) {
        for (int64_t o = row + w.begin; o < row + w.end; ++o)
          if (indices[o] == cell) sum.push(grad[o]);
      }
    }
    output[i] = T(V(0) + sum.result());
  }
};

/// The average of a window: rule 1 in row-major order, divided once.
template <template <class> class Sum, class T>
struct AveragePoolElement {
  Windows s;
  const T* input;
  T* values;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const VolumeCell at(i, s.d.output, s.h.output, s.w.output);
    const T* const volume = input + at.volume * s.inputs();
    const AxisCells d = s.d.cells(at.d), h = s.h.cells(at.h), w = s.w.cells(at.w);
    const int64_t next_row = h.step * s.w.input;
    int64_t row = s.input_row(d.begin, h.begin);
    Sum<V> sum;
    for (int64_t id = d.begin; id < d.end;) {
      for (int64_t iw = w.begin; iw < w.end; iw += w.step) sum.push(volume[row + iw]);
      row += next_row;
      if (row >= s.input_row(id, h.end)) row = s.input_row(id += d.step, h.begin);
    }
    values[i] = T(sum.result() / V(s.divisor(s.row_divisor(at.d, at.h), at.w)));
  }
};

/// The gradient of a cell: rule 1 over the outputs that cover it, in their order, each divided as the average was;
/// added to zero.
template <template <class> class Sum, class T>
struct AveragePoolGradientElement {
  Windows s;
  const T* grad;
  T* output;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const VolumeCell at(i, s.d.input, s.h.input, s.w.input);
    const AxisCells d = s.d.outputs(at.d), h = s.h.outputs(at.h), w = s.w.outputs(at.w);
    Sum<V> sum;
    for (int64_t od = d.begin; od < d.end; ++od) {
      if (!s.d.covers(od, at.d)) continue;
      for (int64_t oh = h.begin; oh < h.end; ++oh) {
        if (!s.h.covers(oh, at.h)) continue;
        const T* const row = grad + at.volume * s.outputs() + s.output_row(od, oh);
        const int64_t row_divisor = s.row_divisor(od, oh);
        for (int64_t ow = w.begin; ow < w.end; ++ow)
          if (s.w.covers(ow, at.w)) sum.push(V(row[ow]) / V(s.divisor(row_divisor, ow)));
      }
    }
    output[i] = T(V(0) + sum.result());
  }
};

}  // namespace ordo::kernels
