#include <algorithm>
#include <bit>

#include <ordo/kernels/ordering/partition_point.h>
#include <ordo/kernels/accumulate/radix_sort.cuh>
#include <ordo/kernels/accumulate/sorted/runs_cuda.cuh>

namespace ordo::kernels::cuda {

/// The first position in [first, last) with a key of at least `key`, or last.
template <class Index>
__device__ int64_t first_at_least(const Index* keys, int64_t first, int64_t last, Index key) {
  return partition_point(first, last, [&](int64_t i) { return keys[i] < key; });
}

/// Where the run of sorted item `at` begins. Looks near by first: most runs are short.
template <class Index>
__device__ int64_t run_begin(const Index* keys, int64_t at) {
  const Index key = keys[at];
  int64_t high = at, low = std::max<int64_t>(at - kOrderedGroup, 0);
  for (int64_t step = 2 * kOrderedGroup; low > 0 && keys[low] == key; step *= 2) {
    high = low;
    low = std::max<int64_t>(high - step, 0);
  }
  return first_at_least(keys, low, high, key);
}

/// The tables of Runs.
template <class Index>
__global__ void run_windows_kernel(const Index* keys, int64_t count, int64_t destinations, Index* run, Index* cut) {
  const int64_t windows = (count + kWindow - 1) / kWindow;
  ORDO_NO_UNROLL
  for (int64_t w = ordo::cuda::thread_index(); w <= windows; w += ordo::cuda::thread_count()) {
    const int64_t at = std::min(w * kWindow, count), seen = std::min(at, count - 1), begin = run_begin(keys, seen);
    const Index key = keys[seen];
    if (at < count && at % kOrderedGroup == 0) run[at / kOrderedGroup] = Index(begin);
    if (int64_t(key) == destinations) {
      cut[w] = Index(begin);
    } else {  // the run's next group, or, where the run ends before it, the next run
      const int64_t group = begin + (at - begin + kOrderedGroup - 1) / kOrderedGroup * kOrderedGroup;
      cut[w] = Index(first_at_least(keys, at, std::min(group, count), Index(key + 1)));
    }
  }
}

namespace {

template <class Index>
std::unique_ptr<Scratch<Index>> scratch(int64_t count, Device device) {
  return std::make_unique<Scratch<Index>>(count, device);
}

}  // namespace

template <class Index>
RunBuilder<Index>::RunBuilder(int64_t items, int64_t destinations, Device device)
    : count_(items),
      destinations_(destinations),
      device_(device),
      keys_(scratch<Index>(items, device)),
      items_(scratch<Index>(items, device)),
      run_(scratch<Index>((items + kOrderedGroup - 1) / kOrderedGroup, device)),
      cut_(scratch<Index>((items + kWindow - 1) / kWindow + 1, device)) {}

template <class Index>
void RunBuilder<Index>::sort(cudaStream_t stream) {
  const int bits = std::bit_width(uint64_t(destinations_));
  radix_sort(keys_, items_, count_, 0, bits, device_, stream);
  const Runs<Index> sorted = runs();
  ordo::cuda::launch_over(run_windows_kernel<Index>, sorted.windows() + 1, stream, sorted.keys, count_, destinations_,
                          run_->data(), cut_->data());
}

template class RunBuilder<int32_t>;
template class RunBuilder<int64_t>;

}  // namespace ordo::kernels::cuda
