// Lesson 8: gather instead of scatter.
#include "exercise.h"

// A thread for each window sends its gradient to the input that was its maximum: turn this round.
__global__ void max_pool_backward_kernel(const float* output_gradient, const int* largest, int outputs,
                                         float* input_gradient, int inputs) {
  const int o = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (o < outputs && largest[o] < inputs) atomicAdd(&input_gradient[largest[o]], output_gradient[o]);
}

void max_pool_backward(const float* output_gradient, const int* largest, int outputs, float* input_gradient,
                       int inputs) {
  const int threads = inputs;  // enough for either way
  launch(max_pool_backward_kernel, (threads + kThreads - 1) / kThreads, kThreads, output_gradient, largest, outputs,
         input_gradient, inputs);
}
