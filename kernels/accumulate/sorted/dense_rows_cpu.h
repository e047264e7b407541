// Ordering rule 1 for rows of some columns and few destinations, without sorting. Internal to accumulate_cpu.h.
//
// Every thread owns some columns, keeps a running sum for each destination in the cache, and reads the items in order,
// which streams their rows from memory. Wider rows are worth a sort: fetched one by one, they need no sums in between.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/radix_sort_cpu.h>
#include <ordo/kernels/ordering/ordered_row_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// One OrderedSum per destination and column.
template <class Acc>
class DenseRows {
 public:
  DenseRows(int64_t destinations, int64_t width, int64_t items)
      : width_(width), sums_(destinations * width, Device()), counts_(destinations, Device()) {
    std::fill_n(sums_.data(), destinations * width, kNoValue<Acc>);
    std::fill_n(counts_.data(), destinations, 0u);
    for (int64_t span = kOrderedGroup; span <= items; span *= kOrderedGroup) ++level_count_;
    if (level_count_ > 0) slots_.assign(size_t(destinations), -1);
  }

  Acc* row(int64_t d) const { return sums_.data() + d * width_; }
  /// After a value has been added to every element of row(d).
  void added(int64_t d) {
    if (++counts_[d] % kOrderedGroup == 0) [[unlikely]]
      carry(d);
  }
  uint32_t count(int64_t d) const { return counts_[d]; }
  /// row(d) becomes the ordered sums.
  void finish(int64_t d) {
    fold_levels(counts_[d] / kOrderedGroup, width_, counts_[d] % kOrderedGroup != 0, row(d), levels_of(d));
  }

 private:
  [[gnu::noinline]] void carry(int64_t d) {
    int64_t& slot = slots_[size_t(d)];
    if (slot < 0) {
      slot = used_slots_++;
      levels_.resize(size_t(used_slots_ * level_count_ * width_));
    }
    carry_group(counts_[d] / kOrderedGroup, width_, row(d), levels_of(d));
    std::fill_n(row(d), width_, kNoValue<Acc>);
  }
  auto levels_of(int64_t d) {
    return [this, d](int k) { return levels_.data() + (slots_[size_t(d)] * level_count_ + k) * width_; };
  }

  int64_t width_;
  Scratch<Acc> sums_;
  Scratch<uint32_t> counts_;
  int64_t level_count_ = 0, used_slots_ = 0;
  std::vector<int64_t> slots_;  // of destinations with at least one whole group
  std::vector<Acc> levels_;     // [slot][level][column]
};

template <class Acc>
void prefetch_row(const Acc* row, int64_t width) {
  constexpr int64_t kLine = 64 / int64_t(sizeof(Acc)), kMostLines = 8;
  for (int64_t j = 0; j < std::min(width, kMostLines * kLine); j += kLine) __builtin_prefetch(row + j, 1);
}

/// False, and nothing done, when sorting is better.
template <class Items>
bool accumulate_dense_rows(const Items& items, typename Items::value_type* output, const AccumulateShape& shape) {
  using T = typename Items::value_type;
  using Acc = accumulate_t<T>;
  constexpr int64_t kLeastWidth = 8, kMostWidth = 128, kLeastChunk = 16, kMostBytes = 16 << 20, kAhead = 8,
                    kFetchAhead = 24;
  const int64_t m = items.count, n = shape.destinations;
  if (shape.inner < kLeastWidth || shape.inner > kMostWidth || m < 4 * n || m >= INT32_MAX) return false;
  if (n * shape.columns() * int64_t(sizeof(Acc)) > kMostBytes) return false;
  const int64_t threads = pieces_for(m * shape.columns(), 16 * 1024);
  const int64_t wanted = (threads + shape.outer - 1) / shape.outer,
                most = std::max<int64_t>(1, shape.inner / kLeastChunk);
  if (wanted > most) return false;
  const int64_t chunks = wanted;

  Scratch<int32_t> destinations(m, Device());
  std::atomic<bool> unordered = false;
  parallel_for(0, m, 16 * 1024, [&](int64_t first, int64_t last) {
    int64_t previous = first > 0 ? checked_destination(items, first - 1) : -1;
    bool descends = false;
    for (int64_t i = first; i < last; ++i) {
      const int64_t d = checked_destination(items, i);
      descends |= d < previous;
      destinations[i] = int32_t(previous = d);
    }
    if (descends) unordered.store(true, std::memory_order_relaxed);
  });
  if (!unordered) return false;  // whole runs, and nothing to sort
  const int64_t tasks = shape.outer * chunks;
  parallel_for(0, tasks, std::max<int64_t>(1, tasks / threads), [&](int64_t first, int64_t last) {
    const Items mine = items;  // which no store to a sum can change
    for (int64_t task = first; task < last; ++task) {
      const int64_t o = task / chunks, chunk = task % chunks;
      const int64_t j0 = shape.inner * chunk / chunks, width = shape.inner * (chunk + 1) / chunks - j0;
      DenseRows<Acc> sums(n, width, m);
      const bool fetches = n * width * int64_t(sizeof(Acc)) > kFetchedBytes / 4;
      for (int64_t i = 0; i < m; ++i) {
        const int64_t d = destinations[i];
        if (d < 0) continue;
        if (fetches && i + kAhead < m) prefetch_row(sums.row(std::max(destinations[i + kAhead], 0)), width);
        if constexpr (requires { mine.address(i, o, j0); })
          for (int64_t j = 0; j < width; j += 64 / int64_t(sizeof(T)))
            __builtin_prefetch(mine.address(std::min(i + kFetchAhead, m - 1), o, j0 + j));
        Acc* row = sums.row(d);
        const auto values = item_row(mine, shape, i, o, j0);
        for (int64_t j = 0; j < width; ++j) row[j] += values(j);
        sums.added(d);
      }
      for (int64_t d = 0; d < n; ++d) {
        if (sums.count(d) == 0) continue;
        sums.finish(d);
        const Acc* row = sums.row(d);
        T* out = output + shape.offset(d, o, j0);
        for (int64_t j = 0; j < width; ++j) out[j] = T(Acc(out[j]) + row[j]);
      }
    }
  });
  return true;
}

}  // namespace ordo::kernels::cpu::accumulate_detail
