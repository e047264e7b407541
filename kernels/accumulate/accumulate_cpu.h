// The accumulate engine on the CPU. See accumulate.h for Items and shapes.
#pragma once

#include <type_traits>

#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/atomic/atomic_cpu.h>
#include <ordo/kernels/accumulate/exact/exact_cpu.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/accumulate/sorted/dense_cpu.h>
#include <ordo/kernels/accumulate/sorted/dense_rows_cpu.h>
#include <ordo/kernels/accumulate/sorted/fold_cpu.h>
#include <ordo/kernels/accumulate/sorted/sorted_items_cpu.h>

namespace ordo::kernels::cpu {

/// Adds every item's row to its destination's, by `sorted`. Whichever of three loops runs, the bits are the same.
template <class Items>
void accumulate_sorted(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  using namespace accumulate_detail;
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  if (accumulate_dense(items, output, shape)) return;
  if constexpr (!kSingleColumn<Items>)
    if (accumulate_dense_rows(items, output, shape)) return;
  const SortedItems sorted(items, shape.destinations);
  RunFold<Items>(items, output, shape, sorted.entries()).run();
}

/// Accumulates by `atomic` (by `sorted`, where that is as fast), `sorted` or `exact` (of float32 and halves).
template <class Items>
void accumulate(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                Algorithm algorithm) {
  using T = typename Items::value_type;
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  if constexpr (std::is_integral_v<T>) {
    accumulate_detail::accumulate_atomic(items, output, shape);
  } else {
    if (algorithm == Algorithm::atomic && accumulate_detail::accumulate_atomic(items, output, shape)) return;
    if constexpr (std::is_same_v<accumulate_t<T>, float>) {
      if (algorithm == Algorithm::exact) return accumulate_detail::ExactSum<Items>(items, output, shape).run();
    }
    accumulate_sorted(items, output, shape);
  }
}

/// Accumulates by `sorted` items that were sorted for an IndexPlan of shape.destinations.
template <class Items>
void accumulate(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                const IndexOrder& order) {
  using namespace accumulate_detail;
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  if constexpr (std::is_integral_v<typename Items::value_type>)
    accumulate_atomic(items, output, shape);
  else
    RunFold<Items>(items, output, shape, static_cast<const SortedItems&>(order).entries()).run();
}

}  // namespace ordo::kernels::cpu
