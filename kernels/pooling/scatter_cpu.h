// Pooling gradients by scattering, a volume to a thread. Internal.
#pragma once

#include <algorithm>

#include <ordo/engine/dtype.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/windows/rows_cpu.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels::cpu {

/// Whether that is worth it, and rule 1: where at most 64 outputs cover a cell, they are added in their order.
inline bool by_volume(int64_t volumes, const Windows& s) {
  return s.overlap() <= kOrderedGroup && (volumes >= num_threads() || volumes * s.inputs() < 32768);
}

/// Runs scatter(volume, cells) for every volume: `cells` are the volume's, zero at first.
template <class T, class Scatter>
void scatter_volumes(T* output, int64_t volumes, const Windows& s, const Scatter& scatter) {
  using V = accumulate_t<T>;
  const int64_t inputs = s.inputs();
  parallel_for(0, volumes, row_grain(inputs + 2 * s.outputs()), [&](int64_t begin, int64_t end) {
    constexpr bool kDirect = std::is_same_v<T, V>;
    const Scratch<V> scratch(kDirect ? 0 : inputs, Device());
    for (int64_t v = begin; v < end; ++v) {
      V* cells = scratch.data();
      if constexpr (kDirect) cells = output + v * inputs;
      std::fill_n(cells, inputs, V(0));
      scatter(v, cells);
      if constexpr (!kDirect)
        for (int64_t i = 0; i < inputs; ++i) output[v * inputs + i] = T(cells[i]);
    }
  });
}

}  // namespace ordo::kernels::cpu
