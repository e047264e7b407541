// Maximum pooling on the CPU, for both kinds of windows. Internal.
#pragma once

#include <limits>

#include <ordo/engine/op_registry.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/pooling/rows_cpu.h>

namespace ordo::kernels::cpu {

inline constexpr int64_t kMaxBlock = 64, kMaxCells = 1024;

/// Whether max_row can take these windows: a block of outputs reads few enough cells of a row.
inline bool max_row_fits(const SlidingWindows& windows) {
  const SlidingAxis& w = windows.w;
  return w.stride * (kMaxBlock + 1) + (w.kernel - 1) * w.dilation <= kMaxCells &&
         windows.inputs() < std::numeric_limits<int32_t>::max();
}

/// One output row of sliding windows, a block of outputs at a time. Every input row is first taken apart by column
/// modulo stride, with -inf where there is no cell: then all windows are complete, and the comparisons vectorise.
template <class T, int kStride>
void max_row(const T* plane, T* values, int64_t* indices, const SlidingWindows& windows, int64_t oh) {
  using V = accumulate_t<T>;
  using I = std::conditional_t<sizeof(V) == 4, int32_t, int64_t>;  // one width for values and indices
  constexpr int kLanes = 16;
  constexpr V kLowest = -std::numeric_limits<V>::infinity();
  const SlidingAxis &h = windows.h, &w = windows.w;
  const int stride = kStride > 0 ? kStride : int(w.stride);
  const int64_t h_begin = h.begin(oh), h_end = h.end(oh);
  V best[kMaxBlock], cells[kMaxCells];
  I where[kMaxBlock];
  for (int64_t block = 0; block < w.output; block += kMaxBlock) {
    const int count = int(std::min(kMaxBlock, w.output - block));
    const int lanes = (count + kLanes - 1) / kLanes * kLanes;
    const int length = lanes + int((w.kernel - 1) * w.dilation) / stride;  // of one residue's cells
    const int64_t start = block * stride - w.padding;
    for (int i = 0; i < lanes; ++i) best[i] = kLowest;
    for (int i = 0; i < lanes; ++i) where[i] = I(h_begin * w.input + (i < count ? w.begin(block + i) : 0));
    for (int64_t ih = h_begin; ih < h_end; ih += h.dilation) {
      const T* row = plane + ih * w.input;
      for (int residue = 0; residue < stride; ++residue) {
        const int64_t from = start + residue;  // cells from + i stride; those in [first, last) exist
        const int first = int(std::min<int64_t>(length, from >= 0 ? 0 : (stride - 1 - from) / stride));
        const int64_t end = from < w.input ? (w.input - 1 - from) / stride + 1 : 0;
        const int last = std::max(first, int(std::min<int64_t>(length, end)));
        V* const to = cells + residue * length;
        std::fill(to, to + first, kLowest);
        for (int i = first; i < last; ++i) to[i] = V(row[from + i * stride]);
        std::fill(to + last, to + length, kLowest);
      }
      for (int k = 0; k < int(w.kernel); ++k) {
        const int offset = k * int(w.dilation);
        const V* const from = cells + offset % stride * length + offset / stride;
        const I at = I(ih * w.input + start + offset);
        for (int i = 0; i < lanes; ++i) {
          const V v = from[i];
          const bool take = (v > best[i]) | (v != v);
          best[i] = take ? v : best[i];
          where[i] = take ? I(at + I(i * stride)) : where[i];
        }
      }
    }
    for (int i = 0; i < count; ++i) values[block + i] = T(best[i]);
    if (indices != nullptr)
      for (int i = 0; i < count; ++i) indices[block + i] = where[i];
  }
}

/// `indices` may be null.
template <class T, class Axis>
void max_pool(const T* input, T* values, int64_t* indices, int64_t planes, const Windows<Axis>& windows) {
  const int64_t height = windows.h.output, width = windows.w.output;
  bool row_fits = false;
  if constexpr (std::is_same_v<Axis, SlidingAxis>) row_fits = max_row_fits(windows);
  parallel_for(0, planes * height, pool_grain(windows.inputs() / height + width), [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      const T* plane = input + r / height * windows.inputs();
      const int64_t oh = r % height;
      T* row = values + r * width;
      int64_t* index_row = indices != nullptr ? indices + r * width : nullptr;
      if constexpr (std::is_same_v<Axis, SlidingAxis>) {
        if (row_fits) {
          if (windows.w.stride == 1)
            max_row<T, 1>(plane, row, index_row, windows, oh);
          else if (windows.w.stride == 2)
            max_row<T, 2>(plane, row, index_row, windows, oh);
          else
            max_row<T, 0>(plane, row, index_row, windows, oh);
          continue;
        }
      }
      for (int64_t ow = 0; ow < width; ++ow) {
        const auto cell = max_window(plane, windows, oh, ow);
        row[ow] = T(cell.value);
        if (index_row != nullptr) index_row[ow] = cell.index;
      }
    }
  });
}

template <class T, class Axis>
void max_pool_backward(const T* grad, const int64_t* indices, T* output, int64_t planes, const Windows<Axis>& windows,
                       Algorithm algorithm) {
  using V = accumulate_t<T>;
  const int64_t inputs = windows.inputs(), outputs = windows.outputs(), width = windows.w.output;
  if (algorithm == Algorithm::atomic) {
    const ScatterCells<T> cells(output, planes * inputs);
    scatter_rows(planes, windows, [&](int64_t plane, int64_t oh, bool shared) {
      V* to = cells.data() + plane * inputs;
      const int64_t begin = plane * outputs + oh * width;
      if (shared) {
        for (int64_t o = begin; o < begin + width; ++o) add_shared<V>(to[indices[o]], grad[o]);
      } else {
        for (int64_t o = begin; o < begin + width; ++o) to[indices[o]] += V(grad[o]);
      }
    });
    cells.store();
  } else if (by_plane(planes, windows)) {
    scatter_planes<T>(output, planes, inputs, 2 * outputs, [&](int64_t plane, V* cells) {
      for (int64_t o = plane * outputs; o < (plane + 1) * outputs; ++o) cells[indices[o]] += V(grad[o]);
    });
  } else {
    gather_cells<T>(output, planes, windows, [&](int64_t plane, int64_t ih, int64_t iw) {
      return max_gradient<OrderedSum>(grad + plane * outputs, indices + plane * outputs, windows, ih, iw);
    });
  }
}

}  // namespace ordo::kernels::cpu
