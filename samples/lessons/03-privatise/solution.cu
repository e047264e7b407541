#include "exercise.h"

// The sums of each block, of the items that its threads take.
__global__ void block_sums_kernel(const int* bin, const float* weight, int n, float* block_sums) {
  ORDO_SHARED(float, own, [kThreads][kBins]);  // row t belongs to thread t
  const int t = int(threadIdx.x);
  for (int b = 0; b < kBins; ++b) own[t][b] = 0;
  for (int i = int(blockIdx.x) * kThreads + t; i < n; i += kBlocks * kThreads) own[t][bin[i]] += weight[i];
  __syncthreads();
  if (t >= kBins) return;
  float sum = 0;
  for (int thread = 0; thread < kThreads; ++thread) sum += own[thread][t];
  block_sums[int(blockIdx.x) * kBins + t] = sum;
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
