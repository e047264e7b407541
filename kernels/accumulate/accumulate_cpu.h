// The accumulate engine on the CPU. See accumulate.h for Items and shapes.
#pragma once

#include <type_traits>

#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/atomic/atomic_cpu.h>
#include <ordo/kernels/accumulate/exact/exact_cpu.h>
#include <ordo/kernels/accumulate/sorted/sorted_cpu.h>

namespace ordo::kernels::cpu {

/// Adds every item's row to its destination's, by `exact`. For those that ask for no other algorithm.
template <class Items>
void accumulate_exact(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  accumulate_detail::accumulate_exact(items, output, shape);
}

/// Likewise by `sorted`.
template <class Items>
void accumulate_sorted(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  accumulate_detail::accumulate_sorted(items, output, shape);
}

/// Adds every item's row to its destination's, by `atomic`, `sorted` or `exact`.
template <class Items>
void accumulate(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                Algorithm algorithm) {
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  if (algorithm == Algorithm::atomic) return accumulate_detail::accumulate_atomic(items, output, shape);
  if constexpr (std::is_same_v<accumulate_t<typename Items::value_type>, float>) {
    if (algorithm == Algorithm::exact) return accumulate_detail::accumulate_exact(items, output, shape);
  }
  accumulate_detail::accumulate_sorted(items, output, shape);
}

/// The same by `sorted`, the items having been sorted for an IndexPlan of shape.destinations.
template <class Items>
void accumulate(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                const IndexOrder& order) {
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  accumulate_detail::accumulate_planned(items, output, shape, order);
}

}  // namespace ordo::kernels::cpu
