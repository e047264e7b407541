// Maximum pooling on the CPU, for both kinds of windows. Internal.
#pragma once

#include <limits>

#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/pooling/rows_cpu.h>

namespace ordo::kernels::cpu {

/// One output row of sliding windows, a block of outputs at a time, so that the comparisons vectorise.
template <class T, int kStride>
void max_row(const T* plane, T* values, int64_t* indices, const SlidingWindows& windows, int64_t oh) {
  using V = accumulate_t<T>;
  using I = std::conditional_t<sizeof(V) == 4, int32_t, int64_t>;  // one width for values and indices
  constexpr int64_t kBlock = 128;
  const SlidingAxis &h = windows.h, &w = windows.w;
  const int64_t stride = kStride > 0 ? kStride : w.stride;
  const int64_t h_begin = h.begin(oh), h_end = h.end(oh);
  V best[kBlock];
  I where[kBlock];
  for (int64_t block = 0; block < w.output; block += kBlock) {
    const int64_t block_end = std::min(w.output, block + kBlock);
    for (int64_t ow = block; ow < block_end; ++ow) {
      best[ow - block] = -std::numeric_limits<V>::infinity();
      where[ow - block] = I(h_begin * w.input + w.begin(ow));
    }
    for (int64_t ih = h_begin; ih < h_end; ih += h.dilation) {
      for (int64_t k = 0; k < w.kernel; ++k) {
        const int64_t shift = k * w.dilation - w.padding;  // cell ow * stride + shift
        if (shift >= w.input) break;
        const int64_t first = std::max(block, shift >= 0 ? 0 : (stride - 1 - shift) / stride);
        const int64_t last = std::min(block_end, (w.input - 1 - shift) / stride + 1);
        const T* row = plane + ih * w.input + shift + first * stride;
        const I at = I(ih * w.input + shift + first * stride);
        V* const best_first = best + (first - block);
        I* const where_first = where + (first - block);
        for (int64_t i = 0; i < last - first; ++i) {
          const V v = row[i * stride];
          const bool take = (v > best_first[i]) | (v != v);
          best_first[i] = take ? v : best_first[i];
          where_first[i] = take ? I(at + I(i * stride)) : where_first[i];
        }
      }
    }
    for (int64_t ow = block; ow < block_end; ++ow) values[ow] = T(best[ow - block]);
    if (indices != nullptr)
      for (int64_t ow = block; ow < block_end; ++ow) indices[ow] = where[ow - block];
  }
}

/// `indices` may be null.
template <class T, class Axis>
void max_pool(const T* input, T* values, int64_t* indices, int64_t planes, const Windows<Axis>& windows) {
  const int64_t height = windows.h.output, width = windows.w.output;
  parallel_for(0, planes * height, pool_grain(windows.inputs() / height + width), [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      const T* plane = input + r / height * windows.inputs();
      const int64_t oh = r % height;
      T* row = values + r * width;
      int64_t* index_row = indices != nullptr ? indices + r * width : nullptr;
      if constexpr (std::is_same_v<Axis, SlidingAxis>) {
        if (windows.inputs() < std::numeric_limits<int32_t>::max()) {
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
