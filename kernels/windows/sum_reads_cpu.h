// Sums of what the places of a volume read of another one, a row at a time. Internal.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/windows/axis_runs.h>
#include <ordo/kernels/windows/rows_cpu.h>

namespace ordo::kernels::cpu {

/// Adds what the runs read of `row` to the places' sums, in the order of the runs: plain sums.
template <class S, class V>
void add_reads(const std::vector<AxisRun>& runs, const S* row, V* sums) {
  for (const AxisRun& r : runs) {
    const S* const from = row + r.at;
    V* const to = sums + r.place;
    const int64_t count = r.count;
    const auto add = [=](int64_t place_step, int64_t at_step) __attribute__((always_inline)) {
      for (int64_t i = 0; i < count; ++i) to[i * place_step] += V(from[i * at_step]);
    };
    if (r.place_step == 0) {
      V sum = *to;
      for (int64_t i = 0; i < count; ++i) sum += V(from[i * r.at_step]);
      *to = sum;
    } else if (r.place_step == 1 && r.at_step == 1) {
      add(1, 1);
    } else if (r.place_step == 1 && r.at_step == 2) {
      add(1, 2);
    } else if (r.place_step == 2 && r.at_step == 1) {
      add(2, 1);
    } else if (r.place_step == 1 && r.at_step == 0) {
      const V value = V(*from);
      for (int64_t i = 0; i < count; ++i) to[i] += value;
    } else {
      add(r.place_step, r.at_step);
    }
  }
}

/// Sums of more than 64 values: those by rule 1.
template <class S, class V>
void add_reads(const std::vector<AxisRun>& runs, const S* row, OrderedSum<V>* sums) {
  for (const AxisRun& r : runs) {
    if (r.place_step == 0) {
      OrderedSum<V> sum = sums[r.place];
      for (int64_t i = 0; i < r.count; ++i) sum.push(V(row[r.at + i * r.at_step]));
      sums[r.place] = sum;
    } else {
      for (int64_t i = 0; i < r.count; ++i) sums[r.place + i * r.place_step].push(V(row[r.at + i * r.at_step]));
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
/// row's, a block at a time; the sum of a place that reads nothing is 0 or -0.
template <class V, class S, class Store>
void sum_reads(const VolumeReads& reads, const S* from, int64_t begin, int64_t end, const Store& store) {
  V sums[kRunBlock];
  std::vector<OrderedSum<V>> ordered;
  const int64_t depth = reads.d.places(), height = reads.h.places();
  VolumeRow at(begin, depth, height);
  for (int64_t r = begin; r < end; ++r, at.advance(depth, height)) {
    const S* const volume = from + at.volume * reads.step;
    const auto layers = reads.d[at.d], rows = reads.h[at.h];
    const bool one_group = int64_t(layers.size() * rows.size()) * reads.w.most() <= kOrderedGroup;
    for (const RunBlock& block : reads.w.blocks()) {
      const int64_t count = block.end - block.begin;
      const auto for_rows = [&](const auto& f) {
        for (const int64_t layer : layers)
          for (const int64_t row : rows) f(volume + layer + row);
      };
      if (one_group) {
        std::fill_n(sums, count, V(-0.0));  // -0 + v is v, bit for bit
        for_rows([&](const S* row) { add_reads(block.runs, row, sums); });
      } else {
        ordered.clear();
        ordered.resize(size_t(count));
        for_rows([&](const S* row) { add_reads(block.runs, row, ordered.data()); });
        for (int64_t i = 0; i < count; ++i) sums[i] = ordered[size_t(i)].result();
      }
      store(at, block.begin, count, sums);
    }
  }
}

/// sum_reads() added to zero, and stored as rows of `to`.
template <class T, class S>
void sum_reads(const VolumeReads& reads, const S* from, int64_t begin, int64_t end, T* to) {
  using V = accumulate_t<T>;
  sum_reads<V>(reads, from, begin, end, [&](const VolumeRow& at, int64_t first, int64_t count, const V* sums) {
    T* const row = to + at.number * reads.w.places() + first;
    for (int64_t i = 0; i < count; ++i) row[i] = T(V(0) + sums[i]);
  });
}

}  // namespace ordo::kernels::cpu
