// Lesson 7: the race you did not see. Half of a softmax: a block has a row, a thread an element.
#include "exercise.h"

__global__ void row_statistics_kernel(const float* x, float* maximum, float* sum) {
  ORDO_SHARED(float, part, [kThreads]);  // __shared__ float part[kThreads]
  const int t = int(threadIdx.x);
  const float mine = x[blockIdx.x * kThreads + t];

  part[t] = mine;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) part[t] = part[t] > part[t + half] ? part[t] : part[t + half];
    __syncthreads();
  }
  const float largest = part[0];

  part[t] = expf(mine - largest);
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) {
    maximum[blockIdx.x] = largest;
    sum[blockIdx.x] = part[0];
  }
}

void row_statistics(const float* x, int rows, float* maximum, float* sum) {
  launch(row_statistics_kernel, rows, kThreads, x, maximum, sum);
}
