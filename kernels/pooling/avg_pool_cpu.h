// Average pooling on the CPU, for both kinds of windows. Internal.
#pragma once

#include <ordo/engine/op_registry.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/pooling/rows_cpu.h>

namespace ordo::kernels::cpu {

inline constexpr int64_t kAverageBlock = 128;

/// Calls f(ih, first, last, shift) for every row and column of a sliding window, backwards along the row: outputs
/// [first, last) of the block meet the cells ow * stride + shift.
template <class F>
void for_window_cells(const SlidingWindows& windows, int64_t oh, int64_t block, int64_t block_end, bool backwards,
                      const F& f) {
  const SlidingAxis& w = windows.w;
  const int64_t h_end = windows.h.end(oh);
  for (int64_t ih = windows.h.begin(oh); ih < h_end; ih += windows.h.step()) {
    for (int64_t j = 0; j < w.kernel; ++j) {
      const int64_t shift = (backwards ? w.kernel - 1 - j : j) * w.dilation - w.padding;
      if (shift >= w.input) continue;
      const int64_t first = std::max(block, shift >= 0 ? 0 : (w.stride - 1 - shift) / w.stride);
      const int64_t last = std::min(block_end, (w.input - 1 - shift) / w.stride + 1);
      f(ih, first, last, shift);
    }
  }
}

/// One output row of windows of at most 64 cells: plain sums, vectorised along the row.
template <class T, int kStride>
void average_row(const T* plane, T* values, const SlidingWindows& windows, int64_t oh) {
  using V = accumulate_t<T>;
  const SlidingAxis& w = windows.w;
  const int64_t stride = kStride > 0 ? kStride : w.stride;
  V sums[kAverageBlock];
  for (int64_t block = 0; block < w.output; block += kAverageBlock) {
    const int64_t block_end = std::min(w.output, block + kAverageBlock);
    std::fill(sums, sums + (block_end - block), V(-0.0));  // -0 + v is v, bit for bit
    for_window_cells(windows, oh, block, block_end, false, [&](int64_t ih, int64_t first, int64_t last, int64_t shift) {
      const T* row = plane + ih * w.input + shift + first * stride;
      V* const to = sums + (first - block);
      for (int64_t i = 0; i < last - first; ++i) to[i] += V(row[i * stride]);
    });
    for (int64_t ow = block; ow < block_end; ++ow) values[ow] = T(sums[ow - block] / V(windows.divisor(oh, ow)));
  }
}

template <class T, class Axis>
void avg_pool(const T* input, T* values, int64_t planes, const Windows<Axis>& windows) {
  const int64_t height = windows.h.output, width = windows.w.output;
  parallel_for(0, planes * height, pool_grain(windows.inputs() / height + width), [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      const T* plane = input + r / height * windows.inputs();
      const int64_t oh = r % height;
      T* row = values + r * width;
      if constexpr (std::is_same_v<Axis, SlidingAxis>) {
        if (windows.most_cells() <= kOrderedGroup) {
          if (windows.w.stride == 1)
            average_row<T, 1>(plane, row, windows, oh);
          else if (windows.w.stride == 2)
            average_row<T, 2>(plane, row, windows, oh);
          else
            average_row<T, 0>(plane, row, windows, oh);
          continue;
        }
      }
      for (int64_t ow = 0; ow < width; ++ow) row[ow] = T(average_window<OrderedSum>(plane, windows, oh, ow));
    }
  });
}

/// Adds what one output row gives to the cells of its plane; every cell receives it in the order of the outputs.
template <class T, class V>
void spread_row(const T* grad, V* cells, const SlidingWindows& windows, int64_t oh) {
  const SlidingAxis& w = windows.w;
  V shares[kAverageBlock];
  for (int64_t block = 0; block < w.output; block += kAverageBlock) {
    const int64_t block_end = std::min(w.output, block + kAverageBlock);
    for (int64_t ow = block; ow < block_end; ++ow) shares[ow - block] = V(grad[ow]) / V(windows.divisor(oh, ow));
    // Of two outputs that meet in a cell, the later one meets it with the smaller shift: so shifts go backwards.
    for_window_cells(windows, oh, block, block_end, true, [&](int64_t ih, int64_t first, int64_t last, int64_t shift) {
      V* const to = cells + ih * w.input + shift + first * w.stride;
      const V* const from = shares + (first - block);
      if (w.stride == 1) {
        for (int64_t i = 0; i < last - first; ++i) to[i] += from[i];
      } else {
        for (int64_t i = 0; i < last - first; ++i) to[i * w.stride] += from[i];
      }
    });
  }
}

template <class T, class V, class Axis, class Add>
void spread_cells(const T* grad, V* cells, const Windows<Axis>& windows, int64_t oh, const Add& add) {
  const int64_t h_end = windows.h.end(oh);
  for (int64_t ow = 0; ow < windows.w.output; ++ow) {
    const V share = V(grad[ow]) / V(windows.divisor(oh, ow));
    const int64_t w_end = windows.w.end(ow);
    for (int64_t ih = windows.h.begin(oh); ih < h_end; ih += windows.h.step())
      for (int64_t iw = windows.w.begin(ow); iw < w_end; iw += windows.w.step())
        add(cells[ih * windows.w.input + iw], share);
  }
}

template <class T, class V>
void spread_row(const T* grad, V* cells, const AdaptiveWindows& windows, int64_t oh) {
  spread_cells(grad, cells, windows, oh, [](V& cell, V v) { cell += v; });
}

template <class T, class Axis>
void avg_pool_backward(const T* grad, T* output, int64_t planes, const Windows<Axis>& windows, Algorithm algorithm) {
  using V = accumulate_t<T>;
  const int64_t inputs = windows.inputs(), outputs = windows.outputs(), width = windows.w.output;
  if (algorithm == Algorithm::atomic) {
    const ScatterCells<T> cells(output, planes * inputs);
    scatter_rows(planes, windows, [&](int64_t plane, int64_t oh, bool shared) {
      const T* from = grad + plane * outputs + oh * width;
      V* to = cells.data() + plane * inputs;
      if (shared)
        spread_cells(from, to, windows, oh, [](V& cell, V v) { add_shared<V>(cell, v); });
      else
        spread_row(from, to, windows, oh);
    });
    cells.store();
  } else if (by_plane(planes, windows)) {
    scatter_planes<T>(output, planes, inputs, 2 * outputs, [&](int64_t plane, V* cells) {
      for (int64_t oh = 0; oh < windows.h.output; ++oh)
        spread_row(grad + plane * outputs + oh * width, cells, windows, oh);
    });
  } else {
    gather_cells<T>(output, planes, windows, [&](int64_t plane, int64_t ih, int64_t iw) {
      return average_gradient<OrderedSum>(grad + plane * outputs, windows, ih, iw);
    });
  }
}

}  // namespace ordo::kernels::cpu
