// The algorithm `exact` of the accumulate engine on the CPU. Internal to accumulate_cpu.h.
//
// Integers may be added in any order, so every thread adds its part of the items to cells of its own, which are added
// up afterwards. Where that would take too much memory, items are dealt to ranges of destinations, and one thread adds
// up a range; a range that has more than a thread's share of the items is shared as above.
//
// Nothing is written to the output before all indices have been seen, so they need no check of their own.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact.h>
#include <ordo/kernels/accumulate/exact/exact_cells_cpu.h>
#include <ordo/kernels/accumulate/shared/deal_cpu.h>
#include <ordo/kernels/accumulate/shared/sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

template <class Items>
class ExactSum {
  using T = typename Items::value_type;

 public:
  ExactSum(const Items& items, T* output, const AccumulateShape& shape)
      : items_(items), output_(output), shape_(shape) {
    const int top = likely_top();
    windows_ = exact_windows(top, items.count);
    main_ = windows_.of(top);
  }

  void run() {
    if (kSingleColumn<Items> || shape_.columns() == 1)
      run_rows<true>();
    else if constexpr (!kSingleColumn<Items>)
      run_rows<false>();
  }

 private:
  // Cells of all threads that a third-level cache holds, and of one that stay in its second-level cache, also while a
  // few others are added up.
  static constexpr int64_t kDirectCells = 4 << 20, kRangeCells = 64 * 1024;
  static constexpr int64_t kMostRanges = 32;  // written to all at once
  static constexpr int64_t kBlock = 128;      // items

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
    int64_t destination(int64_t i) const { return items.destination(i); }
    int64_t checked_destination(int64_t i) const { return ordo::kernels::checked_destination(items, i); }
    int64_t unrecorded_destination(int64_t i) const {
      if constexpr (requires { items.unrecorded_destination(i); })
        return items.unrecorded_destination(i);
      else
        return items.destination(i);
    }
    float value(int64_t i, int64_t o, int64_t j) const { return item_value(items, shape, i, o, j); }
  };
  template <bool kSingle>
  struct FromEntries {
    Items items;
    AccumulateShape shape;
    const Entry<kSingle>* entries;
    int64_t destination(int64_t i) const { return int64_t(entries[i].place); }
    int64_t unrecorded_destination(int64_t i) const { return destination(i); }
    int64_t checked_destination(int64_t i) const { return destination(i); }
    float value(int64_t i, int64_t o, int64_t j) const {
      if constexpr (kSingle)
        return entries[i].payload;
      else
        return item_value(items, shape, int64_t(entries[i].payload), o, j);
    }
  };

  // The exponent that few values will exceed, from a look at some.
  int likely_top() const {
    constexpr int64_t kLooks = 256;
    constexpr int kMargin = 1;
    const int64_t step = (items_.count + kLooks - 1) / kLooks;
    int top = 1;
    for (int64_t i = 0, k = 0; i < items_.count; i += step, ++k) {
      if (items_.destination(i) < 0) continue;
      const int64_t column = k % shape_.columns();
      const int e = exact_exponent(item_value(items_, shape_, i, column / shape_.inner, column % shape_.inner));
      if (e != kExactNotFinite) top = std::max(top, e);
    }
    return std::min(top + kMargin, kExactNotFinite - 1);
  }

  ExactCells cells(int64_t most) const { return ExactCells(windows_, main_, most); }

  bool met_bad_index() const {
    if constexpr (requires { items_.met_bad_index(); })
      return items_.met_bad_index();
    else
      return false;
  }

  template <bool kSingle>
  void run_rows() {
    const int64_t m = items_.count, n = shape_.destinations, columns = shape_.columns();
    const int threads = pieces_for(m * columns, kAccumulateGrain);
    if (n * columns * threads <= kDirectCells && n * threads <= m) {
      std::vector<ExactCells> own;
      for (int p = 0; p < threads; ++p) own.push_back(cells(n * columns));
      return add_range<kSingle>(FromItems{items_, shape_}, 0, m, 0, n, own);
    }
    const int64_t width = std::max<int64_t>({1, kRangeCells / columns, (n + kMostRanges - 1) / kMostRanges});
    const int shift = int(std::bit_width(uint64_t(width - 1)));
    Deal<Items> deal(items_, n, shift, threads);
    if (met_bad_index()) return;
    Scratch<Entry<kSingle>> entries(m, Device());
    if constexpr (kSingle)
      deal.deal(entries.data(), [items = items_, shape = shape_](int64_t i, uint32_t place) {
        return Entry<kSingle>{place, float(item_value(items, shape, i, 0, 0))};
      });
    else
      deal.deal(entries.data(), [](int64_t i, uint32_t place) { return Entry<kSingle>{place, uint32_t(i)}; });

    const auto is_large = [&](int64_t r) {
      return threads > 1 && deal.size(r) > deal.start(deal.ranges()) / threads / 2;
    };
    const auto add = [&](int64_t r, std::span<ExactCells> own) {
      add_range<kSingle>(FromEntries<kSingle>{items_, shape_, entries.data()}, deal.start(r), deal.start(r + 1),
                         deal.base(r), deal.width(r), own);
    };
    std::vector<ExactCells> own;
    for (int p = 0; p < threads; ++p) own.push_back(cells((int64_t(1) << shift) * columns));
    std::atomic<int64_t> next = 0;
    for_pieces(threads, [&](int piece) {
      for (int64_t r; (r = next.fetch_add(1, std::memory_order_relaxed)) < deal.ranges();)
        if (deal.size(r) > 0 && !is_large(r)) add(r, std::span(own).subspan(size_t(piece), 1));
    });
    for (int64_t r = 0; r < deal.ranges(); ++r)
      if (is_large(r)) add(r, own);
  }

  // The sums of destinations [base, base + width), which all items first .. last of the source belong to, by as many
  // threads as there are cells.
  template <bool kSingle, class Source>
  void add_range(const Source& source, int64_t first, int64_t last, int64_t base, int64_t width,
                 std::span<ExactCells> own) {
    const int64_t columns = kSingle ? 1 : shape_.columns(), count = width * columns;
    const int pieces = int(own.size());
    for_pieces(pieces, [&](int piece) {
      ExactCells& mine = own[size_t(piece)];
      mine.begin(count);
      add_items<kSingle>(source, first + (last - first) * piece / pieces, first + (last - first) * (piece + 1) / pieces,
                         mine);
    });
    if (met_bad_index()) return;
    // The sums of all come to the first.
    for (int w = 0; w < ExactWindows::kMost; ++w)
      for (const ExactCells& other : own.subspan(1))
        if (other.window(w)) own[0].make(w);
    parallel_for(0, count, pieces > 1 ? kAccumulateGrain : count, [&](int64_t from, int64_t to) {
      for (const ExactCells& other : own.subspan(1)) own[0].add(other, from, to);
      finish_cells(own[0], from, to, CellsOutput<T, kSingle>{output_, shape_, base});
    });
  }

  // Adds all values of the items first .. last.
  template <bool kSingle, class Source>
  static void add_items(Source source, int64_t first, int64_t last, ExactCells& cells) {
    const int64_t outer = kSingle ? 1 : source.shape.outer, inner = kSingle ? 1 : source.shape.inner;
    const ExactCells::Adder add(cells);
    while (first < last) {
      if constexpr (kSingle)
        first = cells.bytes() > kFetchedBytes ? add_fetched(source, first, last, add)
                                              : add_blocks(source, first, last, add);
      for (const int64_t end = kSingle ? std::min(last, first + kBlock) : last; first < end; ++first) {
        const int64_t d = source.destination(first);
        if (d < 0) continue;
        for (int64_t o = 0, c = d * outer * inner; o < outer; ++o, c += inner)
          for (int64_t j = 0; j < inner; ++j) {
            const float v = source.value(first, o, j);
            if (add.is_elsewhere(v)) [[unlikely]]
              cells.add(c + j, v);
            else
              add(c + j, add.addend(v));
          }
      }
    }
  }

  // Adds blocks of single values from `first` on, up to one with an item to be skipped or a value of another window,
  // and returns its first item. Every step is a loop without branches and calls.
  template <class Source>
  static int64_t add_blocks(Source source, int64_t first, int64_t last, ExactCells::Adder add) {
    alignas(64) std::array<int64_t, kBlock> addends;
    alignas(64) std::array<float, kBlock> values;
    for (; first <= last - kBlock; first += kBlock) {
      uint64_t skipped = 0;
      for (int64_t k = 0; k < kBlock; ++k) skipped |= uint64_t(source.unrecorded_destination(first + k)) >> 63;
      if (skipped != 0) return first;
      for (int64_t k = 0; k < kBlock; ++k) values[size_t(k)] = source.value(first + k, 0, 0);
      uint32_t elsewhere = 0;
      for (int64_t k = 0; k < kBlock; ++k) elsewhere |= add.is_elsewhere(values[size_t(k)]);
      if (elsewhere != 0) return first;
      for (int64_t k = 0; k < kBlock; ++k) addends[size_t(k)] = add.addend(values[size_t(k)]);
      for (int64_t k = 0; k < kBlock; ++k) add(source.checked_destination(first + k), addends[size_t(k)]);
    }
    return first;
  }

  // The same where most sums have to be fetched: by items, so that there is no step in which no fetch is under way, and
  // apart from what calls anything, so that its variables stay in registers.
  template <class Source>
  [[gnu::noinline]] static int64_t add_fetched(Source source, int64_t first, int64_t last, ExactCells::Adder add) {
    constexpr int64_t kAhead = 256;
    for (; first < last - kAhead; ++first) {
      add.prefetch(source.checked_destination(first + kAhead));
      const int64_t d = source.unrecorded_destination(first);
      if (d < 0) break;
      const float v = source.value(first, 0, 0);
      if (add.is_elsewhere(v)) break;
      add(d, add.addend(v));
    }
    return first;
  }

  const Items& items_;
  T* output_;
  AccumulateShape shape_;
  ExactWindows windows_;
  int main_;
};

template <class Items>
void accumulate_exact(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  ExactSum<Items>(items, output, shape).run();
}

}  // namespace ordo::kernels::cpu::accumulate_detail
