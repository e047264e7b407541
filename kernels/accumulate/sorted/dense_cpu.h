// Ordering rule 1 for items of a single column, without sorting. Internal to accumulate_cpu.h.
//
// One thread just adds to a running sum per destination; a few do as dense_filter_cpu.h says, or leave it to one. For
// more, items are dealt out, in order, to ranges of destinations small enough for their sums to stay in the cache; each
// range then belongs to one thread. A destination sees its items in item order, so the sums are those of the contract.
// Where most items go to few destinations the ranges do not balance, and the caller sorts instead.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/shared/deal_cpu.h>
#include <ordo/kernels/accumulate/shared/sort_cpu.h>
#include <ordo/kernels/accumulate/sorted/dense_filter_cpu.h>
#include <ordo/kernels/accumulate/sorted/dense_sums_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// By one thread. The items are a copy, because what the loop stores might be a part of what they refer to.
template <class Items>
void sum_all(Items items, typename Items::value_type* output, const AccumulateShape& given) {
  using Acc = accumulate_t<typename Items::value_type>;
  const AccumulateShape shape = given;
  const int64_t n = shape.destinations, m = items.count;
  DenseSums<Acc> sums(n, m);
  sums.begin(n);
  for (int64_t i = 0; i < m; ++i) {
    const int64_t d = checked_destination(items, i);
    if (d >= 0) sums.add(d, item_value(items, shape, i, 0, 0));
  }
  for (int64_t d = 0; d < n; ++d) sums.finish(d, output[d]);
}

/// False, and nothing done, when sorting is better.
template <class Items>
bool accumulate_dense(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  using Acc = accumulate_t<typename Items::value_type>;
  const int64_t m = items.count, n = shape.destinations;
  if (shape.columns() != 1 || n / 4 > m || std::max(m, n) >= INT32_MAX) return false;
  int threads = pieces_for(m, 2 * kAccumulateGrain);
  if (threads > 1 && threads <= kMostFilters) {
    // Picking an item costs about as much as adding it to a sum in the cache, so that threads gain nothing there; but
    // sums to one place wait for each other.
    constexpr int64_t kInCache = 128 * 1024;
    const FilterPlan plan = plan_filters(items, n, threads);
    if (n > kInCache || plan.mostly_hot) {
      accumulate_filtered(items, output, shape, plan, threads);
      return true;
    }
    threads = 1;
  }
  if (threads > 1 && n < 2 * threads) return false;

  if (threads == 1) {
    sum_all(items, output, shape);
    return true;
  }

  // Ranges of 2^shift destinations: few enough to write to them all at once, several per thread.
  const int64_t wanted = std::clamp<int64_t>(n / 2048, 16 * threads, 1024);
  const int shift = std::bit_width(uint64_t(n / wanted));
  Deal<Items> deal(items, n, shift, threads);
  for (int64_t r = 0; r < deal.ranges(); ++r)
    if (deal.size(r) > m / threads / 2) return false;

  using Entry = typename DenseSums<Acc>::Entry;
  Scratch<Entry> entries(m, Device());
  deal.deal(entries.data(), [items, shape](int64_t i, uint32_t place) {
    return Entry{place, item_value(items, shape, i, 0, 0)};
  });
  std::atomic<int64_t> next = 0;
  for_pieces(threads, [&](int) {
    DenseSums<Acc> sums(int64_t(1) << shift, m);
    for (int64_t r; (r = next.fetch_add(1, std::memory_order_relaxed)) < deal.ranges();) {
      sums.begin(deal.width(r));
      sums.add(entries + deal.start(r), deal.size(r));
      for (int64_t d = 0; d < deal.width(r); ++d) sums.finish(d, output[deal.base(r) + d]);
    }
  });
  return true;
}

}  // namespace ordo::kernels::cpu::accumulate_detail
