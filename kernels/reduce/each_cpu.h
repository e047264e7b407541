// Calls f(i) for i = 0..n-1 on the CPU's threads. f writes what no other i does.
#pragma once

#include <ordo/engine/device.h>
#include <ordo/engine/parallel.h>

namespace ordo::kernels::cpu {

template <class F>
void each(int64_t n, const F& f, Device = Device()) {
  parallel_for(0, n, 16384, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) f(i);
  });
}

}  // namespace ordo::kernels::cpu
