// The algorithm `atomic` of the accumulate engine on the CPU. Internal to accumulate_cpu.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/half.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/radix_sort_cpu.h>
#include <ordo/kernels/ordering/ordered_sum.h>

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

/// Plain addition of the items [first, last), by the only thread that adds to `output`.
template <class Out, class Items>
void add_rows(Items items, Out* output, const AccumulateShape& given, int64_t first, int64_t last) {
  using Acc = accumulate_t<typename Items::value_type>;
  const AccumulateShape shape = given;
  if (kSingleColumn<Items> || shape.columns() == 1) {
    constexpr int64_t kAhead = 128;
    const auto add = [=](int64_t i) {
      const int64_t d = checked_destination(items, i);
      if (d >= 0) output[d] = Out(wrapping_add(Acc(output[d]), item_value(items, shape, i, 0, 0)));
    };
    if (shape.destinations * int64_t(sizeof(Out)) > kFetchedBytes)
      for (; first < last - kAhead; ++first) {
        __builtin_prefetch(output + checked_destination(items, first + kAhead), 1);
        add(first);
      }
    for (; first < last; ++first) add(first);
  } else if constexpr (!kSingleColumn<Items>) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t d = checked_destination(items, i);
      for (int64_t o = 0; d >= 0 && o < shape.outer; ++o) {
        Out* const row = output + shape.offset(d, o, 0);
        const auto values = item_row(items, shape, i, o, 0);
        for (int64_t j = 0; j < shape.inner; ++j) row[j] = Out(wrapping_add(Acc(row[j]), values(j)));
      }
    }
  }
}

/// Every thread adds the items that it gets hold of to an output of its own; these are added up at the end.
template <class Items>
void accumulate_privately(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                          int threads) {
  using T = typename Items::value_type;
  using Acc = accumulate_t<T>;
  const int64_t size = shape.destinations * shape.columns();
  const int64_t chunk = std::max<int64_t>(1, 16 * 1024 / shape.columns());
  Scratch<Acc> copies(size * threads, Device());
  std::atomic<int64_t> next = 0;
  std::atomic<int> used = 0;  // copies
  for_pieces(threads, [&](int) {
    Acc* mine = nullptr;
    for (int64_t first; (first = next.fetch_add(chunk, std::memory_order_relaxed)) < items.count;) {
      if (!mine) {
        mine = copies + size * used.fetch_add(1, std::memory_order_relaxed);
        std::fill_n(mine, size, kNoValue<Acc>);
      }
      add_rows(items, mine, shape, first, std::min(items.count, first + chunk));
    }
  });
  parallel_for(0, size, 16 * 1024, [&](int64_t first, int64_t last) {
    for (int c = 0; c < used.load(std::memory_order_relaxed); ++c) {
      const Acc* copy = copies + size * c;
      for (int64_t i = first; i < last; ++i) output[i] = T(wrapping_add(Acc(output[i]), copy[i]));
    }
  });
}

/// Alone, a thread just adds. Where there are many items for a destination, each has an output of its own. Otherwise
/// one of a few adds to single columns, and what few of many destinations get is added with atomics. False, and nothing
/// done, for the rest, where threads would meet, or atomics cost more: `sorted` is as fast there. Integers, whose sums need
/// no order, are always added.
template <class Items>
bool accumulate_atomic(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  constexpr int64_t kWideRow = 8, kMostPrivateBytes = 16 << 20;
  constexpr bool kIntegers = std::is_integral_v<typename Items::value_type>;
  const int threads = pieces_for(items.count * shape.columns(), 2 * kAccumulateGrain);
  const int64_t bytes =
      shape.destinations * shape.columns() * int64_t(sizeof(accumulate_t<typename Items::value_type>));
  if (threads > 1 && shape.destinations * threads <= items.count / 2 && bytes <= kMostPrivateBytes) {
    accumulate_privately(items, output, shape, threads);
    return true;
  }
  // A plain addition takes a fraction of what it costs to bring items to the thread that owns their destination.
  if (threads == 1 || ((kIntegers || shape.columns() == 1) && threads <= kFewThreads)) {
    add_rows(items, output, shape, 0, items.count);
    return true;
  }
  if (!kIntegers && (shape.columns() >= kWideRow || shape.destinations / 4 <= items.count)) return false;
  for_pieces(threads, [&](int piece) {
    const int64_t last = items.count * (piece + 1) / threads;
    for (int64_t i = items.count * piece / threads; i < last; ++i) {
      const int64_t d = checked_destination(items, i);
      if (d < 0) continue;
      for (int64_t o = 0; o < shape.outer; ++o)
        for (int64_t j = 0; j < shape.inner; ++j)
          atomic_add(output + shape.offset(d, o, j), item_value(items, shape, i, o, j));
    }
  });
  return true;
}

}  // namespace accumulate_detail
}  // namespace ordo::kernels::cpu
