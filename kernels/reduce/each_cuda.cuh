// Calls of a function for many numbers on CUDA, the counterpart of each_cpu.h. A call writes what no other does.
#pragma once

#include <algorithm>

#include <ordo/engine/cuda/cuda.h>

#define ORDO_TEAM __device__

namespace ordo::kernels::cuda {

template <class F>
__global__ void __launch_bounds__(ordo::cuda::LaunchTuning::kMostThreads) each_kernel(F f, int64_t n) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < n; i += ordo::cuda::thread_count()) f(i);
}

/// f(i) for i = 0..n-1, a CUDA thread each.
template <class F>
void each(int64_t n, const F& f, Device device) {
  if (n == 0) return;
  const ordo::cuda::DeviceScope scope(device);
  ordo::cuda::launch_over(each_kernel<F>, n, ordo::cuda::current_stream(device), f, n);
}
/// f(i) for i = 0..n-1. The cost counts on the CPU only.
template <class F>
void each_of(int64_t, int64_t n, const F& f, Device device) {
  each(n, f, device);
}

/// The threads of a block, which has a call of each_team().
struct Team {
  /// g(k) for k = 0..n-1; each time the same thread has number k.
  template <class G>
  __device__ void each(int64_t n, const G& g) const {
    for (int64_t k = threadIdx.x; k < n; k += blockDim.x) g(k);
  }
  /// Until all threads of the team are here.
  __device__ void wait() const { __syncthreads(); }
  __device__ bool first() const { return threadIdx.x == 0; }
  /// Adds what each thread of the team counted.
  __device__ void add(int64_t* to, int64_t count) const {
    if (count != 0) atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(count));
  }
};

template <class F>
__global__ void __launch_bounds__(ordo::cuda::LaunchTuning::kMostThreads) each_team_kernel(F f, int64_t n) {
  for (int64_t i = blockIdx.x; i < n; i += gridDim.x) f(i, Team());
}

/// f(i, team) for i = 0..n-1, a block for each, which has work for about `width` threads.
template <class F>
void each_team(int64_t n, int64_t width, const F& f, Device device, int64_t /*cost*/) {
  if (n == 0) return;
  const ordo::cuda::DeviceScope scope(device);
  const auto& tuning = ordo::cuda::launch_tuning();
  const int64_t threads = std::min<int64_t>(tuning.block, (width + 31) / 32 * 32);
  ordo::cuda::launch(each_team_kernel<F>, dim3(unsigned(std::min(n, tuning.most_blocks))), dim3(unsigned(threads)), 0,
                     ordo::cuda::current_stream(device), f, n);
}

}  // namespace ordo::kernels::cuda
