// Lesson 5: a tree of fixed shape.
#include "exercise.h"

// Each thread adds every thread_count-th element; then all add their sums.
__global__ void sum_kernel(const float* x, int n, float* block_sums) {
  float mine = 0;
  for (int i = int(blockIdx.x) * kThreads + int(threadIdx.x); i < n; i += int(gridDim.x) * kThreads) mine += x[i];
  atomicAdd(&block_sums[blockIdx.x], mine);  // in the order of arrival: make it a tree
}

__global__ void add_blocks_kernel(const float* block_sums, int blocks, float* total) {
  float sum = 0;
  for (int b = 0; b < blocks; ++b) sum += block_sums[b];
  *total = sum;
}

void sum(const float* x, int n, float* total) {
  const int blocks = multiprocessors();  // fills the device: and what does it do to the order?
  DeviceArray<float> block_sums(static_cast<size_t>(blocks));
  launch(sum_kernel, blocks, kThreads, x, n, block_sums);
  launch(add_blocks_kernel, 1, 1, block_sums, blocks, total);
}
