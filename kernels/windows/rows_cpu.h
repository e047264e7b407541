// Rows of a tensor as work for the CPU's threads. Internal.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ordo/engine/parallel.h>

namespace ordo::kernels::cpu {

/// Rows of `cost` elements each: so many for a thread, at least.
inline int64_t row_grain(int64_t cost) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cost)); }

/// Calls f(i) for i = 0..n-1 on the CPU's threads, as each(), of which each takes `cost` steps.
template <class F>
void each_of(int64_t cost, int64_t n, const F& f) {
  // Not inlined: in this loop, the registers would not suffice for the loops inside.
  const auto one = [&](int64_t i) __attribute__((noinline)) { f(i); };
  parallel_for(0, n, row_grain(cost), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) one(i);
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
