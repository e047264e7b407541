// The algorithm `atomic` of the accumulate engine on the CPU. Internal to accumulate_cpu.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include <ordo/engine/half.h>
#include <ordo/kernels/accumulate/accumulate.h>
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

}  // namespace accumulate_detail
}  // namespace ordo::kernels::cpu
