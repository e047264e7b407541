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

/// The first maximum of a window in row-major order; a NaN, the last one, wins over everything. `rows` are
/// windows.cells(od, oh) of the window's row.
template <class T, class Axis>
ORDO_HD MaxCell<accumulate_t<T>> max_window(const T* volume, const Windows<Axis>& windows, const WindowRows& rows,
                                            int64_t ow) {
  const int64_t w_begin = windows.w.begin(ow), w_end = windows.w.end(ow);
  const int64_t next_row = windows.h.step() * windows.w.input;
  int64_t row = windows.input_row(rows.d_begin, rows.h_begin), index = row + w_begin;
  accumulate_t<T> best = volume[index];
  for (int64_t id = rows.d_begin; id < rows.d_end;) {
    for (int64_t iw = w_begin; iw < w_end; iw += windows.w.step()) {
      const accumulate_t<T> v = volume[row + iw];
      if (v > best || v != v) {
        best = v;
        index = row + iw;
      }
    }
    row += next_row;
    if (row >= windows.input_row(id, rows.h_end)) row = windows.input_row(id += windows.d.step(), rows.h_begin);
  }
  return {best, index};
}

/// The average of a window: rule 1 in row-major order, divided once. Sum: ShortSum or OrderedSum.
template <template <class> class Sum, class T, class Axis>
ORDO_HD accumulate_t<T> average_window(const T* volume, const Windows<Axis>& windows, const WindowRows& rows,
                                       int64_t row_divisor, int64_t ow) {
  const int64_t w_begin = windows.w.begin(ow), w_end = windows.w.end(ow);
  const int64_t next_row = windows.h.step() * windows.w.input;
  int64_t row = windows.input_row(rows.d_begin, rows.h_begin);
  Sum<accumulate_t<T>> sum;
  for (int64_t id = rows.d_begin; id < rows.d_end;) {
    for (int64_t iw = w_begin; iw < w_end; iw += windows.w.step()) sum.push(volume[row + iw]);
    row += next_row;
    if (row >= windows.input_row(id, rows.h_end)) row = windows.input_row(id += windows.d.step(), rows.h_begin);
  }
  return sum.result() / accumulate_t<T>(windows.divisor(row_divisor, ow));
}

/// The gradient of input cell (id, ih, iw), `cell` in its volume: rule 1 over the outputs that chose it, in their
/// order, added to zero. `rows` are windows.outputs_at(id, ih).
template <template <class> class Sum, class T, class Axis>
ORDO_HD accumulate_t<T> max_gradient(const T* grad, const int64_t* indices, const Windows<Axis>& windows,
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

template <template <class> class Sum, class T, class Axis>
ORDO_HD accumulate_t<T> average_gradient(const T* grad, const Windows<Axis>& windows, const WindowRows& rows,
                                         int64_t id, int64_t ih, int64_t iw) {
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

}  // namespace ordo::kernels
