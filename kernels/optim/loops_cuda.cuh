// CUDA's loop over the elements of a parameter, the counterpart of loops_cpu.h. Internal: for steps.loops.h.
#pragma once

#include <ordo/engine/cuda/cuda.h>

#define ORDO_LOOPS_DEVICE cuda

namespace ordo::kernels::cuda {

template <class F>
__global__ void optimizer_step_kernel(F element, int64_t n) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < n; i += ordo::cuda::thread_count()) element(i);
}

template <class F>
void each(const F& element, int64_t n, Device device) {
  if (n == 0) return;
  ordo::cuda::DeviceScope scope(device);
  ordo::cuda::launch_over(optimizer_step_kernel<F>, n, ordo::cuda::current_stream(device), element, n);
}

}  // namespace ordo::kernels::cuda
