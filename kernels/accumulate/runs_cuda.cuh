// Runs of items with one destination: sorting, run boundaries, and the groups of long runs. Internal to
// accumulate_cuda.cuh.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory.h>

namespace ordo::kernels::cuda {

/// A group of a run: its first sorted item, and where its run lies. begin is -1 where a slot is empty.
struct Group {
  int64_t begin, run_begin, run_end, destination;
};

// The groups of `span` items that runs longer than `span` are cut into have their places in two slots for each window
// [span w, span (w + 1)) of sorted items: at most one such run begins in a window (slot 2w + 1), and at most one group
// of a run that began before (slot 2w). So no scan is needed to number them.
inline __host__ __device__ int64_t group_slots(int64_t items, int64_t span) { return 2 * ((items + span - 1) / span); }
inline __host__ __device__ int64_t group_slot(int64_t begin, int64_t span, bool begins_run) {
  return 2 * (begin / span) + begins_run;
}

/// Items sorted by destination. Index is int32_t or int64_t.
template <class Index>
struct Runs {
  const Index* keys;    // [M] destinations, ascending; N for items that are skipped
  const Index* items;   // [M]
  const Index* number;  // [M] the run of a sorted item, counted from 1
  const Index* start;   // [runs + 1] first sorted item of a run
  int64_t sorted;       // M

  __device__ int64_t count() const { return number[sorted - 1]; }

  /// The group in `slot`, of a run longer than `span`.
  __device__ Group group_at(int64_t slot, int64_t span, int64_t total) const {
    const int64_t window = slot / 2 * span, window_end = std::min(window + span, total);
    const bool begins_run = slot & 1;
    const int64_t run = int64_t(number[begins_run ? window_end - 1 : window]) - 1;
    const int64_t begin = start[run], end = start[run + 1];
    int64_t group = begin;
    if (end - begin <= span) return {-1, 0, 0, 0};
    if (begins_run) {
      if (begin < window) return {-1, 0, 0, 0};
    } else {
      if (begin >= window) return {-1, 0, 0, 0};
      group += (window - begin + span - 1) / span * span;
      if (group >= end || group >= window_end) return {-1, 0, 0, 0};
    }
    return {group, begin, end, int64_t(keys[begin])};
  }
};

template <class Items, class Index>
__global__ void destinations_kernel(Items items, int64_t destinations, Index* keys, Index* order) {
  for (int64_t i = ordo::cuda::thread_index(); i < items.count; i += ordo::cuda::thread_count()) {
    const int64_t d = items.destination(i);
    keys[i] = Index(d < 0 ? destinations : d);
    order[i] = Index(i);
  }
}

/// Owns the scratch memory of Runs.
template <class Index>
class RunBuilder {
 public:
  RunBuilder(int64_t items, int64_t destinations, Device device)
      : count_(items),
        destinations_(destinations),
        device_(device),
        keys_(items, device),
        items_(items, device),
        sorted_keys_(items, device),
        sorted_items_(items, device),
        number_(items, device),
        start_(std::min(items, destinations + 1) + 1, device) {}

  Index* keys() const { return keys_.data(); }
  Index* items() const { return items_.data(); }

  /// Sorts keys() and items(), by no more bits than destinations need. For both types of Index in runs.cu, because CUB
  /// takes long to compile.
  Runs<Index> build(cudaStream_t stream);

 private:
  int64_t count_, destinations_;
  Device device_;
  Scratch<Index> keys_, items_, sorted_keys_, sorted_items_, number_, start_;
};

}  // namespace ordo::kernels::cuda
