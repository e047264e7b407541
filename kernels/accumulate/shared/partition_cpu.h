// Partitions items into ranges of neighbouring destinations, so that what is added up for a range stays in the cache.
// Internal to dense_cpu.h and exact_cpu.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/radix_sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Ranges of 2^shift destinations. A range gets its items in their order; skipped items are in none.
template <class Items>
class Partition {
 public:
  /// Counts the items of every range, and calls destination() of each item.
  Partition(const Items& items, int64_t destinations, int shift, int threads)
      : items_(items),
        destinations_(destinations),
        shift_(shift),
        threads_(threads),
        ranges_(((destinations - 1) >> shift) + 1),
        stride_((ranges_ + 1 + 7) / 8 * 8 + 8),
        places_(threads * stride_, Device()) {  // the last range is of skipped items
    for_pieces(threads, [&](int piece) { count(begin(piece), begin(piece + 1), places_ + piece * stride_); });
    int64_t place = 0;
    for (int64_t r = 0; r <= ranges_; ++r) {
      starts_.push_back(place);
      for (int p = 0; p < threads; ++p) place += std::exchange(places_[p * stride_ + r], place);
    }
  }

  int64_t ranges() const { return ranges_; }
  /// First of the entries of range r; that of ranges() is the number of all.
  int64_t start(int64_t r) const { return starts_[size_t(r)]; }
  int64_t size(int64_t r) const { return start(r + 1) - start(r); }
  /// The range's destinations.
  int64_t base(int64_t r) const { return r << shift_; }
  int64_t width(int64_t r) const { return std::min(int64_t(1) << shift_, destinations_ - base(r)); }

  /// Once: writes entry(item, its destination's place in the range) for every item that is not skipped. All
  /// destinations have been checked.
  template <class Entry, class Make>
  void scatter(Entry* entries, const Make& entry) {
    for_pieces(threads_, [&](int piece) {
      int64_t* next = places_ + piece * stride_;
      const Items mine = items_;
      const Make make = entry;
      Entry* const to = entries;
      const int shift = shift_;
      const int64_t within = (int64_t(1) << shift) - 1;
      for (int64_t i = begin(piece), last = begin(piece + 1); i < last; ++i) {
        const int64_t d = checked_destination(mine, i);
        if (d >= 0) to[next[d >> shift]++] = make(i, uint32_t(d & within));
      }
    });
  }

 private:
  int64_t begin(int piece) const { return items_.count * piece / threads_; }

  void count(int64_t first, int64_t last, int64_t* counts) const {
    // Ranges are few: the next item's is often the same one, and would wait for the count. So four take turns.
    constexpr int64_t kTurns = 4;
    const int64_t ranges = ranges_, shift = shift_;
    std::vector<int64_t> turns(size_t(kTurns * (ranges + 1)));
    const Items mine = items_;  // a copy, which stores to counts do not alias
    const auto add = [&](int64_t i, int64_t turn) {
      const int64_t d = mine.destination(i);
      ++turns[size_t(turn * (ranges + 1) + (d < 0 ? ranges : d >> shift))];
    };
    for (; first <= last - kTurns; first += kTurns)
      for (int64_t turn = 0; turn < kTurns; ++turn) add(first + turn, turn);
    for (; first < last; ++first) add(first, 0);
    for (int64_t r = 0; r <= ranges; ++r) {
      counts[r] = 0;
      for (int64_t turn = 0; turn < kTurns; ++turn) counts[r] += turns[size_t(turn * (ranges + 1) + r)];
    }
  }

  const Items& items_;
  int64_t destinations_;
  int shift_, threads_;
  int64_t ranges_, stride_;  // a thread's places share no cache line with another's
  Scratch<int64_t> places_;  // [thread][range]: how many, then where the next goes
  std::vector<int64_t> starts_;
};

}  // namespace ordo::kernels::cpu::accumulate_detail
