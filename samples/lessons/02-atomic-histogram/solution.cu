#include "exercise.h"

__global__ void count_kernel(const int* bin, int n, unsigned* counts) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(&counts[bin[i]], 1u);
}

// atomicAdd reads, adds and writes in one step: no addition is lost.
__global__ void histogram_kernel(const int* bin, const float* weight, int n, float* sums) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(&sums[bin[i]], weight[i]);
}

void count(const int* bin, int n, unsigned* counts) { launch(count_kernel, (n + 63) / 64, 64, bin, n, counts); }
void histogram(const int* bin, const float* weight, int n, float* sums) {
  launch(histogram_kernel, (n + 63) / 64, 64, bin, weight, n, sums);
}

// Integers are exact: any order gives the same sum. Sums of floats are rounded, and threads arrive in any order.
bool counts_are_always_the_same() { return true; }
bool sums_are_always_the_same() { return false; }
