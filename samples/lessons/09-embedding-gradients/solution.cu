#include "exercise.h"

// Group g of a word begins at its token 64 g. A thread for each token; those that begin a group add it.
__global__ void group_sums_kernel(const float* token_gradient, const int* starts, const int* sorted, int tokens,
                                  float* group_sums) {
  const int k = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= tokens) return;
  int w = 0;
  while (starts[w + 1] <= k) ++w;
  if ((k - starts[w]) % kGroup != 0) return;
  const int end = k + kGroup < starts[w + 1] ? k + kGroup : starts[w + 1];
  float sum = token_gradient[sorted[k]];
  for (int j = k + 1; j < end; ++j) sum += token_gradient[sorted[j]];
  group_sums[k] = sum;
}

// A thread for each word adds its groups' sums.
__global__ void row_sums_kernel(const float* group_sums, const int* starts, float* row_gradient) {
  const int w = int(threadIdx.x);
  float sum = 0;
  for (int k = starts[w]; k < starts[w + 1]; k += kGroup) sum += group_sums[k];
  row_gradient[w] = sum;
}

void embedding_backward(const float* token_gradient, const int* starts, const int* sorted, int tokens,
                        float* row_gradient) {
  DeviceArray<float> group_sums(static_cast<size_t>(tokens));
  launch(group_sums_kernel, (tokens + kThreads - 1) / kThreads, kThreads, token_gradient, starts, sorted, tokens,
         group_sums);
  launch(row_sums_kernel, 1, kWords, group_sums, starts, row_gradient);
}
