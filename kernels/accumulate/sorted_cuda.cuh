// The algorithm `sorted` of the accumulate engine on CUDA. Internal to accumulate_cuda.cuh.
//
// A stable radix sort of (destination, item); then a thread per run and column folds the runs of at most 64
// values straight into the output. Longer runs are folded level by level, in the tree of ordering rule 1: a thread per
// group and column, the sums of a level being the values of the next. No step adds floats atomically, and all launch
// shapes follow from M, N and D.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/ordered_sum.h>
#include <ordo/kernels/accumulate/runs_cuda.cuh>

namespace ordo::kernels::cuda {

/// Runs of at most one group: fold, add the old content, round once.
template <class Items, class Index>
__global__ void accumulate_short_runs_kernel(Items items, typename Items::value_type* output, AccumulateShape shape,
                                             Runs<Index> runs) {
  using T = typename Items::value_type;
  using Acc = accumulate_t<T>;
  const int64_t per_outer = runs.count() * shape.inner, total = per_outer * shape.outer;
  for (int64_t t = ordo::cuda::thread_index(); t < total; t += ordo::cuda::thread_count()) {
    const int64_t o = t / per_outer, r = t % per_outer / shape.inner, j = t % shape.inner;
    const int64_t first = runs.start[r], last = runs.start[r + 1], d = runs.keys[first];
    if (last - first > kOrderedGroup || d >= shape.destinations) continue;
    Acc sum = item_value(items, shape, runs.items[first], o, j);
    for (int64_t i = first + 1; i < last; ++i) sum += item_value(items, shape, runs.items[i], o, j);
    T& out = output[shape.offset(d, o, j)];
    out = T(Acc(out) + sum);
  }
}

/// Level 1 of longer runs: the sum of each group of 64 items, to its slot.
template <class Items, class Index>
__global__ void accumulate_groups_kernel(Items items, AccumulateShape shape, Runs<Index> runs,
                                         accumulate_t<typename Items::value_type>* sums) {
  using Acc = accumulate_t<typename Items::value_type>;
  const int64_t slots = group_slots(items.count, kOrderedGroup);
  const int64_t per_outer = slots * shape.inner, total = per_outer * shape.outer;
  for (int64_t t = ordo::cuda::thread_index(); t < total; t += ordo::cuda::thread_count()) {
    const int64_t o = t / per_outer, slot = t % per_outer / shape.inner, j = t % shape.inner;
    const Group group = runs.group_at(slot, kOrderedGroup, items.count);
    if (group.begin < 0 || group.destination >= shape.destinations) continue;
    const int64_t last = std::min(group.begin + kOrderedGroup, group.run_end);
    Acc sum = item_value(items, shape, runs.items[group.begin], o, j);
    for (int64_t i = group.begin + 1; i < last; ++i) sum += item_value(items, shape, runs.items[i], o, j);
    sums[slot * shape.columns() + o * shape.inner + j] = sum;
  }
}

/// The next level: `below` holds the sums of groups that span `span` items each. Folds 64 of them; where that is all of
/// a run, adds it to the output, else leaves it in `above` for the level after.
template <class T, class Index>
__global__ void accumulate_level_kernel(T* output, AccumulateShape shape, Runs<Index> runs, int64_t items, int64_t span,
                                        const accumulate_t<T>* below, accumulate_t<T>* above) {
  using Acc = accumulate_t<T>;
  const int64_t columns = shape.columns(), total = group_slots(items, span) * columns;
  for (int64_t t = ordo::cuda::thread_index(); t < total; t += ordo::cuda::thread_count()) {
    const int64_t slot = t / columns, c = t % columns, wide = span * kOrderedGroup;
    const Group group = runs.group_at(slot, span, items);
    if (group.begin < 0 || group.destination >= shape.destinations) continue;
    if ((group.begin - group.run_begin) % wide != 0) continue;
    const int64_t last = std::min(group.begin + wide, group.run_end);
    Acc sum = below[slot * columns + c];
    for (int64_t begin = group.begin + span; begin < last; begin += span)
      sum += below[group_slot(begin, span, false) * columns + c];
    if (group.run_end - group.run_begin <= wide) {
      T& out = output[shape.offset(group.destination, c / shape.inner, c % shape.inner)];
      out = T(Acc(out) + sum);
    } else {
      above[group_slot(group.begin, wide, group.begin == group.run_begin) * columns + c] = sum;
    }
  }
}

template <class Index, class Items>
void accumulate_sorted(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                       Device device, cudaStream_t stream) {
  using T = typename Items::value_type;
  using Acc = accumulate_t<T>;
  const int64_t m = items.count, columns = shape.columns();
  RunBuilder<Index> builder(m, shape.destinations, device);
  ordo::cuda::launch_over(destinations_kernel<Items, Index>, m, stream, items, shape.destinations, builder.keys(),
                          builder.items());
  const Runs<Index> runs = builder.build(stream);
  ordo::cuda::launch_over(accumulate_short_runs_kernel<Items, Index>, std::min(m, shape.destinations + 1) * columns,
                          stream, items, output, shape, runs);
  if (m <= kOrderedGroup) return;

  int64_t span = kOrderedGroup;
  Scratch<Acc> first(group_slots(m, span) * columns, device);
  Scratch<Acc> second(group_slots(m, span * kOrderedGroup) * columns, device);
  Acc *below = first.data(), *above = second.data();
  ordo::cuda::launch_over(accumulate_groups_kernel<Items, Index>, group_slots(m, span) * columns, stream, items, shape,
                          runs, below);
  for (; span < m; span *= kOrderedGroup, std::swap(below, above))
    ordo::cuda::launch_over(accumulate_level_kernel<T, Index>, group_slots(m, span) * columns, stream, output, shape,
                            runs, m, span, below, above);
}

}  // namespace ordo::kernels::cuda
