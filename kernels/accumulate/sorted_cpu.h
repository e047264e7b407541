// The algorithm `sorted` of the accumulate engine on the CPU. Internal to accumulate_cpu.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>

#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/dense_cpu.h>
#include <ordo/kernels/accumulate/dense_rows_cpu.h>
#include <ordo/kernels/accumulate/fold_cpu.h>
#include <ordo/kernels/accumulate/sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

template <class Entry, class Items>
void accumulate_by_sorting(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  const int64_t m = items.count, n = shape.destinations;
  Scratch<Entry> entries(m, Device()), spare(m, Device());
  // A skipped item gets destination N and so the last place. Often the items come ordered: then there is nothing to
  // sort.
  const int pieces = pieces_for(m, kAccumulateGrain);
  std::atomic<bool> unordered = false;
  for_pieces(pieces, [&](int piece) {
    const int64_t first = m * piece / pieces, last = m * (piece + 1) / pieces;
    int64_t previous = -1;
    bool descends = false;
    if (first > 0) {
      previous = checked_destination(items, first - 1);
      if (previous < 0) previous = n;
    }
    for (int64_t i = first; i < last; ++i) {
      int64_t d = checked_destination(items, i);
      if (d < 0) d = n;
      descends |= d < previous;
      previous = d;
      entries[i] = make_entry<Entry>(d, i);
    }
    if (descends) unordered.store(true, std::memory_order_relaxed);
  });
  const Entry* sorted = entries.data();
  if (unordered) sorted = sort_by_destination(entries.data(), spare.data(), m, std::bit_width(uint64_t(n)));
  const int64_t kept =
      std::partition_point(sorted, sorted + m, [n](const Entry& e) { return entry_destination(e) < n; }) - sorted;
  RunFold<Items, Entry>(items, output, shape, sorted, kept).run();
}

/// The same sums on every path.
template <class Items>
void accumulate_sorted(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  if (accumulate_dense(items, output, shape)) return;
  if (accumulate_dense_rows(items, output, shape)) return;
  constexpr int64_t kNarrow = std::numeric_limits<uint32_t>::max();
  if (items.count <= kNarrow && shape.destinations < kNarrow)
    accumulate_by_sorting<NarrowEntry>(items, output, shape);
  else
    accumulate_by_sorting<WideEntry>(items, output, shape);
}

}  // namespace ordo::kernels::cpu::accumulate_detail
