// The algorithm `exact` of the accumulate engine on the CPU. Internal to accumulate_cpu.h.
//
// Sums that lose nothing may be added up in any order, so every thread adds its part of the items to cells of its own,
// which are added up afterwards. Where that would take too much memory, items are dealt to ranges of destinations, and
// one thread adds up a range; a range that has more than a thread's share of the items is shared as above.
//
// Nothing is written to the output before all indices have been seen, so they need no check of their own.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact_cells_cpu.h>
#include <ordo/kernels/accumulate/shared/deal_cpu.h>
#include <ordo/kernels/accumulate/shared/sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

template <class Items>
class ExactSum {
  using T = typename Items::value_type;

 public:
  ExactSum(const Items& items, T* output, const AccumulateShape& shape)
      : items_(items), output_(output), shape_(shape) {}

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

  using Values = std::array<float, size_t(ExactCells::kBlock)>;

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
    // Single values: those of a block.
    void read(int64_t begin, Values& values) const {
      if constexpr (requires { items.element(*items.address(begin, 0, 0), begin); }) {
        const auto* const from = items.address(begin, 0, 0);
        if (items.address(begin + 1, 0, 0) == from + 1) {  // a loop that vectorises
          for (size_t k = 0; k < values.size(); ++k) values[k] = float(items.element(from[k], begin + int64_t(k)));
          return;
        }
      }
      for (size_t k = 0; k < values.size(); ++k) values[k] = value(begin + int64_t(k), 0, 0);
    }
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
    void read(int64_t begin, Values& values) const {
      for (size_t k = 0; k < values.size(); ++k) values[k] = value(begin + int64_t(k), 0, 0);
    }
  };

  // Looks at some items: windows for values like theirs, and the destination that many of them have. They are lines of
  // items, because a line costs what an item does.
  void look() {
    constexpr int64_t kLooks = 512, kLine = 8;
    const int64_t lines = std::min(kLooks / kLine, items_.count / 128);
    std::vector<float> values;
    std::vector<int64_t> destinations;
    for (int64_t line = 0; line < lines; ++line)
      for (int64_t i = items_.count / lines * line, last = i + kLine; i < last; ++i) {
        const int64_t d = items_.destination(i);
        if (d < 0) continue;
        const int64_t column = int64_t(values.size()) % shape_.columns();
        values.push_back(float(item_value(items_, shape_, i, column / shape_.inner, column % shape_.inner)));
        destinations.push_back(d);
      }
    windows_ = SumWindows::for_values_like(values, double(items_.count) / double(shape_.destinations));
    std::sort(destinations.begin(), destinations.end());
    const size_t many = destinations.size() / 8;  // are worth finding the sum of each item
    for (size_t k = many; k > 0 && k < destinations.size(); ++k)
      if (destinations[k] == destinations[k - many]) hot_ = destinations[k];
  }

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
    std::vector<ExactCells> own(static_cast<size_t>(threads));
    look();
    if (n * columns * threads * windows_.count <= kDirectCells && n * threads <= m)
      return add_range<kSingle>(FromItems{items_, shape_}, 0, m, 0, n, own);
    const int64_t width =
        std::max<int64_t>({1, kRangeCells / windows_.count / columns, (n + kMostRanges - 1) / kMostRanges});
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
    const int64_t share = (last - first) / pieces;
    const auto add_all = [&](const SumWindows& windows, int64_t most_spilled) {
      for_pieces(pieces, [&](int piece) {
        ExactCells& mine = own[size_t(piece)];
        mine.begin(count, windows, most_spilled, kSingle && hot_ >= base && hot_ < base + width ? hot_ - base : -1);
        add_items<kSingle>(source, first + (last - first) * piece / pieces,
                           first + (last - first) * (piece + 1) / pieces, mine);
      });
      return std::none_of(own.begin(), own.end(), [](const ExactCells& cells) { return cells.is_full(); });
    };
    // To spill a value takes as long as to add about a hundred; to begin again, no longer than has passed.
    const bool fit = add_all(windows_, 256 + share * columns / 128);
    if (met_bad_index()) return;
    if (!fit) add_all(SumWindows::for_any_values(), std::numeric_limits<int64_t>::max());
    const std::vector<ExactCells::Spilled> spilled = ExactCells::spilled(own);
    parallel_for(0, count, pieces > 1 ? kAccumulateGrain : count, [&](int64_t from, int64_t to) {
      finish_cells(own, spilled, from, to, CellsOutput<T, kSingle>{output_, shape_, base});
    });
  }

  // Adds all values of the items first .. last, or as many as it takes to fill the cells.
  template <bool kSingle, class Source>
  static void add_items(Source source, int64_t first, int64_t last, ExactCells& cells) {
    ExactCells::Adder adder(cells);
    while (first < last && !cells.is_full()) {
      if constexpr (kSingle) {
        first = adder.sums_are_cells() ? add_whole_blocks<false>(source, first, last, cells, adder)
                                       : add_whole_blocks<true>(source, first, last, cells, adder);
      }
      const int64_t end = std::min(last, first + ExactCells::kBlock);
      for (; first < end; ++first)
        if (const int64_t d = source.destination(first); d >= 0) add_item<kSingle>(source, first, d, adder);
    }
  }

  // Adds blocks of single values from `first` on, up to one with an item to be skipped, and returns its first item.
  // Where most sums have to be fetched, those of a block are on their way while the block before it is added.
  template <bool kFinds, class Source>
  static int64_t add_whole_blocks(Source source, int64_t first, int64_t last, const ExactCells& cells,
                                  ExactCells::Adder& adder) {
    constexpr int64_t kBlock = ExactCells::kBlock;
    std::array<ExactCells::Block, 2> blocks;
    const auto sum = [&](const ExactCells::Block& block, int64_t begin, size_t k) {
      return kFinds ? block.sums[k] : source.checked_destination(begin + int64_t(k));
    };
    if (!prepare<kFinds>(source, first, last, cells, adder.finder(), blocks[0])) return first;
    for (size_t now = 0;; now ^= 1) {
      const int64_t next = first + kBlock;
      const bool more = prepare<kFinds>(source, next, last, cells, adder.finder(), blocks[now ^ 1]);
      if (more && adder.fetches())
        for (size_t k = 0; k < size_t(kBlock); ++k) adder.fetch(sum(blocks[now ^ 1], next, k));
      adder.add([&](size_t k) { return sum(blocks[now], first, k); }, blocks[now]);
      first = next;
      if (!more) return first;
    }
  }

  // Makes a block of the items from `begin` on, unless there are too few, or one of them is to be skipped. Every step
  // is a loop without branches and calls.
  template <bool kFinds, class Source>
  [[gnu::noinline]] static bool prepare(Source source, int64_t begin, int64_t last, const ExactCells& cells,
                                        ExactCells::Finder finder, ExactCells::Block& block) {
    constexpr int64_t kBlock = ExactCells::kBlock;
    if (begin > last - kBlock || cells.is_full() || any_skipped(source, begin, kBlock)) return false;
    alignas(64) Values values;
    alignas(64) std::array<uint32_t, size_t(kBlock)> windows;
    source.read(begin, values);
    for (size_t k = 0; k < size_t(kBlock); ++k) block.values[k] = double(values[k]);
    if constexpr (kFinds) {
      for (size_t k = 0; k < size_t(kBlock); ++k) windows[k] = finder.window(values[k]);
      for (size_t k = 0; k < size_t(kBlock); ++k)
        block.sums[k] = finder.sum(source.checked_destination(begin + int64_t(k)), windows[k], k);
    }
    return true;
  }

  template <class Source>
  static bool any_skipped(const Source& source, int64_t first, int64_t count) {
    uint64_t skipped = 0;
    for (int64_t k = 0; k < count; ++k) skipped |= uint64_t(source.unrecorded_destination(first + k)) >> 63;
    return skipped != 0;
  }

  template <bool kSingle, class Source>
  static void add_item(const Source& source, int64_t item, int64_t destination, ExactCells::Adder& adder) {
    if constexpr (kSingle) {
      adder.add(destination, float(source.value(item, 0, 0)));
    } else {
      const int64_t outer = source.shape.outer, inner = source.shape.inner;
      for (int64_t o = 0, c = destination * outer * inner; o < outer; ++o, c += inner)
        for (int64_t j = 0; j < inner; ++j) adder.add(c + j, float(source.value(item, o, j)));
    }
  }

  const Items& items_;
  T* output_;
  AccumulateShape shape_;
  SumWindows windows_;
  int64_t hot_ = -1;  // destination
};

template <class Items>
void accumulate_exact(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  ExactSum<Items>(items, output, shape).run();
}

}  // namespace ordo::kernels::cpu::accumulate_detail
