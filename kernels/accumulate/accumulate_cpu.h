// The accumulate engine on the CPU. See accumulate.h for Items and shapes.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/dense_cpu.h>
#include <ordo/kernels/accumulate/dense_rows_cpu.h>
#include <ordo/kernels/accumulate/fold_cpu.h>
#include <ordo/kernels/accumulate/row_lock_cpu.h>
#include <ordo/kernels/accumulate/sort_cpu.h>

namespace ordo::kernels::cpu {

/// *p += v, whichever other threads do the same. Halves are rounded at every addition.
template <class T>
inline void atomic_add(T* p, accumulate_t<T> v) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    std::atomic_ref<uint16_t> bits(p->bits);
    uint16_t expected = bits.load(std::memory_order_relaxed);
    T old, sum;
    do {
      old.bits = expected;
      sum = T(float(old) + v);
    } while (!bits.compare_exchange_weak(expected, sum.bits, std::memory_order_relaxed));
  } else {
    std::atomic_ref<T>(*p).fetch_add(T(v), std::memory_order_relaxed);
  }
}

namespace accumulate_detail {

/// What one thread handles at least; below twice that everything happens on the calling thread.
inline constexpr int64_t kAccumulateGrain = 8 * 1024;

/// Plain addition of an item's row to its destination's.
template <class Items>
void add_row(const Items& items, typename Items::value_type* output, const AccumulateShape& shape, int64_t item,
             int64_t destination) {
  using T = typename Items::value_type;
  for (int64_t o = 0; o < shape.outer; ++o) {
    T* row = output + shape.offset(destination, o, 0);
    for (int64_t j = 0; j < shape.inner; ++j)
      row[j] = T(wrapping_add(accumulate_t<T>(row[j]), item_value(items, shape, item, o, j)));
  }
}

/// Alone, a thread just adds. Otherwise it adds narrow rows element by element with atomics, and takes a lock for a row
/// that is wide enough to be worth one. Either way the order is that of arrival.
template <class Items>
void accumulate_atomic(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  constexpr int64_t kLockedColumns = 8;
  const int pieces = pieces_for(items.count * shape.columns(), kAccumulateGrain);
  const bool lock = shape.columns() >= kLockedColumns;
  for_pieces(pieces, [&](int piece) {
    const int64_t last = items.count * (piece + 1) / pieces;
    for (int64_t i = items.count * piece / pieces; i < last; ++i) {
      const int64_t d = items.destination(i);
      if (d < 0) continue;
      if (pieces == 1) {
        add_row(items, output, shape, i, d);
      } else if (lock) {
        const RowLock held(d);
        add_row(items, output, shape, i, d);
      } else {
        for (int64_t o = 0; o < shape.outer; ++o)
          for (int64_t j = 0; j < shape.inner; ++j)
            atomic_add(output + shape.offset(d, o, j), item_value(items, shape, i, o, j));
      }
    }
  });
}

template <class Entry, class Items>
void accumulate_sorted(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
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
      previous = items.destination(first - 1);
      if (previous < 0) previous = n;
    }
    for (int64_t i = first; i < last; ++i) {
      int64_t d = items.destination(i);
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

}  // namespace accumulate_detail

/// Adds every item's row to its destination's, by `atomic` or `sorted`.
template <class Items>
void accumulate(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                Algorithm algorithm) {
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  if (algorithm == Algorithm::atomic) return accumulate_detail::accumulate_atomic(items, output, shape);
  if (accumulate_detail::accumulate_dense(items, output, shape)) return;
  if (accumulate_detail::accumulate_dense_rows(items, output, shape)) return;
  constexpr int64_t kNarrow = std::numeric_limits<uint32_t>::max();
  if (items.count <= kNarrow && shape.destinations < kNarrow)
    accumulate_detail::accumulate_sorted<NarrowEntry>(items, output, shape);
  else
    accumulate_detail::accumulate_sorted<WideEntry>(items, output, shape);
}

}  // namespace ordo::kernels::cpu
