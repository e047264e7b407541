// Rows of a tensor as work for the CPU's threads. Internal.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/reduce/each_cpu.h>

namespace ordo::kernels::cpu {

/// Calls add(v, sums) for v = 0..volumes-1 on the threads, which takes `cost` steps: it adds to the sums of a volume's
/// cells, zero at first. They are rounded to `output`.
template <class T, class Add>
void sum_volumes(T* output, int64_t volumes, int64_t cells, int64_t cost, const Add& add) {
  using V = accumulate_t<T>;
  constexpr bool kDirect = std::is_same_v<T, V>;
  parallel_for(0, volumes, row_grain(cells + cost), [&](int64_t begin, int64_t end) {
    const Scratch<V> scratch(kDirect ? 0 : cells, Device());
    for (int64_t v = begin; v < end; ++v) {
      V* sums = scratch.data();
      if constexpr (kDirect) sums = output + v * cells;
      std::fill_n(sums, cells, V(0));
      add(v, sums);
      if constexpr (!kDirect)
        for (int64_t i = 0; i < cells; ++i) output[v * cells + i] = T(sums[i]);
    }
  });
}

/// Row r of a [volumes, depth, height, width] tensor, taken apart.
struct VolumeRow {
  int64_t number, volume, d = 0, h;
  VolumeRow(int64_t r, int64_t depth, int64_t height)
      : number(r), volume(r / (depth * height)), h(r % (depth * height)) {
    if (depth == 1) return;
    d = h / height;
    h %= height;
  }
  void advance(int64_t depth, int64_t height) {
    ++number;
    if (++h < height) return;
    h = 0;
    if (++d < depth) return;
    d = 0;
    ++volume;
  }
};

}  // namespace ordo::kernels::cpu
