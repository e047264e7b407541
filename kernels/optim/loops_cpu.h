// The CPU's loop over the elements of a parameter. Internal: for steps.loops.h.
#pragma once

#include <ordo/engine/device.h>
#include <ordo/engine/parallel.h>

#define ORDO_LOOPS_DEVICE cpu

namespace ordo::kernels::cpu {

template <class F>
void each(const F& f, int64_t n, Device) {
  parallel_for(0, n, 16384, [&f](int64_t begin, int64_t end) {
    const F element = f;  // a local copy, so that stores cannot change its members
    for (int64_t i = begin; i < end; ++i) element(i);
  });
}

}  // namespace ordo::kernels::cpu
