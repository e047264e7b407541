// The algorithm `exact` of the accumulate engine on the CPU. Internal to accumulate_cpu.h.
//
// Sums that lose nothing may be added up in any order, so every thread adds its part of the items to accumulators of its
// own, which are added up afterwards. Where that would take too much memory, items are partitioned into ranges of
// destinations, and one thread adds up a range; one that has more than a thread's share of the items is shared as above.
//
// Nothing is written to the output before all indices have been seen, so they need no check of their own.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact_range_cpu.h>
#include <ordo/kernels/accumulate/radix_sort_cpu.h>
#include <ordo/kernels/accumulate/shared/partition_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// The destination of more than an eighth of the sampled items, or -1. The sample consists of lines of neighbouring
/// items, because a cache line costs what an item does.
template <class Items>
int64_t hot_destination(const Items& items) {
  constexpr int64_t kSampled = 512, kLine = 8;
  const int64_t lines = std::min(kSampled / kLine, items.count / 128);
  std::vector<int64_t> sample;
  for (int64_t line = 0; line < lines; ++line)
    for (int64_t i = items.count / lines * line, last = i + kLine; i < last; ++i)
      if (const int64_t d = items.destination(i); d >= 0) sample.push_back(d);
  std::sort(sample.begin(), sample.end());
  const size_t many = sample.size() / 8;
  for (size_t k = many; k > 0 && k < sample.size(); ++k)
    if (sample[k] == sample[k - many]) return sample[k];
  return -1;
}

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
  // Accumulators of all threads that a third-level cache holds, and of one that stay in its second-level cache, also
  // while a few others are added up.
  static constexpr int64_t kDirectAccumulators = 4 << 20, kRangeAccumulators = 64 * 1024;
  static constexpr int64_t kMostRanges = 32;  // written to all at once

  // The items as they are. Copies, because what a loop stores might be a part of what it refers to.
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
    void read(int64_t begin, ValueBlock::Floats& values) const {
      if constexpr (requires { items.adjoining(); }) {
        if (items.adjoining()) {
          const auto read = items.row(begin, 0, 0);
          for (size_t k = 0; k < values.size(); ++k) values[k] = float(read(int64_t(k)));
          return;
        }
      }
      for (size_t k = 0; k < values.size(); ++k) values[k] = value(begin + int64_t(k), 0, 0);
    }
  };
  // Items of rows that have been partitioned into ranges.
  struct PartitionedRow {
    uint32_t place, item;  // the destination's place in its range
  };
  struct FromPartitionedRows {
    Items items;
    AccumulateShape shape;
    const PartitionedRow* rows;
    int64_t destination(int64_t i) const { return int64_t(rows[i].place); }
    float value(int64_t i, int64_t o, int64_t j) const { return item_value(items, shape, int64_t(rows[i].item), o, j); }
  };

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
    std::vector<ExactAccumulators> own(static_cast<size_t>(threads));
    const int64_t hot = kSingle ? hot_destination(items_) : -1;
    if (n * columns * threads <= kDirectAccumulators && n * threads <= m)
      return add_range<kSingle>(FromItems{items_, shape_}, 0, m, 0, n, hot, own);
    const int64_t width = std::max<int64_t>({1, kRangeAccumulators / columns, (n + kMostRanges - 1) / kMostRanges});
    const int shift = int(std::bit_width(uint64_t(width - 1)));
    Partition<Items> partition(items_, n, shift, threads);
    if (met_bad_index()) return;
    using Entry = std::conditional_t<kSingle, PartitionedValue, PartitionedRow>;
    Scratch<Entry> partitioned(m, Device());
    if constexpr (kSingle)
      partition.scatter(partitioned.data(), [items = items_, shape = shape_](int64_t i, uint32_t place) {
        return Entry{place, float(item_value(items, shape, i, 0, 0))};
      });
    else
      partition.scatter(partitioned.data(), [](int64_t i, uint32_t place) { return Entry{place, uint32_t(i)}; });

    const auto is_large = [&](int64_t r) {
      return threads > 1 && partition.size(r) > partition.start(partition.ranges()) / threads / 2;
    };
    const auto add = [&](int64_t r, std::span<ExactAccumulators> accumulators) {
      const auto source = [&] {
        if constexpr (kSingle)
          return FromPartitionedValues{partitioned.data()};
        else
          return FromPartitionedRows{items_, shape_, partitioned.data()};
      };
      add_range<kSingle>(source(), partition.start(r), partition.start(r + 1), partition.base(r), partition.width(r),
                         hot, accumulators);
    };
    std::atomic<int64_t> next = 0;
    for_pieces(threads, [&](int piece) {
      for (int64_t r; (r = next.fetch_add(1, std::memory_order_relaxed)) < partition.ranges();)
        if (partition.size(r) > 0 && !is_large(r)) add(r, {&own[size_t(piece)], 1});
    });
    for (int64_t r = 0; r < partition.ranges(); ++r)
      if (is_large(r)) add(r, own);
  }

  template <bool kSingle, class Source>
  void add_range(const Source& source, int64_t first, int64_t last, int64_t base, int64_t width, int64_t hot,
                 std::span<ExactAccumulators> own) {
    const ExactRange<T, kSingle> range{base, width, first, last, ExactOutput<T, kSingle>{output_, shape_, base}};
    add_exact_range(source, range, hot, own, [this] { return met_bad_index(); });
  }

  const Items& items_;
  T* output_;
  AccumulateShape shape_;
};

}  // namespace ordo::kernels::cpu::accumulate_detail
