// What one output, or one input cell, computes: the plain formulas behind every pooling kernel. Internal.
#pragma once

#include <ordo/engine/dtype.h>
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

/// Cells begin, begin + step, ... < end of an axis; at least one.
struct AxisCells {
  int64_t begin, end, step = 1;
};

/// The first maximum of the cells of a [d, height, width] volume in row-major order; a NaN, the last one, wins over
/// everything.
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

/// That of a window; `rows` are windows.cells(od, oh).
template <class T>
ORDO_HD MaxCell<accumulate_t<T>> max_window(const T* volume, const Windows& windows, const WindowRows& rows,
                                            int64_t ow) {
  const WindowAxis& w = windows.w;
  return first_maximum(volume, windows.h.input, w.input, {rows.d_begin, rows.d_end, windows.d.dilation},
                       {rows.h_begin, rows.h_end, windows.h.dilation}, {w.begin(ow), w.end(ow), w.dilation});
}

/// The average of a window: rule 1 in row-major order, divided once. Sum: ShortSum or OrderedSum.
template <template <class> class Sum, class T>
ORDO_HD accumulate_t<T> average_window(const T* volume, const Windows& windows, const WindowRows& rows,
                                       int64_t row_divisor, int64_t ow) {
  const int64_t w_begin = windows.w.begin(ow), w_end = windows.w.end(ow);
  const int64_t next_row = windows.h.dilation * windows.w.input;
  int64_t row = windows.input_row(rows.d_begin, rows.h_begin);
  Sum<accumulate_t<T>> sum;
  for (int64_t id = rows.d_begin; id < rows.d_end;) {
    for (int64_t iw = w_begin; iw < w_end; iw += windows.w.dilation) sum.push(volume[row + iw]);
    row += next_row;
    if (row >= windows.input_row(id, rows.h_end)) row = windows.input_row(id += windows.d.dilation, rows.h_begin);
  }
  return sum.result() / accumulate_t<T>(windows.divisor(row_divisor, ow));
}

/// The gradient of input cell (id, ih, iw), `cell` in its volume: rule 1 over the outputs that chose it, in their
/// order, added to zero. `rows` are windows.outputs_at(id, ih).
template <template <class> class Sum, class T>
ORDO_HD accumulate_t<T> max_gradient(const T* grad, const int64_t* indices, const Windows& windows,
                                     const WindowRows& rows, int64_t cell, int64_t iw) {
  const int64_t w_begin = windows.w.first_output(iw), w_end = windows.w.end_output(iw);
  Sum<accumulate_t<T>> sum;
  for (int64_t od = rows.d_begin; od < rows.d_end; ++od) {
    const int64_t end = windows.output_row(od, rows.h_end);
    for (int64_t row = windows.output_row(od, rows.h_begin); row < end; row += windows.w.output) {
      for (int64_t o = row + w_begin; o < row + w_end; ++o)
        if (indices[o] == cell) sum.push(grad[o]);
    }
  }
  return accumulate_t<T>(0) + sum.result();
}

template <template <class> class Sum, class T>
ORDO_HD accumulate_t<T> average_gradient(const T* grad, const Windows& windows, const WindowRows& rows, int64_t id,
                                         int64_t ih, int64_t iw) {
  using V = accumulate_t<T>;
  const int64_t w_begin = windows.w.first_output(iw), w_end = windows.w.end_output(iw);
  Sum<V> sum;
  for (int64_t od = rows.d_begin; od < rows.d_end; ++od) {
    if (!windows.d.covers(od, id)) continue;
    for (int64_t oh = rows.h_begin; oh < rows.h_end; ++oh) {
      if (!windows.h.covers(oh, ih)) continue;
      const T* const row = grad + windows.output_row(od, oh);
      const int64_t row_divisor = windows.row_divisor(od, oh);
      for (int64_t ow = w_begin; ow < w_end; ++ow)
        if (windows.w.covers(ow, iw)) sum.push(V(row[ow]) / V(windows.divisor(row_divisor, ow)));
    }
  }
  return V(0) + sum.result();
}

// The same for position i of a [volumes, d, h, w] result.

template <class T>
struct MaxPoolElement {
  Windows s;
  const T* input;
  T* values;
  int64_t* indices;  // may be null
  ORDO_HD void operator()(int64_t i) const {
    const VolumeCell at(i, s.d.output, s.h.output, s.w.output);
    const auto cell = max_window(input + at.volume * s.inputs(), s, s.cells(at.d, at.h), at.w);
    values[i] = T(cell.value);
    if (indices != nullptr) indices[i] = cell.index;
  }
};

template <template <class> class Sum, class T>
struct MaxPoolGradientElement {
  Windows s;
  const T* grad;
  const int64_t* indices;
  T* output;
  ORDO_HD void operator()(int64_t i) const {
    const VolumeCell at(i, s.d.input, s.h.input, s.w.input);
    const int64_t first = at.volume * s.outputs();
    output[i] = T(max_gradient<Sum>(grad + first, indices + first, s, s.outputs_at(at.d, at.h),
                                    i - at.volume * s.inputs(), at.w));
  }
};

template <template <class> class Sum, class T>
struct AveragePoolElement {
  Windows s;
  const T* input;
  T* values;
  ORDO_HD void operator()(int64_t i) const {
    const VolumeCell at(i, s.d.output, s.h.output, s.w.output);
    values[i] =
        T(average_window<Sum>(input + at.volume * s.inputs(), s, s.cells(at.d, at.h), s.row_divisor(at.d, at.h), at.w));
  }
};

template <template <class> class Sum, class T>
struct AveragePoolGradientElement {
  Windows s;
  const T* grad;
  T* output;
  ORDO_HD void operator()(int64_t i) const {
    const VolumeCell at(i, s.d.input, s.h.input, s.w.input);
    output[i] = T(average_gradient<Sum>(grad + at.volume * s.outputs(), s, s.outputs_at(at.d, at.h), at.d, at.h, at.w));
  }
};

}  // namespace ordo::kernels
