// What one output, or one input cell, computes. Internal; shared by both devices.
#pragma once

#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/resampling/resample_axis.h>

namespace ordo::kernels {

/// Output (od, oh, ow): of every row of cells their weighted sum, left to right, and of these sums theirs, row by row.
template <class T>
ORDO_HD T resampled(const T* volume, const ResampleTables<accumulate_t<T>>& t, int64_t od, int64_t oh, int64_t ow) {
  using V = accumulate_t<T>;
  const int taps_d = t.d.axis.taps(), taps_h = t.h.axis.taps(), taps_w = t.w.axis.taps();
  const int64_t from_d = t.d.first[od], from_h = t.h.first[oh], from_w = t.w.first[ow];
  V sum = V(0);
  for (int a = 0; a < taps_d; ++a)
    for (int b = 0; b < taps_h; ++b) {
      const T* const row =
          volume + (t.d.axis.cell(from_d + a) * t.h.axis.input + t.h.axis.cell(from_h + b)) * t.w.axis.input;
      if (taps_w == 1) return row[t.w.axis.cell(from_w)];  // nearest: no sums
      const V* const w = t.w.weights + ow * taps_w;
      V across = w[0] * V(row[t.w.axis.cell(from_w)]);
      for (int c = 1; c < taps_w; ++c) across = across + w[c] * V(row[t.w.axis.cell(from_w + c)]);
      across = t.d.weights[od * taps_d + a] * t.h.weights[oh * taps_h + b] * across;
      sum = a + b == 0 ? across : sum + across;
    }
  return T(sum);
}

/// The gradient of cell (id, ih, iw): of every column of outputs the sum of their weighted gradients by rule 1, layer
/// by layer and row by row, and of these sums theirs by rule 1, weighted again; added to zero.
template <class T>
ORDO_HD T resampled_gradient(const T* grad, const ResampleTables<accumulate_t<T>>& t, int64_t id, int64_t ih,
                             int64_t iw) {
  using V = accumulate_t<T>;
  OrderedSum<V> sum;
  for (int64_t ow = t.w.begin[iw]; ow < t.w.end[iw]; ++ow) {
    OrderedSum<V> down;
    for (int64_t od = t.d.begin[id]; od < t.d.end[id]; ++od) {
      const V deep = t.d.weight(od, id);
      for (int64_t oh = t.h.begin[ih]; oh < t.h.end[ih]; ++oh)
        down.push(deep * t.h.weight(oh, ih) * V(grad[(od * t.h.axis.output + oh) * t.w.axis.output + ow]));
    }
    sum.push(t.w.weight(ow, iw) * down.result());
  }
  return T(V(0) + sum.result());
}

}  // namespace ordo::kernels
