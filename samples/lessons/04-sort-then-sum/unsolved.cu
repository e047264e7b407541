// Lesson 4: sort, then sum segments.
#include "exercise.h"

__global__ void count_kernel(const int* bin, int n, unsigned* counts) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(&counts[bin[i]], 1u);
}

// starts[d] = counts[0] + ... + counts[d - 1]: where the items of bin d begin.
__global__ void starts_kernel(const unsigned* counts, unsigned* starts) {
  unsigned sum = 0;
  for (int d = 0; d < kBins; ++d) {
    starts[d] = sum;
    sum += counts[d];
  }
  starts[kBins] = sum;
}

// Sorts by bin: sorted[starts[d]], ..., sorted[starts[d + 1] - 1] are the numbers of the items of bin d.
__global__ void place_kernel(const int* bin, int n, const unsigned* starts, unsigned* taken, int* sorted) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const unsigned rank = atomicAdd(&taken[bin[i]], 1u);  // the next free place of its bin: change this
  sorted[starts[bin[i]] + rank] = i;
}

// A thread for each bin adds the weights of its items, in the order of `sorted`.
__global__ void segment_sums_kernel(const float* weight, const unsigned* starts, const int* sorted, float* sums) {
  const int d = int(threadIdx.x);
  float sum = 0;
  for (unsigned k = starts[d]; k < starts[d + 1]; ++k) sum += weight[sorted[k]];
  sums[d] = sum;
}

void histogram(const int* bin, const float* weight, int n, float* sums) {
  DeviceArray<unsigned> counts(kBins), starts(kBins + 1), taken(kBins);
  DeviceArray<int> sorted(static_cast<size_t>(n));
  const int blocks = (n + kThreads - 1) / kThreads;
  launch(count_kernel, blocks, kThreads, bin, n, counts);
  launch(starts_kernel, 1, 1, counts, starts);
  launch(place_kernel, blocks, kThreads, bin, n, starts, taken, sorted);
  launch(segment_sums_kernel, 1, kBins, weight, starts, sorted, sums);
}
