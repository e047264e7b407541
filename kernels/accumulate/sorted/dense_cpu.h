// Ordering rule 1 for items of a single column, without sorting. Internal to accumulate_cpu.h.
//
// One thread just adds to a running sum per destination; a few do as dense_filter_cpu.h says, or leave it to one; where
// those sums would not stay in the cache and runs are short, sums_in_output_cpu.h makes them in the output. For more,
// or where most destinations get nothing, items are dealt out, in order, to ranges of destinations small enough for
// their sums to stay in the cache; each range then belongs to one thread. A destination sees its items in item order,
// so the sums are those of the contract. Where many threads would wait for one with most of the items, or where there
// are few items, the caller sorts instead.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/shared/deal_cpu.h>
#include <ordo/kernels/accumulate/shared/sort_cpu.h>
#include <ordo/kernels/accumulate/sorted/dense_filter_cpu.h>
#include <ordo/kernels/accumulate/sorted/sums_in_output_cpu.h>
#include <ordo/kernels/ordering/dense_sums_cpu.h>

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
  sums.finish(0, n, output);
}

/// By ranges of destinations: few enough to write to them all at once, several per thread. False, and nothing done,
/// when they do not balance.
template <class Items>
bool sum_ranges(const Items& items, typename Items::value_type* output, const AccumulateShape& shape, int threads) {
  using Acc = accumulate_t<typename Items::value_type>;
  const int64_t m = items.count, n = shape.destinations;
  const int64_t wanted = std::clamp<int64_t>(n / 2048, 16 * threads, 1024);
  const int shift = std::bit_width(uint64_t(n / wanted));
  Deal<Items> deal(items, n, shift, threads);
  // To add takes a fraction of what it takes to sort: a few threads had better wait for one.
  for (int64_t r = 0; threads > kMostFilters && r < deal.ranges(); ++r)
    if (deal.size(r) > m / threads / 2) return false;

  using Entry = typename DenseSums<Acc>::Entry;
  Scratch<Entry> entries(m, Device());
  deal.deal(entries.data(), [items, shape](int64_t i, uint32_t place) {
    return Entry{place, item_value(items, shape, i, 0, 0)};
  });
  const bool sparse = n > m;
  std::atomic<int64_t> next = 0;
  for_pieces(threads, [&](int) {
    DenseSums<Acc> sums(int64_t(1) << shift, m);
    if (sparse) sums.begin(int64_t(1) << shift);
    for (int64_t r; (r = next.fetch_add(1, std::memory_order_relaxed)) < deal.ranges();) {
      const Entry *const first = entries + deal.start(r), *const last = first + deal.size(r);
      auto* const out = output + deal.base(r);
      if (sparse)  // what is written to lies anywhere in memory
        for (const Entry* entry = first; entry < last; ++entry) __builtin_prefetch(out + entry->place, 1);
      else
        sums.begin(deal.width(r));
      sums.add(first, last - first);
      if (sparse)
        for (const Entry* entry = first; entry < last; ++entry) sums.take(entry->place, out[entry->place]);
      else
        sums.finish(0, deal.width(r), out);
    }
  });
  return true;
}

/// False, and nothing done, when sorting is better.
template <class Items>
bool accumulate_dense(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  constexpr int64_t kLeastSparse = 64 * 1024;  // items: so many are not sorted in the cache
  const int64_t m = items.count, n = shape.destinations;
  if (shape.columns() != 1 || std::max(m, n) >= INT32_MAX) return false;
  const int threads = pieces_for(m, 2 * kAccumulateGrain);
  constexpr int64_t kInCache = 128 * 1024, kSparse = 4, kShortRuns = 8;
  std::optional<FilterPlan> plan;
  if (threads <= kMostFilters) plan = plan_filters(items, n, threads);
  if constexpr (std::is_floating_point_v<typename Items::value_type>) {
    const bool short_runs = plan && plan->hot < 0 && n / kSparse <= m && m / kShortRuns <= n;
    if (n > kInCache && short_runs && sum_in_output(items, output, shape, *plan, threads)) return true;
  }
  if (n / kSparse > m) return m >= kLeastSparse && n / 128 <= m && sum_ranges(items, output, shape, threads);
  if (!plan) return n >= 2 * threads && sum_ranges(items, output, shape, threads);
  // Picking an item costs about as much as adding it to a sum in the cache, so that threads gain nothing there; but
  // sums to one place wait for each other.
  if (threads > 1 && (n > kInCache || plan->mostly_hot))
    accumulate_filtered(items, output, shape, *plan, threads);
  else
    sum_all(items, output, shape);
  return true;
}

}  // namespace ordo::kernels::cpu::accumulate_detail
