// The second use of `part` must wait until every thread has read part[0].
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
  __syncthreads();  // nobody writes part again before all have read it

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
