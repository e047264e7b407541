// What one output, or one input cell, computes: the plain formulas behind every pooling kernel. Internal.
#pragma once

#include <ordo/engine/dtype.h>
#include <ordo/kernels/accumulate/ordered_sum.h>
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

/// The first maximum of a window in row-major order; a NaN, the last one, wins over everything.
template <class T, class Axis>
ORDO_HD MaxCell<accumulate_t<T>> max_window(const T* volume, const Windows<Axis>& windows, int64_t od, int64_t oh,
                                            int64_t ow) {
  const int64_t d_begin = windows.d.begin(od), d_end = windows.d.end(od), h_begin = windows.h.begin(oh),
                h_end = windows.h.end(oh), w_begin = windows.w.begin(ow), w_end = windows.w.end(ow);
  int64_t index = windows.input_row(d_begin, h_begin) + w_begin;
  accumulate_t<T> best = volume[index];
  for (int64_t id = d_begin; id < d_end; id += windows.d.step()) {
    for (int64_t ih = h_begin; ih < h_end; ih += windows.h.step()) {
      const int64_t row = windows.input_row(id, ih);
      for (int64_t iw = w_begin; iw < w_end; iw += windows.w.step()) {
        const accumulate_t<T> v = volume[row + iw];
        if (v > best || v != v) {
          best = v;
          index = row + iw;
        }
      }
    }
  }
  return {best, index};
}

/// The average of a window: rule 1 in row-major order, divided once. Sum: ShortSum or OrderedSum.
template <template <class> class Sum, class T, class Axis>
ORDO_HD accumulate_t<T> average_window(const T* volume, const Windows<Axis>& windows, int64_t od, int64_t oh,
                                       int64_t ow) {
  const int64_t d_end = windows.d.end(od), h_begin = windows.h.begin(oh), h_end = windows.h.end(oh),
                w_begin = windows.w.begin(ow), w_end = windows.w.end(ow);
  Sum<accumulate_t<T>> sum;
  for (int64_t id = windows.d.begin(od); id < d_end; id += windows.d.step()) {
    for (int64_t ih = h_begin; ih < h_end; ih += windows.h.step()) {
      const T* const row = volume + windows.input_row(id, ih);
      for (int64_t iw = w_begin; iw < w_end; iw += windows.w.step()) sum.push(row[iw]);
    }
  }
  return sum.result() / accumulate_t<T>(windows.divisor(od, oh, ow));
}

/// The gradient of input cell (id, ih, iw): rule 1 over the outputs that chose it, in their order, added to zero.
template <template <class> class Sum, class T, class Axis>
ORDO_HD accumulate_t<T> max_gradient(const T* grad, const int64_t* indices, const Windows<Axis>& windows, int64_t id,
                                     int64_t ih, int64_t iw) {
  const int64_t d_end = windows.d.end_output(id), h_begin = windows.h.first_output(ih),
                h_end = windows.h.end_output(ih), w_begin = windows.w.first_output(iw),
                w_end = windows.w.end_output(iw), cell = windows.input_row(id, ih) + iw;
  Sum<accumulate_t<T>> sum;
  for (int64_t od = windows.d.first_output(id); od < d_end; ++od) {
    for (int64_t oh = h_begin; oh < h_end; ++oh) {
      const int64_t row = windows.output_row(od, oh);
      for (int64_t o = row + w_begin; o < row + w_end; ++o)
        if (indices[o] == cell) sum.push(grad[o]);
    }
  }
  return accumulate_t<T>(0) + sum.result();
}

template <template <class> class Sum, class T, class Axis>
ORDO_HD accumulate_t<T> average_gradient(const T* grad, const Windows<Axis>& windows, int64_t id, int64_t ih,
                                         int64_t iw) {
  using V = accumulate_t<T>;
  const int64_t d_end = windows.d.end_output(id), h_begin = windows.h.first_output(ih),
                h_end = windows.h.end_output(ih), w_begin = windows.w.first_output(iw),
                w_end = windows.w.end_output(iw);
  Sum<V> sum;
  for (int64_t od = windows.d.first_output(id); od < d_end; ++od) {
    if (!windows.d.covers(od, id)) continue;
    for (int64_t oh = h_begin; oh < h_end; ++oh) {
      if (!windows.h.covers(oh, ih)) continue;
      const T* const row = grad + windows.output_row(od, oh);
      for (int64_t ow = w_begin; ow < w_end; ++ow)
        if (windows.w.covers(ow, iw)) sum.push(V(row[ow]) / V(windows.divisor(od, oh, ow)));
    }
  }
  return V(0) + sum.result();
}

}  // namespace ordo::kernels
