// Lesson 2: an atomic histogram and its many results.
#include "exercise.h"

__global__ void count_kernel(const int* bin, int n, unsigned* counts) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(&counts[bin[i]], 1u);
}

__global__ void histogram_kernel(const int* bin, const float* weight, int n, float* sums) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) sums[bin[i]] += weight[i];  // many threads come to the same bin: change this
}

void count(const int* bin, int n, unsigned* counts) { launch(count_kernel, (n + 63) / 64, 64, bin, n, counts); }
void histogram(const int* bin, const float* weight, int n, float* sums) {
  launch(histogram_kernel, (n + 63) / 64, 64, bin, weight, n, sums);
}

// Two predictions. Decide before you run the check.
bool counts_are_always_the_same() { return false; }
bool sums_are_always_the_same() { return true; }
