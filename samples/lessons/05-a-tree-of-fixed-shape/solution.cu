#include "exercise.h"

__global__ void sum_kernel(const float* x, int n, float* block_sums) {
  ORDO_SHARED(float, part, [kThreads]);
  const int t = int(threadIdx.x);
  float mine = 0;
  for (int i = int(blockIdx.x) * kThreads + t; i < n; i += int(gridDim.x) * kThreads) mine += x[i];
  part[t] = mine;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) block_sums[blockIdx.x] = part[0];
}

__global__ void add_blocks_kernel(const float* block_sums, int blocks, float* total) {
  float sum = 0;
  for (int b = 0; b < blocks; ++b) sum += block_sums[b];
  *total = sum;
}

void sum(const float* x, int n, float* total) {
  const int blocks = (n + 255) / 256;  // depends on n, and on nothing of the device
  DeviceArray<float> block_sums(static_cast<size_t>(blocks));
  launch(sum_kernel, blocks, kThreads, x, n, block_sums);
  launch(add_blocks_kernel, 1, 1, block_sums, blocks, total);
}
