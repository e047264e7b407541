// Lesson 3: privatise in shared memory.
#include "exercise.h"

// The sums of each block, of the items that its threads take.
__global__ void block_sums_kernel(const int* bin, const float* weight, int n, float* block_sums) {
  ORDO_SHARED(float, own, [kBins]);  // one histogram for the whole block: give every thread its own
  const int t = int(threadIdx.x);
  if (t < kBins) own[t] = 0;
  __syncthreads();
  for (int i = int(blockIdx.x) * kThreads + t; i < n; i += kBlocks * kThreads) atomicAdd(&own[bin[i]], weight[i]);
  __syncthreads();
  if (t < kBins) block_sums[int(blockIdx.x) * kBins + t] = own[t];
}

// The sums of the blocks, added in the order of the blocks.
__global__ void add_blocks_kernel(const float* block_sums, float* sums) {
  const int b = int(threadIdx.x);
  float sum = 0;
  for (int block = 0; block < kBlocks; ++block) sum += block_sums[block * kBins + b];
  sums[b] = sum;
}

void histogram(const int* bin, const float* weight, int n, float* sums) {
  DeviceArray<float> block_sums(kBlocks * kBins);
  launch(block_sums_kernel, kBlocks, kThreads, bin, weight, n, block_sums);
  launch(add_blocks_kernel, 1, kBins, block_sums, sums);
}
