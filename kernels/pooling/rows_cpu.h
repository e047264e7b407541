// How the CPU shares pooling work among threads. Internal.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <ordo/engine/dtype.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels::cpu {

inline constexpr int64_t kPoolGrain = 16384;  // cells read or written per thread, at least

/// Volumes (or rows) of `cost` cells each.
inline int64_t pool_grain(int64_t cost) { return std::max<int64_t>(1, kPoolGrain / std::max<int64_t>(1, cost)); }

/// Row r of a [volumes, depth, height, width] tensor, taken apart.
struct VolumeRow {
  int64_t number, volume, d = 0, h;
  VolumeRow(int64_t r, int64_t depth, int64_t height)
      : number(r), volume(r / (depth * height)), h(r % (depth * height)) {
    if (depth == 1) return;
    d = h / height;
    h %= height;
  }
};

/// Gives every output row to a thread, in chunks that a thread takes when it is free: row(at, shared). `shared` says
/// that another thread may be adding to the same cells; all other rows have theirs for themselves.
template <class Axis, class Row>
void scatter_rows(int64_t volumes, const Windows<Axis>& windows, const Row& row) {
  const int64_t rows_of_one = windows.d.output * windows.h.output, rows = volumes * rows_of_one;
  // Rows further apart share no cell.
  const int64_t reach = (windows.d.overlap() - 1) * windows.h.output + windows.h.overlap() - 1;
  // An odd number of rows, so that chunks end inside volumes and threads do meet there.
  const int64_t chunk = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, windows.w.output)) | 1;
  const int64_t chunks = (rows + chunk - 1) / chunk;
  std::atomic<int64_t> next{0};
  const bool small = volumes * (windows.inputs() + windows.outputs()) < 2 * kPoolGrain;
  const int workers = small ? 1 : int(std::min<int64_t>(num_threads(), chunks));
  parallel_for(0, workers, 1, [&](int64_t, int64_t) {
    for (int64_t c; (c = next.fetch_add(1, std::memory_order_relaxed)) < chunks;) {
      const int64_t first = c * chunk, last = std::min(rows, first + chunk);
      for (int64_t r = first; r < last; ++r) {
        const VolumeRow at(r, windows.d.output, windows.h.output);
        const auto meets = [&](int64_t other_chunk) {
          return other_chunk / rows_of_one == at.volume && other_chunk % rows_of_one != 0;
        };
        const bool shared =
            workers > 1 && ((r - first < reach && meets(first)) || (last - 1 - r < reach && meets(last)));
        row(at, shared);
      }
    }
  });
}

/// The cells that a scatter adds into: the output itself or, for half types, a copy in float.
template <class T>
class ScatterCells {
 public:
  using V = accumulate_t<T>;

  ScatterCells(T* output, int64_t count) : output_(output), count_(count), scratch_(kDirect ? 0 : count, cpu_device()) {
    parallel_for(0, count, 4 * kPoolGrain, [&](int64_t first, int64_t last) {
      std::memset(static_cast<void*>(data() + first), 0, size_t(last - first) * sizeof(V));
    });
  }
  V* data() const {
    if constexpr (kDirect)
      return output_;
    else
      return scratch_.data();
  }
  /// Rounds to T where that is not V.
  void store() const {
    if constexpr (!kDirect) {
      parallel_for(0, count_, kPoolGrain, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) output_[i] = T(scratch_.data()[i]);
      });
    }
  }

 private:
  static constexpr bool kDirect = std::is_same_v<T, V>;
  static Device cpu_device() { return Device(); }
  T* output_;
  int64_t count_;
  Scratch<V> scratch_;
};

template <class V>
void add_shared(V& cell, V v) {
  std::atomic_ref<V>(cell).fetch_add(v, std::memory_order_relaxed);
}

/// Runs scatter(volume, cells) for every volume, one thread each: `cells` are the volume's, zero at first. Used where
/// at most 64 outputs cover a cell, so that adding them in their order is rule 1.
template <class T, class Scatter>
void scatter_volumes(T* output, int64_t volumes, int64_t cells_per_volume, int64_t cost, const Scatter& scatter) {
  using V = accumulate_t<T>;
  parallel_for(0, volumes, pool_grain(cells_per_volume + cost), [&](int64_t first, int64_t last) {
    if constexpr (std::is_same_v<T, V>) {
      for (int64_t p = first; p < last; ++p) {
        V* cells = output + p * cells_per_volume;
        std::memset(static_cast<void*>(cells), 0, size_t(cells_per_volume) * sizeof(V));
        scatter(p, cells);
      }
    } else {
      const Scratch<V> scratch(cells_per_volume, Device());
      for (int64_t p = first; p < last; ++p) {
        std::memset(static_cast<void*>(scratch.data()), 0, size_t(cells_per_volume) * sizeof(V));
        scatter(p, scratch.data());
        T* cells = output + p * cells_per_volume;
        for (int64_t i = 0; i < cells_per_volume; ++i) cells[i] = T(scratch.data()[i]);
      }
    }
  });
}

/// Runs gather(row, the outputs that may cover it, iw), which returns the gradient of that cell, for every input cell.
template <class T, class Axis, class Gather>
void gather_cells(T* output, int64_t volumes, const Windows<Axis>& windows, const Gather& gather) {
  const int64_t depth = windows.d.input, height = windows.h.input, width = windows.w.input;
  parallel_for(0, volumes * depth * height, pool_grain(width * windows.overlap()), [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      const VolumeRow at(r, depth, height);
      const WindowRows rows = windows.outputs_at(at.d, at.h);
      for (int64_t iw = 0; iw < width; ++iw) output[r * width + iw] = T(gather(at, rows, iw));
    }
  });
}

/// Whether to give whole volumes to threads: the order of the sums is the same either way.
template <class Axis>
bool by_volume(int64_t volumes, const Windows<Axis>& windows) {
  if (windows.overlap() > kOrderedGroup) return false;
  return volumes >= num_threads() || volumes * windows.inputs() < 2 * kPoolGrain;
}

}  // namespace ordo::kernels::cpu
