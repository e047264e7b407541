// The algorithm `sorted` of the accumulate engine on CUDA. Internal to accumulate_cuda.cuh.
//
// A stable radix sort of (destination, item), then ordering rule 1 over the runs: a thread folds the groups that begin
// in its window of 16 sorted items. That completes runs of at most a group, which go straight into the output; longer
// ones leave the sums of their groups, which are folded level by level, the sums of a level being the values of the
// next. The work is shared out by items, not by runs, so that its time does not depend on their distribution. No step
// adds floats atomically. Launch shapes depend on M, N, D and the alignment of the rows; no bit of the result depends
// on the alignment.
//
// After the sort (runs_cuda.cuh) every value is read once. Per item and 8 columns or less, with Index int32_t: 8 bytes
// of keys and items and M / 16 entries of a table are read as well, and 2 / 64 sums of D values are written and read
// again where runs are long. Scratch besides the sort's: 2 / 64 sums of D values per item.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/accumulate/sorted/runs_cuda.cuh>

namespace ordo::kernels::cuda {

/// How many rows a thread has on the way from memory at a time.
inline constexpr int kRowsAhead = 4;

/// Rows of fewer columns pass through shared memory.
inline constexpr int64_t kStagedColumns = 8;
inline constexpr int kStageThreads = 128;
/// The most sorted items that a block stages, all of whose windows are full and whose last group reaches beyond.
inline constexpr int kStageItems = kStageThreads * int(kWindow) + int(kOrderedGroup) - 1;
/// Of all columns, with the padding.
inline constexpr int kStageValues =
    (kStageThreads * int(kWindow) + (int(kOrderedGroup) - 1) * int(kStagedColumns - 1)) / 32 * 33 + 33;

/// The place of a staged row: without gaps, threads whose windows lie 32 values apart would wait for the same bank.
inline __device__ int staged(int row) { return row + row / 32; }

/// Narrow rows, a block for each 128 / inner windows. The rows are gathered into shared memory, neighbours by
/// neighbouring threads; then a thread per window and column folds each group there, in place; then the sums go where
/// they belong, again neighbours by neighbouring threads.
template <class Items, class Index>
__global__ void accumulate_narrow_kernel(Items items, typename Items::value_type* output, AccumulateShape shape,
                                         Runs<Index> runs, accumulate_t<typename Items::value_type>* sums) {
  using T = typename Items::value_type;
  using Acc = accumulate_t<T>;
  ORDO_SHARED(Acc, values, [kStageValues]);
  ORDO_SHARED(Index, keys, [kStageItems]);
  const int thread = int(threadIdx.x), columns = int(shape.inner), windows = kStageThreads / columns;
  const int64_t tiles = (runs.windows() + windows - 1) / windows;
  ORDO_NO_UNROLL
  for (int64_t tile = blockIdx.x; tile < tiles * shape.outer; tile += gridDim.x) {
    const int64_t o = tile / tiles, window = tile % tiles * windows, end = std::min(window + windows, runs.windows());
    const int64_t begin = runs.cut[window];
    const int count = int(runs.cut[end] - begin);

    ORDO_NO_UNROLL
    for (int i = thread; i < count; i += kRowsAhead * kStageThreads) {
      // Behind the last item the last one again, so that no load waits for a branch.
      int64_t item[kRowsAhead];
      Index key[kRowsAhead];
      Acc value[kRowsAhead];
      for (int k = 0; k < kRowsAhead; ++k) {
        const int at = std::min(i + k * kStageThreads, count - 1);
        item[k] = int64_t(runs.items[begin + at]);
        key[k] = runs.keys[begin + at];
      }
      ORDO_NO_UNROLL
      for (int j = 0; j < columns; ++j) {
        for (int k = 0; k < kRowsAhead; ++k) value[k] = item_value(items, shape, item[k], o, j);
        for (int k = 0, at = i; k < kRowsAhead; ++k, at += kStageThreads)
          if (at < count) values[staged(at) * columns + j] = value[k];
      }
      for (int k = 0, at = i; k < kRowsAhead; ++k, at += kStageThreads)
        if (at < count) keys[at] = key[k];
    }
    __syncthreads();

    const auto begins_run = [&](int i) { return i > 0 ? keys[i] != keys[i - 1] : runs.begins_run(begin); };
    if (const int64_t w = window + thread / columns; thread < windows * columns && w < end) {
      const int j = thread % columns, last = int(runs.cut[w + 1] - begin);
      ORDO_NO_UNROLL
      for (int i = int(runs.cut[w] - begin), first = i; i < last; first = i) {
        Acc sum = values[staged(i) * columns + j];
        for (++i; i < last && keys[i] == keys[first]; ++i) sum = wrapping_add(sum, values[staged(i) * columns + j]);
        if (begins_run(first))
          values[staged(first) * columns + j] = sum;
        else
          sums[group_slot(begin + first, kOrderedGroupBits, false) * shape.columns() + o * columns + j] = sum;
      }
    }
    __syncthreads();

    ORDO_NO_UNROLL
    for (int i = thread; i < count; i += kRowsAhead * kStageThreads) {
      T* out[kRowsAhead] = {};
      Acc* slot[kRowsAhead] = {};
      for (int k = 0, at = i; k < kRowsAhead; ++k, at += kStageThreads) {
        if (at >= count || !begins_run(at)) continue;
        const int next = at + int(kOrderedGroup);
        if (next < count ? keys[next] == keys[at] : runs.reaches(begin + at, kOrderedGroup))
          slot[k] = sums + group_slot(begin + at, kOrderedGroupBits, true) * shape.columns() + o * columns;
        else
          out[k] = output + shape.offset(int64_t(keys[at]), o, 0);
      }
      ORDO_NO_UNROLL
      for (int j = 0; j < columns; ++j) {
        Acc old[kRowsAhead] = {};
        for (int k = 0; k < kRowsAhead; ++k)
          if (out[k]) old[k] = Acc(out[k][j]);
        for (int k = 0, at = i; k < kRowsAhead; ++k, at += kStageThreads) {
          if (out[k]) out[k][j] = T(wrapping_add(old[k], values[staged(at) * columns + j]));
          if (slot[k]) slot[k][j] = values[staged(at) * columns + j];
        }
      }
    }
    __syncthreads();
  }
}

/// V neighbouring columns of a row, which are one load or store.
template <class T, int V>
struct alignas(V * sizeof(T)) Columns {
  T at[V];
};
template <int V, class T>
__device__ inline auto& columns_at(T* p) {
  using Row = Columns<std::remove_const_t<T>, V>;
  return *reinterpret_cast<std::conditional_t<std::is_const_v<T>, const Row, Row>*>(p);
}

/// How many columns a thread takes at a time where rows are aligned: 16 bytes of them.
template <class Items>
inline constexpr int kVector = 1;
template <class Items>
requires(VectorItems<Items>&&
             std::is_floating_point_v<accumulate_t<typename Items::value_type>>) inline constexpr int kVector<Items> =
    int(16 / sizeof(typename Items::value_type));

inline constexpr int kWideThreads = 128;

/// Wide rows: a thread per window and V columns. Several rows are on their way at a time, with the old content of the
/// destinations whose runs begin there.
template <int V, class Items, class Index>
__global__ void __launch_bounds__(kWideThreads, 8)
    accumulate_wide_kernel(Items items, typename Items::value_type* output, AccumulateShape shape, Runs<Index> runs,
                           accumulate_t<typename Items::value_type>* sums) {
  using T = typename Items::value_type;
  using Acc = accumulate_t<T>;
  constexpr int kAhead = V > 4 ? 1 : V > 1 ? 2 : kRowsAhead;  // as registers allow
  const int64_t chunks = shape.inner / V, per_outer = runs.windows() * chunks, total = per_outer * shape.outer;
  ORDO_NO_UNROLL
  for (int64_t t = ordo::cuda::thread_index(); t < total; t += ordo::cuda::thread_count()) {
    const int64_t o = t / per_outer, w = t % per_outer / chunks, j = t % chunks * V;
    const int64_t first = runs.cut[w], last = runs.cut[w + 1];
    if (first == last) continue;
    bool begins_run = runs.begins_run(first);
    Index open = runs.keys[first];  // the destination of the group being summed, which begins at `begin`
    int64_t begin = first;
    Columns<Acc, V> sum{};
    Columns<T, V> old{};
    const auto store = [&](bool whole_run) {
      if (whole_run) {
        Columns<T, V> row;
        for (int c = 0; c < V; ++c) row.at[c] = T(wrapping_add(Acc(old.at[c]), sum.at[c]));
        columns_at<V>(output + shape.offset(int64_t(open), o, j)) = row;
      } else {
        const int64_t slot = group_slot(begin, kOrderedGroupBits, begins_run);
        columns_at<V>(sums + slot * shape.columns() + o * shape.inner + j) = sum;
      }
    };
    ORDO_NO_UNROLL
    for (int64_t i = first; i < last; i += kAhead) {
      // Behind the last item the last one again, so that no load waits for a branch.
      Index key[kAhead];
      int64_t item[kAhead];
      Columns<Acc, V> value[kAhead];
      Columns<T, V> content[kAhead] = {};
      for (int k = 0; k < kAhead; ++k) {
        const int64_t at = std::min(i + k, last - 1);
        key[k] = runs.keys[at];
        item[k] = int64_t(runs.items[at]);
      }
      for (int k = 0; k < kAhead; ++k) {
        if constexpr (V > 1) {
          const Columns<T, V> row = columns_at<V>(items.address(item[k], o, j));
          for (int c = 0; c < V; ++c) value[k].at[c] = items.element(row.at[c], item[k]);
        } else {
          value[k].at[0] = item_value(items, shape, item[k], o, j);
        }
      }
      for (int k = 0; k < kAhead; ++k)
        if (i + k == first ? begins_run : key[k] != (k > 0 ? key[k - 1] : open))
          content[k] = columns_at<V>(output + shape.offset(int64_t(key[k]), o, j));
      for (int k = 0; k < kAhead; ++k) {
        if (i + k >= last) continue;
        if (i + k > first && key[k] == open) {
          for (int c = 0; c < V; ++c) sum.at[c] = wrapping_add(sum.at[c], value[k].at[c]);
          continue;
        }
        if (i + k > first) {
          store(begins_run);  // only the last group of a window can be one that its run goes on after
          begins_run = true;  // and only the first one can be a later one of its run
        }
        begin = i + k, open = key[k], sum = value[k], old = content[k];
      }
    }
    store(begins_run && !runs.reaches(begin, kOrderedGroup));
  }
}

/// The next level: `below` holds the sums of groups of 2^bits items each. Folds 64 of them; where that is all of a run,
/// adds it to the output, else leaves it in `above` for the level after. In levels.cu for all element types.
template <class T, class Index>
void fold_level(T* output, const AccumulateShape& shape, const Runs<Index>& runs, int bits,
                const accumulate_t<T>* below, accumulate_t<T>* above, cudaStream_t stream);

/// Whether all rows begin at multiples of V columns. That decides between launches that give the same bits.
template <int V, class Items>
bool vectors_fit(const Items& items, const typename Items::value_type* output, const AccumulateShape& shape) {
  if constexpr (V > 1)
    return shape.inner % V == 0 && reinterpret_cast<uintptr_t>(output) % 16 == 0 && items.aligned(16);
  else
    return false;
}

/// Adds every item's row to its destination's. `runs` are those of the items: build_runs(), now or earlier.
template <class Index, class Items>
void accumulate_runs(const Items& items, const Runs<Index>& runs, typename Items::value_type* output,
                     const AccumulateShape& shape, Device device, cudaStream_t stream) {
  using T = typename Items::value_type;
  using Acc = accumulate_t<T>;
  const int64_t m = runs.count, columns = shape.columns();
  int bits = kOrderedGroupBits;                                  // of the groups whose sums are in `below`
  const auto any = [&](int of) { return ((m - 1) >> of) > 0; };  // runs longer than such a group
  const auto sums = [&](int of) { return any(of) ? group_slots(m, of) * columns : 0; };
  Scratch<Acc> first(sums(bits), device), second(sums(bits + kOrderedGroupBits), device);
  Acc *below = first.data(), *above = second.data();
  const auto wide = [&]<int V>(std::integral_constant<int, V>) {
    const int64_t threads = runs.windows() * columns / V;
    ordo::cuda::launch(accumulate_wide_kernel<V, Items, Index>, ordo::cuda::grid_for(threads, kWideThreads),
                       dim3(kWideThreads), 0, stream, items, output, shape, runs, below);
  };
  if constexpr (std::is_same_v<Index, int64_t>) {
    // 2^31 items and more: one kernel for all widths of rows, because few devices hold as many.
    wide(std::integral_constant<int, 1>());
  } else if (kSingleColumn<Items> || shape.inner < kStagedColumns) {
    const int64_t windows = kStageThreads / shape.inner, tiles = (runs.windows() + windows - 1) / windows;
    ordo::cuda::launch(accumulate_narrow_kernel<Items, Index>, ordo::cuda::grid_for(tiles * shape.outer, 1),
                       dim3(kStageThreads), 0, stream, items, output, shape, runs, below);
  } else if constexpr (!kSingleColumn<Items>) {
    if (vectors_fit<kVector<Items>>(items, output, shape))
      wide(std::integral_constant<int, kVector<Items>>());
    else
      wide(std::integral_constant<int, 1>());
  }
  for (; any(bits); bits += kOrderedGroupBits, std::swap(below, above))
    fold_level(output, shape, runs, bits, below, above, stream);
}

template <class Index, class Items>
void accumulate_sorted(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                       Device device, cudaStream_t stream) {
  const RunBuilder<Index> builder = build_runs<Index>(items, shape.destinations, device, stream);
  accumulate_runs(items, builder.runs(), output, shape, device, stream);
}

}  // namespace ordo::kernels::cuda
