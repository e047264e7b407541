// Average pooling on the CPU, for both kinds of windows. Internal.
#pragma once

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/kernels/pooling/avg_pool.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/pooling/rows_cpu.h>

namespace ordo::kernels::cpu {

inline constexpr int64_t kAverageBlock = 128;

/// Calls f(row, first, last, shift) for every row and column of a sliding window, backwards along the row: outputs
/// [first, last) of the block meet the cells row + ow * stride + shift.
template <class F>
void for_window_cells(const SlidingWindows& windows, int64_t od, int64_t oh, int64_t block, int64_t block_end,
                      bool backwards, const F& f) {
  const SlidingAxis& w = windows.w;
  int64_t j_first = 0, j_end = w.kernel;
  if (w.kernel > kOrderedGroup) {  // perhaps far wider than the input: only what the block has inside it
    const int64_t before = w.padding - (block_end - 1) * w.stride, after = w.input - 1 - block * w.stride + w.padding;
    j_first = before <= 0 ? 0 : (before + w.dilation - 1) / w.dilation;
    j_end = after < 0 ? 0 : std::min(w.kernel, after / w.dilation + 1);
  }
  const WindowRows rows = windows.cells(od, oh);
  const int64_t next_row = windows.h.step() * w.input;
  int64_t row = windows.input_row(rows.d_begin, rows.h_begin);
  for (int64_t id = rows.d_begin; id < rows.d_end;) {
    for (int64_t j = j_first; j < j_end; ++j) {
      const int64_t shift = (backwards ? j_first + j_end - 1 - j : j) * w.dilation - w.padding;
      if (shift >= w.input) continue;
      const int64_t first = std::max(block, shift >= 0 ? 0 : (w.stride - 1 - shift) / w.stride);
      const int64_t last = std::min(block_end, (w.input - 1 - shift) / w.stride + 1);
      f(row, first, last, shift);
    }
    row += next_row;
    if (row >= windows.input_row(id, rows.h_end)) row = windows.input_row(id += windows.d.step(), rows.h_begin);
  }
}

/// One output row of windows of at most 64 cells: plain sums, vectorised along the row.
template <class T, int kStride>
void average_row(const T* volume, T* values, const SlidingWindows& windows, int64_t od, int64_t oh) {
  using V = accumulate_t<T>;
  const SlidingAxis& w = windows.w;
  const int64_t stride = kStride > 0 ? kStride : w.stride;
  const int64_t row_divisor = windows.row_divisor(od, oh);
  V sums[kAverageBlock];
  for (int64_t block = 0; block < w.output; block += kAverageBlock) {
    const int64_t block_end = std::min(w.output, block + kAverageBlock);
    std::fill(sums, sums + (block_end - block), V(-0.0));  // -0 + v is v, bit for bit
    const auto add = [&](int64_t begin, int64_t first, int64_t last, int64_t shift) {
      const T* row = volume + begin + shift + first * stride;
      V* const to = sums + (first - block);
      for (int64_t i = 0; i < last - first; ++i) to[i] += V(row[i * stride]);
    };
    for_window_cells(windows, od, oh, block, block_end, false, add);
    for (int64_t ow = block; ow < block_end; ++ow)
      values[ow] = T(sums[ow - block] / V(windows.divisor(row_divisor, ow)));
  }
}

template <class T, class Axis>
void avg_pool(const T* input, T* values, int64_t volumes, const Windows<Axis>& windows) {
  const int64_t depth = windows.d.output, height = windows.h.output, width = windows.w.output;
  const int64_t grain = pool_grain(windows.inputs() / (depth * height) + width);
  // Not inlined: in the loop over rows, the registers would not suffice for the loop over a window.
  const auto average = [&](const T* volume, const WindowRows& rows, int64_t row_divisor, int64_t ow)
      __attribute__((noinline)) {
    return T(average_window<OrderedSum>(volume, windows, rows, row_divisor, ow));
  };
  parallel_for(0, volumes * depth * height, grain, [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      const VolumeRow at(r, depth, height);
      const T* volume = input + at.volume * windows.inputs();
      T* row = values + r * width;
      if constexpr (std::is_same_v<Axis, SlidingAxis>) {
        if (windows.most_cells() <= kOrderedGroup) {
          if (windows.w.stride == 1)
            average_row<T, 1>(volume, row, windows, at.d, at.h);
          else if (windows.w.stride == 2)
            average_row<T, 2>(volume, row, windows, at.d, at.h);
          else
            average_row<T, 0>(volume, row, windows, at.d, at.h);
          continue;
        }
      }
      const WindowRows rows = windows.cells(at.d, at.h);
      const int64_t row_divisor = windows.row_divisor(at.d, at.h);
      for (int64_t ow = 0; ow < width; ++ow) row[ow] = average(volume, rows, row_divisor, ow);
    }
  });
}

/// Adds what one output row gives to the cells of its volume; every cell receives it in the order of the outputs.
template <class T, class V>
void spread_row(const T* grad, V* cells, const SlidingWindows& windows, int64_t od, int64_t oh) {
  const SlidingAxis& w = windows.w;
  const int64_t row_divisor = windows.row_divisor(od, oh);
  V shares[kAverageBlock];
  for (int64_t block = 0; block < w.output; block += kAverageBlock) {
    const int64_t block_end = std::min(w.output, block + kAverageBlock);
    for (int64_t ow = block; ow < block_end; ++ow)
      shares[ow - block] = V(grad[ow]) / V(windows.divisor(row_divisor, ow));
    const auto add = [&](int64_t begin, int64_t first, int64_t last, int64_t shift) {
      V* const to = cells + begin + shift + first * w.stride;
      const V* const from = shares + (first - block);
      if (w.stride == 1) {
        for (int64_t i = 0; i < last - first; ++i) to[i] += from[i];
      } else {
        for (int64_t i = 0; i < last - first; ++i) to[i * w.stride] += from[i];
      }
    };
    // Of two outputs that meet in a cell, the later one meets it with the smaller shift: so shifts go backwards.
    for_window_cells(windows, od, oh, block, block_end, true, add);
  }
}

template <class T, class V, class Axis, class Add>
void spread_cells(const T* grad, V* cells, const Windows<Axis>& windows, int64_t od, int64_t oh, const Add& add) {
  const WindowRows rows = windows.cells(od, oh);
  const int64_t row_divisor = windows.row_divisor(od, oh);
  for (int64_t ow = 0; ow < windows.w.output; ++ow) {
    const V share = V(grad[ow]) / V(windows.divisor(row_divisor, ow));
    const int64_t w_begin = windows.w.begin(ow), w_end = windows.w.end(ow);
    for (int64_t id = rows.d_begin; id < rows.d_end; id += windows.d.step())
      for (int64_t ih = rows.h_begin; ih < rows.h_end; ih += windows.h.step()) {
        V* const row = cells + windows.input_row(id, ih);
        for (int64_t iw = w_begin; iw < w_end; iw += windows.w.step()) add(row[iw], share);
      }
  }
}

template <class T, class V>
void spread_row(const T* grad, V* cells, const AdaptiveWindows& windows, int64_t od, int64_t oh) {
  spread_cells(grad, cells, windows, od, oh, [](V& cell, V v) { cell += v; });
}

template <class T, class Axis>
void avg_pool_backward(const T* grad, T* output, int64_t volumes, const Windows<Axis>& windows, Algorithm algorithm) {
  using V = accumulate_t<T>;
  const int64_t inputs = windows.inputs(), outputs = windows.outputs();
  if (algorithm == Algorithm::atomic) {
    const ScatterCells<T> cells(output, volumes * inputs);
    scatter_rows(volumes, windows, [&](const VolumeRow& at, bool shared) {
      const T* from = grad + at.number * windows.w.output;
      V* to = cells.data() + at.volume * inputs;
      if (shared)
        spread_cells(from, to, windows, at.d, at.h, [](V& cell, V v) { add_shared<V>(cell, v); });
      else
        spread_row(from, to, windows, at.d, at.h);
    });
    cells.store();
  } else if (by_volume(volumes, windows)) {
    scatter_volumes<T>(output, volumes, inputs, 2 * outputs, [&](int64_t volume, V* cells) {
      const T* from = grad + volume * outputs;
      for (int64_t od = 0; od < windows.d.output; ++od)
        for (int64_t oh = 0; oh < windows.h.output; ++oh)
          spread_row(from + windows.output_row(od, oh), cells, windows, od, oh);
    });
  } else {
    gather_cells<T>(output, volumes, windows, [&](const VolumeRow& at, const WindowRows& rows, int64_t iw) {
      return average_gradient<OrderedSum>(grad + at.volume * outputs, windows, rows, at.d, at.h, iw);
    });
  }
}

template <class Axis>
void avg_pool(const Tensor& input, const Tensor& values, const Windows<Axis>& windows) {
  dispatch_floating("avg_pool", input.dtype(), [&]<class T>() {
    avg_pool(input.data<T>(), values.data<T>(), values.numel() / windows.outputs(), windows);
  });
}

template <class Axis>
void avg_pool_backward(const Tensor& grad, const Tensor& output, const Windows<Axis>& windows, Algorithm algorithm) {
  dispatch_floating("avg_pool_backward", grad.dtype(), [&]<class T>() {
    avg_pool_backward(grad.data<T>(), output.data<T>(), grad.numel() / windows.outputs(), windows, algorithm);
  });
}

}  // namespace ordo::kernels::cpu
