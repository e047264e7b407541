// The sums of a range of destinations for the algorithm `exact`, by one thread or by several. Internal to exact_cpu.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact_accumulators_cpu.h>
#include <ordo/kernels/accumulate/radix_sort_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Destinations [base, base + width), to which all items [first, last) of a source go.
template <class T, bool kSingle>
struct ExactRange {
  int64_t base, width, first, last;
  ExactOutput<T, kSingle> output;
  int64_t columns() const { return kSingle ? 1 : output.shape.columns(); }
  int64_t accumulators() const { return width * columns(); }
  /// Where the items of a thread begin.
  int64_t begin(size_t thread, size_t threads) const {
    return first + (last - first) * int64_t(thread) / int64_t(threads);
  }
};

/// Single values that have been partitioned into ranges: a source.
struct PartitionedValue {
  uint32_t place;  // of the destination in its range
  float value;
};
struct FromPartitionedValues {
  const PartitionedValue* values;
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
template <bool kHasHot, class Source>
[[gnu::noinline]] bool prepare_block(Source source, int64_t begin, const ExactAccumulators::Adder& adder,
                                     ValueBlock& block) {
  constexpr size_t kBlock = ValueBlock::kSize;
  uint64_t skipped = 0;
  for (size_t k = 0; k < kBlock; ++k) skipped |= uint64_t(source.unrecorded_destination(begin + int64_t(k))) >> 63;
  if (skipped != 0) return false;
  alignas(64) ValueBlock::Floats values;
  source.read(begin, values);
  for (size_t k = 0; k < kBlock; ++k) block.values[k] = double(values[k]);
  if constexpr (kHasHot)
    for (size_t k = 0; k < kBlock; ++k) block.sums[k] = adder.sum(source.checked_destination(begin + int64_t(k)), k);
  return true;
}

/// Adds blocks of single values from `first` on, up to one with an item to be skipped, and returns its first item.
/// Where most sums have to be fetched, those of a block are on their way while the block before it is added.
template <bool kHasHot, class Source>
int64_t add_whole_blocks(Source source, int64_t first, int64_t last, ExactAccumulators::Adder& adder) {
  constexpr int64_t kBlock = int64_t(ValueBlock::kSize);
  std::array<ValueBlock, 2> blocks;
  const auto sum = [&](const ValueBlock& block, int64_t begin, size_t k) {
    return kHasHot ? block.sums[k] : source.checked_destination(begin + int64_t(k));
  };
  const auto prepare = [&](int64_t begin, ValueBlock& block) {
    return begin <= last - kBlock && prepare_block<kHasHot>(source, begin, adder, block);
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

/// Adds all values of the items first .. last.
template <bool kSingle, class Source>
void add_items(Source source, int64_t first, int64_t last, ExactAccumulators& accumulators) {
  ExactAccumulators::Adder adder(accumulators);
  while (first < last) {
    if constexpr (kSingle)
      first = adder.has_hot() ? add_whole_blocks<true>(source, first, last, adder)
                              : add_whole_blocks<false>(source, first, last, adder);
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
  adder.end();
}

// Partitioned values are the same for all operations: these are compiled once, in exact_accumulators_cpu.cpp.
extern template void add_items<true>(FromPartitionedValues, int64_t, int64_t, ExactAccumulators&);

/// Adds all to the output, by as many threads as there are `own` accumulators of, unless an index was bad. `hot`: the
/// destination of many items.
template <class T, bool kSingle, class Source, class MetBadIndex>
void add_exact_range(const Source& source, const ExactRange<T, kSingle>& range, int64_t hot,
                     std::span<ExactAccumulators> own, const MetBadIndex& met_bad_index) {
  const size_t threads = own.size();
  const bool has_hot = kSingle && hot >= range.base && hot < range.base + range.width;
  for_pieces(int(threads), [&](int thread) {
    const size_t t = size_t(thread);
    own[t].begin(range.accumulators(), has_hot ? hot - range.base : -1);
    add_items<kSingle>(source, range.begin(t, threads), range.begin(t + 1, threads), own[t]);
  });
  if (met_bad_index()) return;
  const std::vector<const double*> levels = ExactAccumulators::levels(own);
  parallel_for(0, range.accumulators(), threads > 1 ? kAccumulateGrain : range.accumulators(),
               [&](int64_t from, int64_t to) { ExactAccumulators::finish(own, levels, from, to, range.output); });
}

}  // namespace ordo::kernels::cpu::accumulate_detail
