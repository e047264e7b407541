// Sums for the cells of volumes on the CPU, and of what the places of a volume read of another one, a row at a time.
// Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/ordering/short_sum.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/windows/axis_runs.h>

namespace ordo::kernels::cpu {

/// Calls add(v, sums) for v = 0..volumes-1 on the threads, which takes `cost` steps: it adds to the sums of a volume's
/// cells, zero at first. They are rounded to `output`.
template <class T, class Add>
void sum_volumes(T* output, int64_t volumes, int64_t cells, int64_t cost, const Add& add) {
  using V = accumulate_t<T>;
  constexpr bool kDirect = std::is_same_v<T, V>;
  parallel_for(0, volumes, row_grain(cells + cost), [&](int64_t begin, int64_t end) {
    const Scratch<V> scratch(kDirect ? 0 : cells, Device());
    for (int64_t v = begin; v < end; ++v) {
      V* sums = scratch.data();
      if constexpr (kDirect) sums = output + v * cells;
      std::fill_n(sums, cells, V(0));
      add(v, sums);
      if constexpr (!kDirect)
        for (int64_t i = 0; i < cells; ++i) output[v * cells + i] = T(sums[i]);
    }
  });
}

/// Row r of a [volumes, depth, height, width] tensor, taken apart.
struct VolumeRow {
  int64_t number, volume, d = 0, h;
  VolumeRow(int64_t r, int64_t depth, int64_t height)
      : number(r), volume(r / (depth * height)), h(r % (depth * height)) {
    if (depth == 1) return;
    d = h / height;
    h %= height;
  }
  void advance(int64_t depth, int64_t height) {
    ++number;
    if (++h < height) return;
    h = 0;
    if (++d < depth) return;
    d = 0;
    ++volume;
  }
};

/// Adds what the runs read of `row` to the places' sums, in the order of the runs.
template <class V, class S, template <class> class Sum>
void add_reads(const std::vector<AxisRun>& runs, const S* row, Sum<V>* sums) {
  constexpr bool kPlain = std::is_same_v<Sum<V>, ShortSum<V>>;  // whose loops vectorise
  for (const AxisRun& r : runs) {
    const S* const from = row + r.at;
    Sum<V>* const to = sums + r.place;
    const int64_t count = r.count;
    const auto add = [=](int64_t place_step, int64_t at_step) __attribute__((always_inline)) {
      for (int64_t i = 0; i < count; ++i) to[i * place_step].push(V(from[i * at_step]));
    };
    if (r.place_step == 0) {
      Sum<V> sum = *to;
      for (int64_t i = 0; i < count; ++i) sum.push(V(from[i * r.at_step]));
      *to = sum;
    } else if (kPlain && r.place_step == 1 && r.at_step == 1) {
      add(1, 1);
    } else if (kPlain && r.place_step == 1 && r.at_step == 2) {
      add(1, 2);
    } else if (kPlain && r.place_step == 2 && r.at_step == 1) {
      add(2, 1);
    } else if (kPlain && r.place_step == 1 && r.at_step == 0) {
      const V value = V(*from);
      for (int64_t i = 0; i < count; ++i) to[i].push(value);
    } else {
      add(r.place_step, r.at_step);
    }
  }
}

/// What the places of a [d, h, w] volume read of one that begins every `step` elements: all combinations of what they
/// read along each axis. A position is the sum of what the axes say.
struct VolumeReads {
  ReadLists d, h;
  AxisRuns w;
  int64_t step;
};

/// For rows [begin, end) of places: rule 1 over what they read, row-major. store(at, first, count, sums) gets each
/// row's, a block at a time, as ShortSum or OrderedSum; the sum of a place that reads nothing is 0 or -0.
template <class V, class S, class Store>
void sum_reads(const VolumeReads& reads, const S* from, int64_t begin, int64_t end, const Store& store) {
  ShortSum<V> sums[kRunBlock];
  std::vector<OrderedSum<V>> ordered;
  const int64_t depth = reads.d.places(), height = reads.h.places();
  VolumeRow at(begin, depth, height);
  for (int64_t r = begin; r < end; ++r, at.advance(depth, height)) {
    const S* const volume = from + at.volume * reads.step;
    const auto layers = reads.d[at.d], rows = reads.h[at.h];
    const bool one_group = int64_t(layers.size() * rows.size()) * reads.w.most() <= kOrderedGroup;
    for (const RunBlock& block : reads.w.blocks()) {
      const int64_t count = block.end - block.begin;
      const auto add = [&](auto* to) {
        for (const int64_t layer : layers)
          for (const int64_t row : rows) add_reads(block.runs, volume + layer + row, to);
        store(at, block.begin, count, to);
      };
      if (one_group) {
        std::fill_n(sums, count, ShortSum<V>());
        add(sums);
      } else {
        ordered.clear();
        ordered.resize(size_t(count));
        add(ordered.data());
      }
    }
  }
}

/// sum_reads() added to zero, and stored as rows of `to`.
template <class T, class S>
void sum_reads(const VolumeReads& reads, const S* from, int64_t begin, int64_t end, T* to) {
  using V = accumulate_t<T>;
  sum_reads<V>(reads, from, begin, end, [&](const VolumeRow& at, int64_t first, int64_t count, const auto* sums) {
    T* const row = to + at.number * reads.w.places() + first;
    for (int64_t i = 0; i < count; ++i) row[i] = T(V(0) + sums[i].result());
  });
}

}  // namespace ordo::kernels::cpu
