// What one output, or one input cell, computes: the plain formulas behind every pooling kernel. Internal.
#pragma once

#include <ordo/engine/dtype.h>
#include <ordo/kernels/accumulate/ordered_sum.h>
#include <ordo/kernels/pooling/windows.h>

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
  int64_t index;  // flat in the plane
};

/// The first maximum of a window in row-major order; a NaN, the last one, wins over everything.
template <class T, class Axis>
ORDO_HD MaxCell<accumulate_t<T>> max_window(const T* plane, const Windows<Axis>& windows, int64_t oh, int64_t ow) {
  const int64_t h_end = windows.h.end(oh), w_begin = windows.w.begin(ow), w_end = windows.w.end(ow);
  int64_t index = windows.h.begin(oh) * windows.w.input + w_begin;
  accumulate_t<T> best = plane[index];
  for (int64_t ih = windows.h.begin(oh); ih < h_end; ih += windows.h.step()) {
    for (int64_t iw = w_begin; iw < w_end; iw += windows.w.step()) {
      const accumulate_t<T> v = plane[ih * windows.w.input + iw];
      if (v > best || v != v) {
        best = v;
        index = ih * windows.w.input + iw;
      }
    }
  }
  return {best, index};
}

/// The average of a window: rule 1 in row-major order, divided once. Sum: ShortSum or OrderedSum.
template <template <class> class Sum, class T, class Axis>
ORDO_HD accumulate_t<T> average_window(const T* plane, const Windows<Axis>& windows, int64_t oh, int64_t ow) {
  const int64_t h_end = windows.h.end(oh), w_begin = windows.w.begin(ow), w_end = windows.w.end(ow);
  Sum<accumulate_t<T>> sum;
  for (int64_t ih = windows.h.begin(oh); ih < h_end; ih += windows.h.step())
    for (int64_t iw = w_begin; iw < w_end; iw += windows.w.step()) sum.push(plane[ih * windows.w.input + iw]);
  return sum.result() / accumulate_t<T>(windows.divisor(oh, ow));
}

/// The gradient of input cell (ih, iw): rule 1 over the outputs that chose it, in their order, added to zero.
template <template <class> class Sum, class T, class Axis>
ORDO_HD accumulate_t<T> max_gradient(const T* grad, const int64_t* indices, const Windows<Axis>& windows, int64_t ih,
                                     int64_t iw) {
  const int64_t h_end = windows.h.end_output(ih), w_begin = windows.w.first_output(iw),
                w_end = windows.w.end_output(iw), cell = ih * windows.w.input + iw;
  Sum<accumulate_t<T>> sum;
  for (int64_t oh = windows.h.first_output(ih); oh < h_end; ++oh) {
    for (int64_t ow = w_begin; ow < w_end; ++ow) {
      const int64_t o = oh * windows.w.output + ow;
      if (indices[o] == cell) sum.push(grad[o]);
    }
  }
  return accumulate_t<T>(0) + sum.result();
}

template <template <class> class Sum, class T, class Axis>
ORDO_HD accumulate_t<T> average_gradient(const T* grad, const Windows<Axis>& windows, int64_t ih, int64_t iw) {
  using V = accumulate_t<T>;
  const int64_t h_end = windows.h.end_output(ih), w_begin = windows.w.first_output(iw),
                w_end = windows.w.end_output(iw);
  Sum<V> sum;
  for (int64_t oh = windows.h.first_output(ih); oh < h_end; ++oh) {
    if (!windows.h.covers(oh, ih)) continue;
    for (int64_t ow = w_begin; ow < w_end; ++ow) {
      if (windows.w.covers(ow, iw)) sum.push(V(grad[oh * windows.w.output + ow]) / V(windows.divisor(oh, ow)));
    }
  }
  return V(0) + sum.result();
}

}  // namespace ordo::kernels
