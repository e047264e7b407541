// Calls f(i) for i = 0..n-1 on the CPU's threads. f writes what no other i does.
#pragma once

#include <algorithm>

#include <ordo/engine/device.h>
#include <ordo/engine/parallel.h>

namespace ordo::kernels::cpu {

template <class F>
void each(int64_t n, const F& f, Device = Device()) {
  parallel_for(0, n, 16384, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) f(i);
  });
}

/// How many items of `cost` steps a thread takes at least.
inline int64_t row_grain(int64_t cost) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cost)); }

/// each() for f that takes `cost` steps.
template <class F>
void each_of(int64_t cost, int64_t n, const F& f, Device = Device()) {
  // Not inlined: in this loop, the registers would not suffice for the loops inside.
  const auto one = [&](int64_t i) __attribute__((noinline)) { f(i); };
  parallel_for(0, n, row_grain(cost), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) one(i);
  });
}

}  // namespace ordo::kernels::cpu
