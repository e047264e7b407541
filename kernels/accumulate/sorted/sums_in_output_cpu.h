// Ordering rule 1 for items of a single column and more destinations than stay in the cache, of which none gets more
// than a group: sums are made in the output itself. Internal to dense_cpu.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/sorted/dense_filter_cpu.h>
#include <ordo/kernels/ordering/dense_sums_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Whether all of them are zeros of one sign.
template <class T>
bool are_zeros(const T* values, int64_t count) {
  using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr int64_t kBlock = 4096;
  const Word wanted = std::bit_cast<Word>(values[0]);
  if (values[0] != T(0) || values[count / 2] != T(0) || values[count - 1] != T(0)) return false;
  std::atomic<bool> others = false;
  parallel_for(0, count, kAccumulateGrain, [&](int64_t first, int64_t last) {
    for (int64_t begin = first; begin < last && !others.load(std::memory_order_relaxed); begin += kBlock) {
      Word differ = 0;
      for (int64_t i = begin; i < std::min(last, begin + kBlock); ++i)
        differ |= std::bit_cast<Word>(values[i]) ^ wanted;
      if (differ != 0) others.store(true, std::memory_order_relaxed);
    }
  });
  return !others;
}

/// Adds items' values to their places in the output, by few threads, each of which picks those of its destinations. It
/// has all memory that it needs before the output changes.
template <class Items>
class OrderedAdder {
  using Entry = typename DenseSums<typename Items::value_type>::Entry;
  static constexpr int64_t kBlock = 1024, kItems = 16;  // items that are picked at a time; of a counter
  static constexpr int64_t kAhead = 32;                 // items whose places, which lie anywhere, are fetched before

 public:
  OrderedAdder(int64_t items, const FilterPlan& plan, int threads)
      : plan_(plan),
        threads_(threads),
        counters_(int64_t(std::bit_ceil(uint32_t(items / kItems + 1)))),
        counts_(counters_ * threads, Device()),
        blocks_((kBlock + kAhead) * threads, Device()) {}

  /// Whether no place got more than a group: else its sum is wrong.
  template <class T>
  bool add(const Items& items, T* output, const AccumulateShape& shape) const {
    std::atomic<bool> longer = false;
    for_pieces(threads_, [&](int piece) {
      const int64_t first = plan_.cuts[size_t(piece)];
      const uint64_t places = uint64_t(plan_.cuts[size_t(piece) + 1] - first);
      const Items mine = items;  // which no store can change
      T* const to = output + first;
      Entry* const entries = blocks_.data() + (kBlock + kAhead) * piece;
      uint8_t* const counts = counts_.data() + counters_ * piece;
      std::fill_n(entries, kBlock + kAhead, Entry{});
      std::fill_n(counts, counters_, uint8_t(0));
      const uint32_t mask = uint32_t(counters_ - 1);
      uint8_t seen = 0;
      for (int64_t begin = 0; begin < mine.count; begin += kBlock) {
        int64_t picked = 0;
        for (int64_t i = begin; i < std::min(mine.count, begin + kBlock); ++i) {
          const int64_t place = checked_destination(mine, i) - first;
          entries[picked] = {uint32_t(place), item_value(mine, shape, i, 0, 0)};  // kept only when it is counted
          picked += uint64_t(place) < places;
        }
        for (int64_t i = 0; i < picked; ++i) {
          __builtin_prefetch(to + entries[i + kAhead].place, 1);
          const uint32_t d = entries[i].place;
          to[d] += entries[i].value;
          seen |= ++counts[d & mask];  // of several destinations: perhaps more than one of them has
        }
      }
      if (seen >= kOrderedGroup) longer.store(true, std::memory_order_relaxed);
    });
    return !longer;
  }

 private:
  const FilterPlan& plan_;
  int threads_;
  int64_t counters_;  // of a thread, a power of two
  Scratch<uint8_t> counts_;
  Scratch<Entry> blocks_;
};

/// False, and nothing done, where a destination might get more than a group, or the old content has NaNs.
template <class Items>
bool sum_in_output(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                   const FilterPlan& plan, int threads) {
  using T = typename Items::value_type;
  const int64_t n = shape.destinations;
  const OrderedAdder<Items> adder(items.count, plan, threads);
  if (are_zeros(output, n)) {  // a sum may begin with one: that changes no bit of the result
    const T zero = output[0];
    if (adder.add(items, output, shape)) return true;
    std::fill_n(output, n, zero);
    return false;
  }
  const Scratch<T> olds(n, Device());
  T* const old = olds.data();
  std::atomic<bool> nans = false;  // to add no value, -0, changes nothing but a NaN
  parallel_for(0, n, kAccumulateGrain, [&](int64_t first, int64_t last) {
    std::copy(output + first, output + last, old + first);
    std::fill(output + first, output + last, kNoValue<T>);
    int nan = 0;
    for (int64_t d = first; d < last; ++d) nan |= int(old[d] != old[d]);
    if (nan != 0) nans.store(true, std::memory_order_relaxed);
  });
  const bool done = !nans && adder.add(items, output, shape);
  parallel_for(0, n, kAccumulateGrain, [&](int64_t first, int64_t last) {
    const T* __restrict from = old;
    T* __restrict to = output;
    for (int64_t d = first; done && d < last; ++d) to[d] = from[d] + to[d];
    if (!done) std::copy(from + first, from + last, to + first);
  });
  return done;
}

}  // namespace ordo::kernels::cpu::accumulate_detail
