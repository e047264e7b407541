// The sums of a range of destinations for the algorithm `exact`, by one thread or by several. Internal to exact_cpu.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

#include <ordo/engine/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact_cells_cpu.h>
#include <ordo/kernels/accumulate/exact/exact_total_cpu.h>
#include <ordo/kernels/accumulate/exact/interval_cells_cpu.h>
#include <ordo/kernels/accumulate/shared/sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// What a look at some items says of all.
struct ExactLook {
  bool by_intervals = false;
  SumWindows windows;
  int64_t hot = -1;  // the destination of many items
};

/// The cells of some threads, and those of all.
struct OwnCells {
  std::span<ExactCells> exact;
  std::span<IntervalCells> intervals;
};
struct ThreadCells {
  explicit ThreadCells(size_t threads) : exact(threads), intervals(threads) {}
  OwnCells all() { return {exact, intervals}; }
  OwnCells of(int thread) { return {{&exact[size_t(thread)], 1}, {&intervals[size_t(thread)], 1}}; }
  std::vector<ExactCells> exact;
  std::vector<IntervalCells> intervals;
};

/// Destinations [base, base + width), to which all items [first, last) of a source go.
template <class T, bool kSingle>
struct ExactRange {
  int64_t base, width, first, last;
  CellsOutput<T, kSingle> output;
  int64_t columns() const { return kSingle ? 1 : output.shape.columns(); }
  int64_t cells() const { return width * columns(); }
  /// Where the items of a thread begin.
  int64_t begin(size_t thread, size_t threads) const {
    return first + (last - first) * int64_t(thread) / int64_t(threads);
  }
  template <class Body>
  void for_cells(size_t threads, const Body& body) const {
    parallel_for(0, cells(), threads > 1 ? kAccumulateGrain : cells(), body);
  }
};

/// Single values that have been dealt to ranges: a source.
struct DealtValue {
  uint32_t place;  // of the destination in its range
  float value;
};
struct FromDealtValues {
  const DealtValue* values;
  int64_t destination(int64_t i) const { return int64_t(values[i].place); }
  int64_t unrecorded_destination(int64_t i) const { return destination(i); }
  int64_t checked_destination(int64_t i) const { return destination(i); }
  float value(int64_t i, int64_t, int64_t) const { return values[i].value; }
  void read(int64_t begin, ValueBlock::Floats& to) const {
    for (size_t k = 0; k < to.size(); ++k) to[k] = values[begin + int64_t(k)].value;
  }
};

/// Makes a block of the items from `begin` on, unless one of them is to be skipped. Every step is a loop without
/// branches and calls.
template <bool kFinds, class Source>
[[gnu::noinline]] bool prepare_block(Source source, int64_t begin, SumFinder finder, ValueBlock& block) {
  constexpr size_t kBlock = ValueBlock::kSize;
  uint64_t skipped = 0;
  for (size_t k = 0; k < kBlock; ++k) skipped |= uint64_t(source.unrecorded_destination(begin + int64_t(k))) >> 63;
  if (skipped != 0) return false;
  alignas(64) ValueBlock::Floats values;
  alignas(64) std::array<uint32_t, kBlock> windows;
  source.read(begin, values);
  for (size_t k = 0; k < kBlock; ++k) block.values[k] = double(values[k]);
  if constexpr (kFinds) {
    for (size_t k = 0; k < kBlock; ++k) windows[k] = finder.window(values[k]);
    for (size_t k = 0; k < kBlock; ++k)
      block.sums[k] = finder.sum(source.checked_destination(begin + int64_t(k)), windows[k], k);
  }
  return true;
}

/// Adds blocks of single values from `first` on, up to one with an item to be skipped, and returns its first item.
/// Where most sums have to be fetched, those of a block are on their way while the block before it is added.
template <bool kFinds, class Source, class Cells>
int64_t add_whole_blocks(Source source, int64_t first, int64_t last, const Cells& cells, typename Cells::Adder& adder) {
  constexpr int64_t kBlock = int64_t(ValueBlock::kSize);
  std::array<ValueBlock, 2> blocks;
  const auto sum = [&](const ValueBlock& block, int64_t begin, size_t k) {
    return kFinds ? block.sums[k] : source.checked_destination(begin + int64_t(k));
  };
  const auto prepare = [&](int64_t begin, ValueBlock& block) {
    return begin <= last - kBlock && !cells.is_full() && prepare_block<kFinds>(source, begin, adder.finder(), block);
  };
  if (!prepare(first, blocks[0])) return first;
  for (size_t now = 0;; now ^= 1) {
    const int64_t next = first + kBlock;
    const bool more = prepare(next, blocks[now ^ 1]);
    if (more && adder.fetches())
      for (size_t k = 0; k < size_t(kBlock); ++k) adder.fetch(sum(blocks[now ^ 1], next, k));
    adder.add([&](size_t k) { return sum(blocks[now], first, k); }, blocks[now]);
    first = next;
    if (!more) return first;
  }
}

/// Adds all values of the items first .. last, or as many as it takes to fill the cells.
template <bool kSingle, class Source, class Cells>
void add_items(Source source, int64_t first, int64_t last, Cells& cells) {
  typename Cells::Adder adder(cells);
  while (first < last && !cells.is_full()) {
    if constexpr (kSingle)
      first = adder.finder().sums_are_cells() ? add_whole_blocks<false>(source, first, last, cells, adder)
                                              : add_whole_blocks<true>(source, first, last, cells, adder);
    const int64_t end = std::min(last, first + int64_t(ValueBlock::kSize));
    for (; first < end; ++first) {
      const int64_t d = source.destination(first);
      if (d < 0) continue;
      if constexpr (kSingle) {
        adder.add(d, source.value(first, 0, 0));
      } else {
        const int64_t outer = source.shape.outer, inner = source.shape.inner;
        for (int64_t o = 0, c = d * outer * inner; o < outer; ++o, c += inner)
          for (int64_t j = 0; j < inner; ++j) adder.add(c + j, source.value(first, o, j));
      }
    }
  }
}

// Dealt values are the same for all operations: these are compiled once, in exact_cells_cpu.cpp.
extern template void add_items<true>(FromDealtValues, int64_t, int64_t, ExactCells&);
extern template void add_items<true>(FromDealtValues, int64_t, int64_t, IntervalCells&);

/// The sums of `some` cells, in ascending order, which are what they were before.
template <class T, class Source>
void add_totals(const Source& source, const ExactRange<T, true>& range, size_t threads,
                const std::vector<int64_t>& some) {
  std::vector<uint64_t> is_one(size_t(range.cells() + 63) / 64);
  for (const int64_t c : some) is_one[size_t(c) / 64] |= uint64_t(1) << c % 64;
  std::vector<std::vector<ExactTotal>> own(threads);
  for_pieces(int(threads), [&](int thread) {
    std::vector<ExactTotal>& totals = own[size_t(thread)];
    totals.resize(some.size());
    for (int64_t i = range.begin(size_t(thread), threads); i < range.begin(size_t(thread) + 1, threads); ++i) {
      const int64_t c = source.destination(i);
      if (c < 0 || (is_one[size_t(c) / 64] >> c % 64 & 1) == 0) continue;
      const auto place = std::lower_bound(some.begin(), some.end(), c) - some.begin();
      totals[size_t(place)].add(double(source.value(i, 0, 0)));
    }
  });
  for (size_t k = 0; k < some.size(); ++k) {
    for (size_t thread = 1; thread < threads; ++thread) own[0][k].add(own[thread][k]);
    T& element = range.output(some[k]);
    element = own[0][k].result(element);
  }
}

/// Whether that was enough. If not, the output is as it was.
template <class T, class Source, class MetBadIndex>
bool add_by_intervals(const Source& source, const ExactRange<T, true>& range, int64_t hot, std::span<IntervalCells> own,
                      const MetBadIndex& met_bad_index) {
  const size_t threads = own.size();
  for_pieces(int(threads), [&](int thread) {
    const size_t t = size_t(thread);
    own[t].begin(range.cells(), hot);
    add_items<true>(source, range.begin(t, threads), range.begin(t + 1, threads), own[t]);
  });
  if (met_bad_index()) return true;
  std::mutex mutex;
  std::vector<int64_t> unsure;
  range.for_cells(threads, [&](int64_t from, int64_t to) {
    const std::vector<int64_t> some = finish_intervals(own, from, to, range.output);
    if (some.empty()) return;
    const std::lock_guard lock(mutex);
    unsure.insert(unsure.end(), some.begin(), some.end());
  });
  if (unsure.empty()) return true;
  std::sort(unsure.begin(), unsure.end());
  // An ExactTotal takes ten times as long for a value.
  if (int64_t(unsure.size()) * 64 > range.cells() || std::binary_search(unsure.begin(), unsure.end(), hot)) {
    range.for_cells(threads, [&](int64_t from, int64_t to) { undo_intervals<T>(own, from, to, range.output); });
    return false;
  }
  add_totals(source, range, threads, unsure);
  return true;
}

template <class T, bool kSingle, class Source, class MetBadIndex>
void add_by_windows(const Source& source, const ExactRange<T, kSingle>& range, const SumWindows& planned, int64_t hot,
                    std::span<ExactCells> own, const MetBadIndex& met_bad_index) {
  const size_t threads = own.size();
  const auto add_all = [&](const SumWindows& windows, int64_t most_spilled) {
    for_pieces(int(threads), [&](int thread) {
      const size_t t = size_t(thread);
      own[t].begin(range.cells(), windows, most_spilled, hot);
      add_items<kSingle>(source, range.begin(t, threads), range.begin(t + 1, threads), own[t]);
    });
    return std::none_of(own.begin(), own.end(), [](const ExactCells& cells) { return cells.is_full(); });
  };
  // To spill a value takes as long as to add about a hundred; to begin again, no longer than has passed.
  const bool fit = add_all(planned, 256 + (range.last - range.first) / int64_t(threads) * range.columns() / 128);
  if (met_bad_index()) return;
  if (!fit) add_all(SumWindows::for_any_values(), std::numeric_limits<int64_t>::max());
  const std::vector<ExactCells::Spilled> spilled = ExactCells::spilled(own);
  range.for_cells(threads, [&](int64_t from, int64_t to) { finish_cells(own, spilled, from, to, range.output); });
}

/// Adds all to the output, by as many threads as there are cells of, unless an index was bad.
template <class T, bool kSingle, class Source, class MetBadIndex>
void add_exact_range(const Source& source, const ExactRange<T, kSingle>& range, const ExactLook& looked,
                     const OwnCells& own, const MetBadIndex& met_bad_index) {
  const bool has_hot = kSingle && looked.hot >= range.base && looked.hot < range.base + range.width;
  const int64_t hot = has_hot ? looked.hot - range.base : -1;
  if constexpr (kSingle)
    if (looked.by_intervals && add_by_intervals(source, range, hot, own.intervals, met_bad_index)) return;
  add_by_windows(source, range, looked.windows, hot, own.exact, met_bad_index);
}

}  // namespace ordo::kernels::cpu::accumulate_detail
