// The CPU's loops over elements, reductions and row programs, for *.loops.h of the families that have none of their
// own. Internal.
#pragma once

#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/reduce/reduce_short_cpu.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/reduce/row_program_cpu.h>

#define ORDO_LOOPS_DEVICE cpu

namespace ordo::kernels::cpu {

/// Along memory the extreme value is found first, which vectorises, and then its first place.
template <class T, bool kMax>
void reduce_place(const ArgExtremumReducer<T, kMax>& r, const ReduceShape& g, Device device) {
  if (g.outputs == 0 || g.across_outputs()) return reduce(r, g);
  const Scratch<T> extremes(g.outputs, device);
  reduce_along(ExtremumReducer<T, kMax>(r.x, extremes), g);
  parallel_for(0, g.outputs, std::max<int64_t>(1, kReduceGrain / g.length), [&](int64_t first, int64_t last) {
    for (int64_t o = first; o < last; ++o) {
      const int64_t base = g.base(o);
      const compare_t<T> wanted(extremes[o]);
      auto s = r.load(base, 0, o);
      while (s.value != wanted && (s.value == s.value || wanted == wanted))
        s = r.load(base + g.offset(s.index + 1), s.index + 1, o);
      r.store(o, s);
    }
  });
}

}  // namespace ordo::kernels::cpu
