// Calls f(i) for i = 0..n-1 on the CPU's threads. f writes what no other i does. `cost`: how many elements each f(i)
// reads, about.
#pragma once

#include <algorithm>

#include <ordo/engine/device.h>
#include <ordo/engine/parallel.h>

namespace ordo::kernels::cpu {

template <class F>
void each(int64_t n, const F& f, Device = Device(), int64_t cost = 1) {
  parallel_for(0, n, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cost)), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) f(i);
  });
}

}  // namespace ordo::kernels::cpu
