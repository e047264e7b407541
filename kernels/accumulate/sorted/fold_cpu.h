// Ordering rule 1 over items that lie sorted by destination. Internal to accumulate_cpu.h.
//
// The sorted items are cut into one piece per thread, at group boundaries of the contract, so that no cut changes a
// sum. A run that a cut divides leaves its group sums in scratch memory and is folded from them afterwards; every other
// run is finished by the thread that meets it. Wide rows are handled in blocks of columns, whose sums stay in the
// cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/sorted/sorted_items_cpu.h>
#include <ordo/kernels/ordering/ordered_row_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Folds runs that a cut divides from the sums of their groups, and adds them to the output.
template <class T>
void finish_split(const SplitRun& run, const accumulate_t<T>* partials, T* output, const AccumulateShape& shape,
                  int64_t grain) {
  const int64_t groups = (run.length + kOrderedGroup - 1) / kOrderedGroup, columns = shape.columns();
  constexpr int64_t kBlock = 64;  // columns: some lines of a row at a time
  const int64_t blocks = (columns + kBlock - 1) / kBlock;
  parallel_for(0, blocks, std::max<int64_t>(1, grain / groups / kBlock), [&](int64_t first, int64_t last) {
    for (int64_t c = first * kBlock; c < std::min(last * kBlock, columns); c += kBlock) {
      const int width = int(std::min(kBlock, columns - c));
      const accumulate_t<T>* const from = partials + run.partial * columns + c;
      OrderedRows<accumulate_t<T>> rows(width);
      for (int64_t g = 0; g < groups; ++g) rows.add([group = from + g * columns](int j) { return group[j]; });
      const accumulate_t<T>* const row = rows.finish();
      for (int64_t j = 0; j < width; ++j) {
        T& out = output[shape.offset(run.destination, (c + j) / shape.inner, (c + j) % shape.inner)];
        out = T(accumulate_t<T>(out) + row[size_t(j)]);
      }
    }
  });
}

template <class Items>
class RunFold {
  using T = typename Items::value_type;
  using Acc = accumulate_t<T>;

 public:
  RunFold(const Items& items, T* output, const AccumulateShape& shape, const SortedEntries& entries)
      : items_(items), output_(output), shape_(shape), entries_(entries), count_(entries.count) {}

  void run() {
    if (count_ == 0) return;
    const int64_t blocks_per_row = (shape_.inner + kColumnBlock - 1) / kColumnBlock;
    const int64_t slabs = shape_.outer * blocks_per_row;
    const int threads = pieces_for(count_ * shape_.columns(), kFoldGrain);
    const RunCuts cuts(entries_, slabs >= 4 * threads
                                     ? 1
                                     : int(std::min<int64_t>(threads, (count_ + kOrderedGroup - 1) / kOrderedGroup)));
    cuts_ = &cuts;
    Scratch<Acc> partials(cuts.partial_groups * shape_.columns(), Device());
    partials_ = partials.data();
    const int64_t pieces = cuts.pieces();
    parallel_for(0, slabs * pieces, std::max<int64_t>(1, slabs * pieces / threads), [&](int64_t first, int64_t last) {
      for (int64_t t = first; t < last; ++t) {
        const int64_t slab = t / pieces, piece = t % pieces;
        const int64_t o = slab / blocks_per_row, j0 = slab % blocks_per_row * kColumnBlock;
        const int width = int(std::min<int64_t>(kColumnBlock, shape_.inner - j0));
        const int64_t begin = cuts.cuts[size_t(piece)], end = cuts.cuts[size_t(piece) + 1];
        if (kSingleColumn<Items> || width == 1)
          fold_piece<1>(begin, end, o, j0, 1);
        else if constexpr (!kSingleColumn<Items>)
          fold_piece<0>(begin, end, o, j0, width);
      }
    });
    for (const SplitRun& run : cuts.split) finish_split(run, partials_, output_, shape_, kFoldGrain);
  }

 private:
  static constexpr int64_t kFoldGrain = 8 * 1024;

  int64_t key(int64_t i) const { return entries_.destination(i); }
  Acc value(int64_t i, int64_t o, int64_t j) const { return item_value(items_, shape_, entries_.item(i), o, j); }

  // Columns j0 .. j0 + width of part o of all runs in [first, last). kWidth is 1, or 0 for `width`.
  template <int kWidth>
  [[gnu::noinline]] void fold_piece(int64_t first, int64_t last, int64_t o, int64_t j0, int width) {
    if (kWidth) width = kWidth;
    Acc row[kWidth ? kWidth : kColumnBlock];
    const int64_t last_key = key(last - 1);
    for (int64_t i = first; i < last;) {
      const int64_t d = key(i);
      if (!cuts_->split.empty() && (i == first || d == last_key)) {
        if (const SplitRun* run = cuts_->find(d)) {
          i = fold_split<kWidth>(*run, i, last, o, j0, width, row);
          continue;
        }
      }
      int64_t end = i + 1;
      while (end < last && key(end) == d) ++end;
      fold_run<kWidth>(i, end, o, j0, width, row);
      T* out = output_ + shape_.offset(d, o, j0);
      for (int j = 0; j < width; ++j) out[j] = T(Acc(out[j]) + row[j]);
      i = end;
    }
  }

  template <int kWidth>
  void fold_run(int64_t first, int64_t last, int64_t o, int64_t j0, int width, Acc* row) const {
    if (last - first <= kOrderedGroup) return fold_group<kWidth>(first, last, o, j0, width, row);
    if constexpr (kWidth == 1) {
      OrderedSum<Acc> sum;
      for (; last - first >= kOrderedGroup; first += kOrderedGroup) {
        fold_group<1>(first, first + kOrderedGroup, o, j0, 1, row);
        sum.push_group(*row);
      }
      for (; first < last; ++first) sum.push(value(first, o, j0));
      *row = sum.result();
    } else {
      OrderedRow<Acc> sum;
      for (; last - first >= kOrderedGroup; first += kOrderedGroup) {
        fold_group<0>(first, first + kOrderedGroup, o, j0, width, row);
        sum.push_group(row, width);
      }
      if (first < last) fold_group<0>(first, last, o, j0, width, row);
      sum.finish(row, width, first < last);
    }
  }

  // Left to right, several items at a time so that the row is loaded and stored less often.
  template <int kWidth>
  void fold_group(int64_t first, int64_t last, int64_t o, int64_t j0, int width, Acc* row) const {
    if constexpr (kWidth == 1) {
      Acc sum = value(first, o, j0);
      for (int64_t i = first + 1; i < last; ++i) sum += value(i, o, j0);
      *row = sum;
    } else {
      fold_rows(first, last, o, j0, width, row);
    }
  }
  // Not inlined: it is large, and has several callers.
  [[gnu::noinline]] void fold_rows(int64_t first, int64_t last, int64_t o, int64_t j0, int width, Acc* row) const {
    int64_t i = first;
    if (first + 4 <= last) {
      add_rows<true, 4>(i, o, j0, width, row);
      i += 4;
    } else {
      add_rows<true, 1>(i++, o, j0, width, row);
    }
    for (; i + 4 <= last; i += 4) add_rows<false, 4>(i, o, j0, width, row);
    for (; i < last; ++i) add_rows<false, 1>(i, o, j0, width, row);
  }

  // To the row, or with kFirst to nothing, the values of the entries i .. i + kCount are added. Rows lie in memory in
  // the order of items, so that the hardware cannot know which comes next: for every line of one that is used, a line
  // of a later one is fetched.
  template <bool kFirst, int kCount>
  void add_rows(int64_t i, int64_t o, int64_t j0, int width, Acc* row) const {
    constexpr int kLine = 64 / int(sizeof(T)), kLinesAhead = 256;
    constexpr int64_t kLeastAhead = 8, kMostAhead = 64;
    const Items items = items_;  // which no store to a sum can change: so the loops vectorise
    const AccumulateShape shape = shape_;
    const int64_t ahead = std::clamp<int64_t>(kLinesAhead * kLine / width, kLeastAhead, kMostAhead);
    std::array<int64_t, kCount> item, later;
    for (int k = 0; k < kCount; ++k) {
      item[k] = entries_.item(i + k);
      later[k] = entries_.item(std::min(i + k + ahead, count_ - 1));
    }
    const auto rows = [&]<size_t... k>(std::index_sequence<k...>) {
      return std::array{item_row(items, shape, item[k], o, j0)...};
    }
    (std::make_index_sequence<kCount>());
    const auto sum = [&]<size_t... k>(int j, std::index_sequence<k...>) {
      if constexpr (kFirst)
        return (... + rows[k](j));
      else
        return (row[j] + ... + rows[k](j));
    };
    const auto add_columns = [&](int first, int count) {
      for (int j = first; j < first + count; ++j) row[j] = sum(j, std::make_index_sequence<kCount>());
    };
    for (int j = 0; j < width; j += kLine) {
      if constexpr (requires { items.address(i, o, j0); })
        for (int k = 0; k < kCount; ++k) __builtin_prefetch(items.address(later[k], o, j0 + j), 0, 2);
      if (j + kLine <= width)
        add_columns(j, kLine);
      else
        add_columns(j, width - j);
    }
  }

  // The groups of a split run from `i` on, up to `last`: their sums go to scratch memory.
  template <int kWidth>
  int64_t fold_split(const SplitRun& run, int64_t i, int64_t last, int64_t o, int64_t j0, int width, Acc* row) {
    const int64_t end = std::min(last, run.start + run.length);
    while (i < end) {
      const int64_t group_end = std::min(end, i + kOrderedGroup);
      fold_group<kWidth>(i, group_end, o, j0, width, row);
      const int64_t group = run.partial + (i - run.start) / kOrderedGroup;
      std::copy_n(row, width, partials_ + group * shape_.columns() + o * shape_.inner + j0);
      i = group_end;
    }
    return end;
  }

  const Items& items_;
  T* output_;
  AccumulateShape shape_;
  SortedEntries entries_;
  int64_t count_;
  const RunCuts* cuts_ = nullptr;
  Acc* partials_ = nullptr;
};

}  // namespace ordo::kernels::cpu::accumulate_detail
