// The algorithm `exact` of the accumulate engine on the CPU. Internal to accumulate_cpu.h.
//
// Integers may be added in any order, so nothing is sorted. Items are dealt to ranges of destinations whose magnitudes
// and sums stay in the cache; one thread adds up a range. A range that has more than a thread's share of the items is
// shared: every thread adds its part of them to cells of its own, which are combined afterwards.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact.h>
#include <ordo/kernels/accumulate/sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

template <class Items>
class ExactSum {
  using T = typename Items::value_type;

 public:
  ExactSum(const Items& items, T* output, const AccumulateShape& shape)
      : items_(items), output_(output), shape_(shape), headroom_(exact_headroom(items.count)) {}

  void run() {
    if (shape_.columns() == 1)
      run_rows<true>();
    else
      run_rows<false>();
  }

 private:
  static constexpr int64_t kDirectCells = 256 * 1024;  // magnitudes and sums of so many stay in the caches
  static constexpr int64_t kRangeCells = 4096;         // in the first-level cache
  static constexpr int64_t kMostRanges = 1024;         // written to all at once

  // Items that have been dealt: of single columns the value itself.
  template <bool kSingle>
  struct Entry {
    uint32_t place;  // of the destination in its range
    std::conditional_t<kSingle, float, uint32_t> payload;
  };

  // Where addends come from: the items as they are, or entries. Copies, because what a loop stores might be a part of
  // what it refers to.
  struct FromItems {
    Items items;
    AccumulateShape shape;
    int64_t destination(int64_t i) const { return checked_destination(items, i); }
    float value(int64_t i, int64_t o, int64_t j) const { return item_value(items, shape, i, o, j); }
  };
  template <bool kSingle>
  struct FromEntries {
    Items items;
    AccumulateShape shape;
    const Entry<kSingle>* entries;
    int64_t destination(int64_t i) const { return int64_t(entries[i].place); }
    float value(int64_t i, int64_t o, int64_t j) const {
      if constexpr (kSingle)
        return entries[i].payload;
      else
        return item_value(items, shape, int64_t(entries[i].payload), o, j);
    }
  };

  template <bool kSingle>
  void run_rows() {
    const int64_t m = items_.count, n = shape_.destinations, columns = shape_.columns();
    const int threads = pieces_for(m * columns, kAccumulateGrain);
    if (n * columns <= kDirectCells && n * columns * threads <= std::max(4 * m, kRangeCells))
      return add_range<kSingle>(FromItems{items_, shape_}, 0, m, 0, n, threads);
    const int64_t width = std::max<int64_t>({1, kRangeCells / columns, (n + kMostRanges - 1) / kMostRanges});
    const int shift = int(std::bit_width(uint64_t(width - 1)));
    const int64_t ranges = ((n - 1) >> shift) + 1;

    Scratch<uint32_t> destinations(m, Device());
    Scratch<int64_t> places(threads * (ranges + 1), Device());  // the last range is of skipped items
    for_pieces(threads, [&](int piece) {
      int64_t* counts = places.data() + piece * (ranges + 1);
      std::fill_n(counts, ranges + 1, 0);
      const int64_t last = m * (piece + 1) / threads;
      const Items items = items_;
      for (int64_t i = m * piece / threads; i < last; ++i) {
        int64_t d = checked_destination(items, i);
        if (d < 0) d = ranges << shift;
        destinations[i] = uint32_t(d);
        ++counts[d >> shift];
      }
    });
    std::vector<int64_t> starts(size_t(ranges) + 1);
    int64_t place = 0;
    for (int64_t r = 0; r <= ranges; ++r) {
      starts[size_t(r)] = place;
      for (int p = 0; p < threads; ++p) place += std::exchange(places[p * (ranges + 1) + r], place);
    }
    Scratch<Entry<kSingle>> entries(m, Device());
    for_pieces(threads, [&](int piece) {
      int64_t* next = places.data() + piece * (ranges + 1);
      const int64_t last = m * (piece + 1) / threads;
      const Items items = items_;
      const AccumulateShape shape = shape_;
      for (int64_t i = m * piece / threads; i < last; ++i) {
        const uint32_t d = destinations[i], r = d >> shift;
        if (r == ranges) continue;
        if constexpr (kSingle)
          entries[next[r]++] = {d - (r << shift), float(item_value(items, shape, i, 0, 0))};
        else
          entries[next[r]++] = {d - (r << shift), uint32_t(i)};
      }
    });

    const int64_t share = starts[size_t(ranges)] / threads;
    const auto is_large = [&](int64_t r) {
      return threads > 1 && starts[size_t(r) + 1] - starts[size_t(r)] > share / 2;
    };
    const auto add = [&](int64_t r, int pieces) {
      const int64_t base = r << shift;
      add_range<kSingle>(FromEntries<kSingle>{items_, shape_, entries.data()}, starts[size_t(r)], starts[size_t(r) + 1],
                         base, std::min(int64_t(1) << shift, n - base), pieces);
    };
    std::atomic<int64_t> next = 0;
    for_pieces(threads, [&](int) {
      for (int64_t r; (r = next.fetch_add(1, std::memory_order_relaxed)) < ranges;)
        if (starts[size_t(r)] < starts[size_t(r) + 1] && !is_large(r)) add(r, 1);
    });
    for (int64_t r = 0; r < ranges; ++r)
      if (is_large(r)) add(r, threads);
  }

  // The sums of destinations [base, base + width), which all items first .. last of the source belong to.
  template <bool kSingle, class Source>
  void add_range(const Source& source, int64_t first, int64_t last, int64_t base, int64_t width, int pieces) {
    const int64_t columns = kSingle ? 1 : shape_.columns(), cells = width * columns;
    const Scratch<uint32_t> magnitude_cells(pieces * cells, Device());
    const Scratch<int64_t> sum_cells(pieces * cells, Device());
    uint32_t* const magnitudes = magnitude_cells.data();  // of the first piece, and in the end of all
    int64_t* const sums = sum_cells.data();
    const auto output = [&](int64_t cell) -> T& {
      if constexpr (kSingle) return output_[base + cell];
      const int64_t column = cell % columns;
      return output_[shape_.offset(base + cell / columns, column / shape_.inner, column % shape_.inner)];
    };
    const auto begin = [&](int piece) { return first + (last - first) * piece / pieces; };
    const auto over_cells = [&](const auto& f) {
      parallel_for(0, cells, pieces > 1 ? kAccumulateGrain : cells, [&](int64_t from, int64_t to) {
        for (int64_t c = from; c < to; ++c) f(c);
      });
    };

    for_pieces(pieces, [&](int piece) {
      uint32_t* const mine = magnitudes + piece * cells;
      if (piece == 0)
        for (int64_t c = 0; c < cells; ++c) mine[c] = exact_magnitude(float(output(c)));
      else
        std::fill_n(mine, cells, 0u);
      for_each<kSingle>(source, begin(piece), begin(piece + 1),
                        [mine](int64_t c, float v) { mine[c] = std::max(mine[c], exact_magnitude(v)); });
    });
    if (pieces > 1)
      over_cells([&](int64_t c) {
        for (int p = 1; p < pieces; ++p) magnitudes[c] = std::max(magnitudes[c], magnitudes[p * cells + c]);
      });
    for_pieces(pieces, [&](int piece) {
      int64_t* const mine = sums + piece * cells;
      std::fill_n(mine, cells, 0);
      for_each<kSingle>(source, begin(piece), begin(piece + 1),
                        [mine, magnitudes, headroom = headroom_](int64_t c, float v) {
                          mine[c] = wrapping_add(mine[c], exact_addend(v, magnitudes[c], headroom));
                        });
    });
    over_cells([&](int64_t c) {
      for (int p = 1; p < pieces; ++p) sums[c] = wrapping_add(sums[c], sums[p * cells + c]);
      T& out = output(c);
      out = exact_result(out, magnitudes[c], sums[c], headroom_);
    });
  }

  // f(cell, value) for all values of the items first .. last.
  template <bool kSingle, class Source, class F>
  static void for_each(Source source, int64_t first, int64_t last, F f) {
    const int64_t outer = source.shape.outer, inner = source.shape.inner;
    for (int64_t i = first; i < last; ++i) {
      const int64_t d = source.destination(i);
      if (d < 0) continue;
      if constexpr (kSingle) {
        f(d, source.value(i, 0, 0));
      } else {
        for (int64_t o = 0, c = d * outer * inner; o < outer; ++o, c += inner)
          for (int64_t j = 0; j < inner; ++j) f(c + j, source.value(i, o, j));
      }
    }
  }

  const Items& items_;
  T* output_;
  AccumulateShape shape_;
  int headroom_;
};

template <class Items>
void accumulate_exact(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  ExactSum<Items>(items, output, shape).run();
}

}  // namespace ordo::kernels::cpu::accumulate_detail
