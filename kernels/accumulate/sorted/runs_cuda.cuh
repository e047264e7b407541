// Items sorted by destination, and the groups of 64 that ordering rule 1 cuts their runs into. Internal to
// accumulate_cuda.cuh.
//
// Nothing numbers or lists the runs. A run shows in the sorted keys, and two short tables say what a thread in the
// middle of one cannot see: where the run of every 64th sorted item begins, and where, from every 16th item on, the
// next group does. Each of their entries is a binary search. Bytes per item with Index int32_t, besides what
// destination() reads:
//
//   destinations_kernel    writes 8
//   radix sort             reads 4 for its histograms, then reads and writes 8 for every 8 bits of N
//   run_windows_kernel     reads at most 4, writes 0.3
//
// Scratch: 16 bytes per item while the sort runs, then 8.3, which a plan keeps; twice that with int64_t.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels::cuda {

/// The groups that begin among this many sorted items are one thread's work: few, so that there are many threads, and
/// no thread folds more than kWindow + kOrderedGroup - 1 values, whatever the distribution.
inline constexpr int64_t kWindow = 16;

/// A group of a run: its first sorted item, the run's, and its destination. begin is -1 where a slot is empty.
struct Group {
  int64_t begin, run_begin, destination;
};

// A level cuts runs longer than 2^bits items (bits: 6, 12, 18, ...) into groups of that many. Each block of 2^bits
// sorted items has two slots for groups that begin in it: the first for a group of a run that began in an earlier
// block, the second for a run that begins here. There is at most one of each, so a group finds its slot without a scan.
inline __host__ __device__ int64_t group_slots(int64_t items, int bits) { return 2 * (((items - 1) >> bits) + 1); }
inline __host__ __device__ int64_t group_slot(int64_t begin, int bits, bool begins_run) {
  return 2 * (begin >> bits) + begins_run;
}

/// Items sorted by destination. Index is int32_t or int64_t. Trivially copyable; RunBuilder owns the memory.
template <class Index>
struct Runs {
  const Index* keys;   // [M] destinations, ascending; N for items that are skipped
  const Index* items;  // [M] stable: in item order within a run
  const Index* run;    // [M / 64, up] where the run of sorted item 64 w begins
  const Index* cut;    // [windows() + 1] the first sorted item from kWindow w on that begins a group; skipped: none
  int64_t count;       // M
  int64_t destinations;

  __host__ __device__ int64_t windows() const { return (count + kWindow - 1) / kWindow; }

  __device__ bool begins_run(int64_t i) const { return i == 0 || keys[i] != keys[i - 1]; }
  /// Does the run of sorted item i reach `distance` items further?
  __device__ bool reaches(int64_t i, int64_t distance) const {
    return distance < count - i && keys[i + distance] == keys[i];
  }

  /// The group in `slot`, of a run longer than 2^bits.
  __device__ Group group_at(int64_t slot, int bits) const {
    const Group none{-1, 0, 0};
    const int64_t span = int64_t(1) << bits, window = slot / 2 * span, next = window + span;
    int64_t begin, group;
    if (slot & 1) {  // a run that begins in the window and is longer than it holds the first item of the next one
      if (next >= count) return none;
      begin = group = int64_t(run[next >> kOrderedGroupBits]);
      if (begin < window || begin == next || !reaches(begin, span)) return none;
    } else {
      begin = int64_t(run[window >> kOrderedGroupBits]);
      const int64_t distance = (window - begin + span - 1) & -span;
      if (begin == window || !reaches(begin, distance)) return none;
      group = begin + distance;
    }
    const int64_t destination = int64_t(keys[begin]);
    if (destination >= destinations) return none;
    return {group, begin, destination};
  }

  /// How many groups of 2^bits items, at most 64, the run has from the one at `begin` on.
  __device__ int groups_from(int64_t begin, int bits) const {
    int groups = 1;
    for (int step = int(kOrderedGroup) / 2; step > 0; step /= 2)
      if (reaches(begin, int64_t(groups + step - 1) << bits)) groups += step;
    return groups;
  }
};

/// Owns the memory of Runs, which stay good as long as it lives, for any number of reductions. Movable. An IndexPlan
/// keeps one.
template <class Index>
class RunBuilder : public IndexOrder {
 public:
  RunBuilder(int64_t items, int64_t destinations, Device device);

  /// To be filled before sort(): the destination of an item (N: skipped), and its number.
  Index* keys() const { return keys_->data(); }
  Index* items() const { return items_->data(); }

  /// Sorts them, by no more bits than destinations need, and finds the groups. For both types of Index in runs.cu,
  /// because CUB takes long to compile.
  void sort(cudaStream_t stream);

  Runs<Index> runs() const {
    return {keys_->data(), items_->data(), run_->data(), cut_->data(), count_, destinations_};
  }

 private:
  using Memory = std::unique_ptr<Scratch<Index>>;
  int64_t count_, destinations_;
  Device device_;
  Memory keys_, items_, run_, cut_;
};

template <class Items, class Index>
__global__ void destinations_kernel(Items items, int64_t destinations, Index* keys, Index* order) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < items.count; i += ordo::cuda::thread_count()) {
    const int64_t d = items.destination(i);
    keys[i] = Index(d < 0 ? destinations : d);
    order[i] = Index(i);
  }
}

/// Sorts the items by destination, asking for each destination once.
template <class Index, class Items>
RunBuilder<Index> build_runs(const Items& items, int64_t destinations, Device device, cudaStream_t stream) {
  RunBuilder<Index> builder(items.count, destinations, device);
  ordo::cuda::launch_over(destinations_kernel<Items, Index>, items.count, stream, items, destinations, builder.keys(),
                          builder.items());
  builder.sort(stream);
  return builder;
}

}  // namespace ordo::kernels::cuda
