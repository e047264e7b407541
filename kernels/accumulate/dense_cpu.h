// Ordering rule 1 for items of a single column, without sorting. Internal to accumulate_cpu.h.
//
// Items are dealt out, in order, to ranges of destinations small enough for a running sum per destination to stay in
// the cache; each range then belongs to one thread. A destination sees its items in item order, so the sums are those
// of the contract. Where most items go to few destinations the ranges do not balance, and the caller sorts instead.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/ordered_sum.h>
#include <ordo/kernels/accumulate/sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// One OrderedSum per destination of a range, laid out for the usual case of runs within a group.
template <class Acc>
class DenseSums {
 public:
  /// For ranges of up to `most` destinations and `items` items in all.
  DenseSums(int64_t most, int64_t items) : sums_(most, Device()), counts_(most, Device()), most_(most) {
    for (int64_t span = kOrderedGroup; span <= items; span *= kOrderedGroup) ++level_count_;
  }
  void begin(int64_t width) {
    std::fill_n(sums_.data(), width, kNothing);
    std::fill_n(counts_.data(), width, 0u);
  }
  void add(int64_t d, Acc value) {
    sums_[d] += value;
    if (++counts_[d] % kOrderedGroup == 0) [[unlikely]]
      carry(d);
  }
  /// Adds the sum of destination d to `out`, if there is one.
  template <class T>
  void finish(int64_t d, T& out) const {
    const uint32_t count = counts_[d];
    if (count == 0) return;
    Acc sum = sums_[d];
    bool open = count % kOrderedGroup != 0;
    const Acc* level = levels_.get() + d;
    for (uint32_t groups = count / kOrderedGroup; groups > 0; groups /= kOrderedGroup, level += most_) {
      if (groups % kOrderedGroup == 0) continue;
      sum = open ? *level + sum : *level;
      open = true;
    }
    out = T(Acc(out) + sum);
  }

 private:
  // -0 + v is v, whatever v; a sum can so begin without a test for its first value.
  static constexpr Acc kNothing = std::is_integral_v<Acc> ? Acc(0) : Acc(-0.0);

  [[gnu::noinline]] void carry(int64_t d) {
    if (!levels_) levels_.reset(new Acc[size_t(level_count_ * most_)]);
    Acc sum = std::exchange(sums_[d], kNothing);
    Acc* level = levels_.get() + d;
    for (uint32_t groups = counts_[d] / kOrderedGroup;; groups /= kOrderedGroup, level += most_) {
      if (groups % kOrderedGroup != 1) sum = *level + sum;
      *level = sum;
      if (groups % kOrderedGroup != 0) return;
    }
  }

  Scratch<Acc> sums_;
  Scratch<uint32_t> counts_;
  int64_t most_;
  int64_t level_count_ = 0;
  std::unique_ptr<Acc[]> levels_;
};

/// False, and nothing done, when sorting is better.
template <class Items>
bool accumulate_dense(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  using Acc = accumulate_t<typename Items::value_type>;
  const int64_t m = items.count, n = shape.destinations;
  if (shape.columns() != 1 || n / 4 > m || std::max(m, n) >= INT32_MAX) return false;
  const int threads = pieces_for(m, 8 * 1024);
  if (threads > 1 && n < 2 * threads) return false;

  constexpr int64_t kDirect = 64 * 1024;  // running sums of so many destinations stay in the second-level cache
  if (threads == 1 && n <= kDirect) {
    DenseSums<Acc> sums(n, m);
    sums.begin(n);
    for (int64_t i = 0; i < m; ++i) {
      const int64_t d = items.destination(i);
      if (d >= 0) sums.add(d, item_value(items, shape, i, 0, 0));
    }
    for (int64_t d = 0; d < n; ++d) sums.finish(d, output[d]);
    return true;
  }

  // Ranges of 2^shift destinations: few enough to write to them all at once, several per thread.
  const int64_t wanted = std::clamp<int64_t>(n / 2048, 16 * threads, 1024);
  const int shift = std::bit_width(uint64_t(n / wanted));
  const int64_t ranges = ((n - 1) >> shift) + 1;
  Scratch<uint32_t> destinations(m, Device());
  Scratch<int64_t> places(threads * (ranges + 1), Device());  // the last range is of skipped items
  for_pieces(threads, [&](int piece) {
    int64_t* counts = places.data() + piece * (ranges + 1);
    std::fill_n(counts, ranges + 1, 0);
    const int64_t last = m * (piece + 1) / threads;
    for (int64_t i = m * piece / threads; i < last; ++i) {
      int64_t d = items.destination(i);
      if (d < 0) d = ranges << shift;
      destinations[i] = uint32_t(d);
      ++counts[d >> shift];
    }
  });
  Scratch<int64_t> starts(ranges + 2, Device());
  int64_t place = 0;
  for (int64_t r = 0; r <= ranges; ++r) {
    starts[r] = place;
    for (int p = 0; p < threads; ++p) place += std::exchange(places[p * (ranges + 1) + r], place);
    if (threads > 1 && r < ranges && place - starts[r] > m / threads / 2) return false;
  }

  struct Entry {
    uint32_t destination;
    Acc value;
  };
  Scratch<Entry> entries(m, Device());
  for_pieces(threads, [&](int piece) {
    int64_t* next = places.data() + piece * (ranges + 1);
    const int64_t last = m * (piece + 1) / threads;
    for (int64_t i = m * piece / threads; i < last; ++i) {
      const int64_t r = destinations[i] >> shift;
      if (r < ranges) entries[next[r]++] = {destinations[i], item_value(items, shape, i, 0, 0)};
    }
  });
  const int64_t kept = starts[ranges];
  for_pieces(threads, [&](int piece) {
    DenseSums<Acc> sums(int64_t(1) << shift, m);
    const int64_t* first = std::lower_bound(starts.data(), starts.data() + ranges, kept * piece / threads);
    const int64_t* last = std::lower_bound(starts.data(), starts.data() + ranges, kept * (piece + 1) / threads);
    for (int64_t r = first - starts.data(); r < last - starts.data(); ++r) {
      const int64_t base = r << shift, width = std::min(int64_t(1) << shift, n - base);
      sums.begin(width);
      for (int64_t i = starts[r]; i < starts[r + 1]; ++i) sums.add(entries[i].destination - base, entries[i].value);
      for (int64_t d = 0; d < width; ++d) sums.finish(d, output[base + d]);
    }
  });
  return true;
}

}  // namespace ordo::kernels::cpu::accumulate_detail
