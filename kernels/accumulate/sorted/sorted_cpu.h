// The algorithm `sorted` of the accumulate engine on the CPU. Internal to accumulate_cpu.h.
#pragma once

#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/accumulate/sorted/dense_cpu.h>
#include <ordo/kernels/accumulate/sorted/dense_rows_cpu.h>
#include <ordo/kernels/accumulate/sorted/fold_cpu.h>
#include <ordo/kernels/accumulate/sorted/sorted_items_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// The same sums on every path.
template <class Items>
void accumulate_sorted(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  if (accumulate_dense(items, output, shape)) return;
  if constexpr (!kSingleColumn<Items>) {
    if (accumulate_dense_rows(items, output, shape)) return;
  }
  const SortedItems sorted(items, shape.destinations);
  RunFold<Items>(items, output, shape, sorted.entries()).run();
}

/// With what an IndexPlan has found out.
template <class Items>
void accumulate_planned(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                        const IndexOrder& order) {
  RunFold<Items>(items, output, shape, static_cast<const SortedItems&>(order).entries()).run();
}

}  // namespace ordo::kernels::cpu::accumulate_detail
