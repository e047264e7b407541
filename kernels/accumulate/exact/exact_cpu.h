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
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
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
    choose_windows();
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

  // Windows, the highest of which few values will exceed, and as few main ones as most values need, from a look at
  // some. Twice as many cost less than one stray in 64 values.
  void choose_windows() {
    constexpr int64_t kLooks = 256;
    constexpr int kMargin = 1;
    const int64_t step = (items_.count + kLooks - 1) / kLooks;
    std::array<int, kLooks> exponents;
    size_t looks = 0;
    int top = 1;
    for (int64_t i = 0, k = 0; i < items_.count; i += step, ++k) {
      if (items_.destination(i) < 0) continue;
      const int64_t column = k % shape_.columns();
      const float v = item_value(items_, shape_, i, column / shape_.inner, column % shape_.inner);
      const int e = exact_exponent(v);
      if (v == 0 || e == kExactNotFinite) continue;
      top = std::max(top, e);
      exponents[looks++] = e;
    }
    windows_ = exact_windows(std::min(top + kMargin, kExactNotFinite - 1), items_.count);
    std::array<size_t, ExactWindows::kMost> seen{};
    for (size_t k = 0; k < looks; ++k) ++seen[size_t(windows_.of(exponents[k]))];
    const int windows = windows_.infinities();
    for (int shift = 0; shift <= MainWindows::kMostShift; ++shift) {
      const int count = 1 << shift;
      size_t most = 0;
      const int highest = std::max(0, windows - count);
      for (int first = highest; first >= 0; --first) {
        const size_t in =
            std::accumulate(&seen[size_t(first)], &seen[size_t(std::min(windows, first + count))], size_t(0));
        if (first == highest || in > most) main_ = {first, shift}, most = in;
      }
      if ((looks - most) * 64 <= looks || count >= windows) return;
    }
  }

  ExactCells cells(int64_t most, int threads) const {
    return ExactCells(windows_, main_, most, 256 + most / (32 * threads));
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
    if (n * columns * threads <= kDirectCells >> main_.shift && n * threads <= m) {
      std::vector<ExactCells> own;
      for (int p = 0; p < threads; ++p) own.push_back(cells(n * columns, threads));
      return add_range<kSingle>(FromItems{items_, shape_}, 0, m, 0, n, own);
    }
    const int64_t width =
        std::max<int64_t>({1, (kRangeCells >> main_.shift) / columns, (n + kMostRanges - 1) / kMostRanges});
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
    for (int p = 0; p < threads; ++p) own.push_back(cells((int64_t(1) << shift) * columns, threads));
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
    own[0].gather(own.subspan(1));  // the sums of all come to the first
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
      if constexpr (kSingle) first = add_blocks(source, first, last, cells);
      for (const int64_t end = kSingle ? std::min(last, first + kBlock) : last; first < end; ++first) {
        const int64_t d = source.destination(first);
        if (d < 0) continue;
        for (int64_t o = 0, c = d * outer * inner; o < outer; ++o, c += inner)
          for (int64_t j = 0; j < inner; ++j) {
            const float v = source.value(first, o, j);
            const uint32_t w = add.window(v);
            if (add.is_stray(v)) [[unlikely]]
              cells.add(c + j, v);
            else
              add.sum(add.place(c + j, w)) += add.addend(v, w);
          }
      }
    }
  }

  // A block of single values: what is to be added, and to which sums.
  struct Block {
    alignas(64) std::array<int64_t, kBlock> addends, places;
  };

  template <class Source>
  static int64_t add_blocks(Source source, int64_t first, int64_t last, ExactCells& cells) {
    return cells.has_several() ? add_blocks<true>(source, first, last, cells)
                               : add_blocks<false>(source, first, last, cells);
  }

  // Adds blocks of single values from `first` on, up to one with an item to be skipped, and returns its first item.
  // Where most sums have to be fetched, those of a block are on their way while the block before it is added.
  template <bool kSeveral, class Source>
  static int64_t add_blocks(Source source, int64_t first, int64_t last, ExactCells& cells) {
    const ExactCells::Adder add(cells);
    std::array<Block, 2> blocks;
    const auto place = [&](const Block& block, int64_t begin, int64_t k) {
      return kSeveral ? block.places[size_t(k)] : source.checked_destination(begin + k);
    };
    const auto add_block = [&](const Block& block, int64_t begin) {
      for (int64_t k = 0; k < kBlock; ++k) add.sum(place(block, begin, k)) += block.addends[size_t(k)];
    };
    if (cells.bytes() <= kFetchedBytes) {
      for (; first <= last - kBlock && prepare<kSeveral>(source, first, add, cells, blocks[0]); first += kBlock)
        add_block(blocks[0], first);
      return first;
    }
    if (first > last - kBlock || !prepare<kSeveral>(source, first, add, cells, blocks[0])) return first;
    for (size_t now = 0;; now ^= 1, first += kBlock) {
      const int64_t next = first + kBlock;
      const bool more = next <= last - kBlock && prepare<kSeveral>(source, next, add, cells, blocks[now ^ 1]);
      for (int64_t k = 0; more && k < kBlock; ++k) add.prefetch(place(blocks[now ^ 1], next, k));
      add_block(blocks[now], first);
      if (!more) return next;
    }
  }

  // Fills a block with the items from `first` on, unless one of them is to be skipped. Strays are added at once. Every
  // step is a loop without branches and calls.
  template <bool kSeveral, class Source>
  [[gnu::noinline]] static bool prepare(Source source, int64_t first, ExactCells::Adder add, ExactCells& cells,
                                        Block& block) {
    uint64_t skipped = 0;
    for (int64_t k = 0; k < kBlock; ++k) skipped |= uint64_t(source.unrecorded_destination(first + k)) >> 63;
    if (skipped != 0) return false;
    alignas(64) std::array<float, kBlock> values;
    uint32_t strays = 0;
    for (int64_t k = 0; k < kBlock; ++k) {
      const float v = source.value(first + k, 0, 0);
      strays |= add.is_stray(v);
      values[size_t(k)] = v;
    }
    for (int64_t k = 0; strays != 0 && k < kBlock; ++k)
      if (float& v = values[size_t(k)]; add.is_stray(v))
        cells.add(source.checked_destination(first + k), std::exchange(v, 0.0f));
    if constexpr (kSeveral) {
      alignas(64) std::array<uint32_t, kBlock> windows;
      for (size_t k = 0; k < size_t(kBlock); ++k) windows[k] = add.window(values[k]);
      for (size_t k = 0; k < size_t(kBlock); ++k) {
        block.addends[k] = add.addend(values[k], windows[k]);
        block.places[k] = add.place(source.checked_destination(first + int64_t(k)), windows[k]);
      }
    } else {
      for (size_t k = 0; k < size_t(kBlock); ++k) block.addends[k] = add.addend(values[k], 0);
    }
    return true;
  }

  const Items& items_;
  T* output_;
  AccumulateShape shape_;
  ExactWindows windows_;
  MainWindows main_;
};

template <class Items>
void accumulate_exact(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  ExactSum<Items>(items, output, shape).run();
}

}  // namespace ordo::kernels::cpu::accumulate_detail
