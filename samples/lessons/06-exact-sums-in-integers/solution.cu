#include "exercise.h"

// The number of units of 2^-21 in x, which is a whole number; and back, with the only rounding. 2^21 = 2097152.
__device__ long long to_integer(float x) { return (long long)(double(x) * 2097152.0); }
__device__ float from_integer(long long units) { return float(double(units) / 2097152.0); }

__global__ void add_kernel(const int* bin, const float* weight, int n, unsigned long long* totals) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(&totals[bin[i]], (unsigned long long)(to_integer(weight[i])));
}

__global__ void round_kernel(const unsigned long long* totals, float* sums) {
  sums[threadIdx.x] = from_integer((long long)(totals[threadIdx.x]));
}

void histogram(const int* bin, const float* weight, int n, float* sums) {
  DeviceArray<unsigned long long> totals(kBins);
  launch(add_kernel, (n + kThreads - 1) / kThreads, kThreads, bin, weight, n, totals);
  launch(round_kernel, 1, kBins, totals, sums);
}
