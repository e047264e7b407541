#include "exercise.h"

// A thread for each input asks the windows that cover it, in ascending order, whether it was their maximum.
__global__ void max_pool_backward_kernel(const float* output_gradient, const int* largest, int outputs,
                                         float* input_gradient, int inputs) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= inputs) return;
  const int first = i < kWindow ? 0 : (i - kWindow) / kStride + 1;
  const int last = i / kStride < outputs ? i / kStride : outputs - 1;
  float sum = 0;
  for (int o = first; o <= last; ++o)
    if (largest[o] == i) sum += output_gradient[o];
  input_gradient[i] = sum;
}

void max_pool_backward(const float* output_gradient, const int* largest, int outputs, float* input_gradient,
                       int inputs) {
  const int threads = inputs;
  launch(max_pool_backward_kernel, (threads + kThreads - 1) / kThreads, kThreads, output_gradient, largest, outputs,
         input_gradient, inputs);
}
