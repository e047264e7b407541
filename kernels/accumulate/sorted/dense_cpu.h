// Ordering rule 1 for items of a single column, without sorting. Internal to accumulate_cpu.h.
//
// One thread adds to a running sum per destination. For more, or where most destinations get nothing, items are partitioned,
// in order, into ranges of destinations small enough for their sums to stay in the cache; each range then belongs to
// one thread. A destination sees its items in item order, so the sums are those of the contract. Where many threads
// would wait for one with most of the items, or where few items meet many destinations, the caller sorts instead.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/radix_sort_cpu.h>
#include <ordo/kernels/accumulate/shared/partition_cpu.h>
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
  const int64_t wanted = std::clamp<int64_t>(n / 2048, std::min(16 * threads, 1024), 1024);
  const int shift = std::bit_width(uint64_t(n / wanted));
  Partition<Items> partition(items, n, shift, threads);
  // To add takes a fraction of what it takes to sort: a few threads had better wait for one.
  for (int64_t r = 0; threads > kFewThreads && r < partition.ranges(); ++r)
    if (partition.size(r) > m / threads / 2) return false;

  using Entry = typename DenseSums<Acc>::Entry;
  Scratch<Entry> entries(m, Device());
  partition.scatter(entries.data(), [items, shape](int64_t i, uint32_t place) {
    return Entry{place, item_value(items, shape, i, 0, 0)};
  });
  const bool sparse = n > m;
  std::atomic<int64_t> next = 0;
  for_pieces(threads, [&](int) {
    DenseSums<Acc> sums(int64_t(1) << shift, m);
    if (sparse) sums.begin(int64_t(1) << shift);
    for (int64_t r; (r = next.fetch_add(1, std::memory_order_relaxed)) < partition.ranges();) {
      const Entry *const first = entries + partition.start(r), *const last = first + partition.size(r);
      auto* const out = output + partition.base(r);
      if (sparse)  // what is written to lies anywhere in memory
        for (const Entry* entry = first; entry < last; ++entry) __builtin_prefetch(out + entry->place, 1);
      else
        sums.begin(partition.width(r));
      sums.add(first, last - first);
      if (sparse)
        for (const Entry* entry = first; entry < last; ++entry) sums.take(entry->place, out[entry->place]);
      else
        sums.finish(0, partition.width(r), out);
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
  constexpr int64_t kSparse = 4;
  const int threads = pieces_for(m, 2 * kAccumulateGrain);
  if (n / kSparse > m) return m >= kLeastSparse && n / 128 <= m && sum_ranges(items, output, shape, threads);
  if (threads > 1 && n >= 2 * threads) return sum_ranges(items, output, shape, threads);
  if (threads > kFewThreads) return false;
  sum_all(items, output, shape);
  return true;
}

}  // namespace ordo::kernels::cpu::accumulate_detail
