// The algorithm `sorted` of the accumulate engine on the CPU. Internal to accumulate_cpu.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/dense_cpu.h>
#include <ordo/kernels/accumulate/dense_rows_cpu.h>
#include <ordo/kernels/accumulate/fold_cpu.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/accumulate/sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Items in the order of their destinations, and of their numbers where those are equal; without the skipped ones.
template <class Entry>
class SortedItems : public IndexOrder {
 public:
  template <class Items>
  SortedItems(const Items& items, int64_t destinations)
      : memory_(std::make_unique<Scratch<Entry>>(items.count, Device())), entries_(memory_->data()) {
    const int64_t m = items.count, n = destinations;
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
        (*memory_)[i] = make_entry<Entry>(d, i);
      }
      if (descends) unordered.store(true, std::memory_order_relaxed);
    });
    if (unordered) {
      auto spare = std::make_unique<Scratch<Entry>>(m, Device());
      entries_ = sort_by_destination(memory_->data(), spare->data(), m, std::bit_width(uint64_t(n)));
      if (entries_ == spare->data()) memory_ = std::move(spare);
    }
    const auto is_kept = [n](const Entry& e) { return entry_destination(e) < n; };
    count_ = std::partition_point(entries_, entries_ + m, is_kept) - entries_;
  }
  const Entry* entries() const { return entries_; }
  int64_t count() const { return count_; }

 private:
  std::unique_ptr<Scratch<Entry>> memory_;
  const Entry* entries_;
  int64_t count_ = 0;
};

template <class Entry, class Items>
void accumulate_entries(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                        const SortedItems<Entry>& sorted) {
  RunFold<Items, Entry>(items, output, shape, sorted.entries(), sorted.count()).run();
}

inline bool narrow_entries_fit(int64_t items, int64_t destinations) {
  return std::max(items, destinations) < std::numeric_limits<uint32_t>::max();
}

/// The same sums on every path.
template <class Items>
void accumulate_sorted(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  if (accumulate_dense(items, output, shape)) return;
  if (accumulate_dense_rows(items, output, shape)) return;
  if (narrow_entries_fit(items.count, shape.destinations))
    accumulate_entries(items, output, shape, SortedItems<NarrowEntry>(items, shape.destinations));
  else
    accumulate_entries(items, output, shape, SortedItems<WideEntry>(items, shape.destinations));
}

/// With what an IndexPlan has found out.
template <class Items>
void accumulate_planned(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                        const IndexOrder& order) {
  if (narrow_entries_fit(items.count, shape.destinations))
    accumulate_entries(items, output, shape, static_cast<const SortedItems<NarrowEntry>&>(order));
  else
    accumulate_entries(items, output, shape, static_cast<const SortedItems<WideEntry>&>(order));
}

}  // namespace ordo::kernels::cpu::accumulate_detail
