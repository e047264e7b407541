// The accumulate engine on the CPU. See accumulate.h for Items and shapes.
#pragma once

#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/atomic_cpu.h>
#include <ordo/kernels/accumulate/sorted_cpu.h>

namespace ordo::kernels::cpu {

/// Adds every item's row to its destination's, by `atomic` or `sorted`.
template <class Items>
void accumulate(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                Algorithm algorithm) {
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  if (algorithm == Algorithm::atomic) return accumulate_detail::accumulate_atomic(items, output, shape);
  accumulate_detail::accumulate_sorted(items, output, shape);
}

}  // namespace ordo::kernels::cpu
