// Calls f(i) for i = 0..n-1, a CUDA thread each. f writes what no other i does.
#pragma once

#include <ordo/engine/cuda/cuda.h>

namespace ordo::kernels::cuda {

template <class F>
__global__ void __launch_bounds__(ordo::cuda::LaunchTuning::kMostThreads) each_kernel(F f, int64_t n) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < n; i += ordo::cuda::thread_count()) f(i);
}

template <class F>
void each(int64_t n, const F& f, Device device) {
  if (n == 0) return;
  const ordo::cuda::DeviceScope scope(device);
  ordo::cuda::launch_over(each_kernel<F>, n, ordo::cuda::current_stream(device), f, n);
}
/// each() under the name that *.loops.h call it by where the CPU shares out items by their cost.
template <class F>
void each_of(int64_t, int64_t n, const F& f, Device device) {
  each(n, f, device);
}

}  // namespace ordo::kernels::cuda
