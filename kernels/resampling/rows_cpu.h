// Rows of resampling on the CPU. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <ordo/engine/parallel.h>

namespace ordo::kernels::cpu {

/// Rows of that many elements for each thread, at least.
inline int64_t row_grain(int64_t width) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, width)); }

/// to[i] = 0 + row[i] + row'[i] + ... left to right for i in [first, last). walk(add) calls add(row) for each row, the
/// same ones every time; at least one.
template <class V, class T, class Walk>
void sum_rows(int64_t first, int64_t last, const Walk& walk, T* to) {
  constexpr int64_t kBlock = 512;
  V sums[kBlock];
  for (int64_t block = first; block < last; block += kBlock) {
    const int64_t width = std::min(kBlock, last - block);
    bool begun = false;
    walk([&](const T* row) {
      const T* const from = row + block;
      if (begun)
        for (int64_t i = 0; i < width; ++i) sums[i] += V(from[i]);
      else
        for (int64_t i = 0; i < width; ++i) sums[i] = V(from[i]);
      begun = true;
    });
    for (int64_t i = 0; i < width; ++i) to[block + i] = T(V(0) + sums[i]);
  }
}

}  // namespace ordo::kernels::cpu
