// Pooling gradients by scattering, a volume to a thread. Internal.
#pragma once

#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/windows/rows_cpu.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels::cpu {

/// Whether that is worth it, and rule 1: where at most 64 outputs cover a cell, they are added in their order.
inline bool by_volume(int64_t volumes, const Windows& s) {
  return s.overlap() <= kOrderedGroup && (volumes >= num_threads() || volumes * s.inputs() < 32768);
}

/// Calls scatter(volume, cells) for every volume: `cells` are the volume's, zero at first.
template <class T, class Scatter>
void scatter_volumes(T* output, int64_t volumes, const Windows& s, const Scatter& scatter) {
  const int64_t inputs = s.inputs();
  parallel_for(0, volumes, row_grain(inputs + 2 * s.outputs()), [&](int64_t begin, int64_t end) {
    sum_volumes(output + begin * inputs, end - begin, inputs,
                [&](int64_t v, accumulate_t<T>* cells) { scatter(begin + v, cells); });
  });
}

}  // namespace ordo::kernels::cpu
