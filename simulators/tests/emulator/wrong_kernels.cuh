// Programs that are right, or wrong in the way that their name says. Each returns what its kernel computed.
#pragma once

#include <ordo/engine/cuda/atomics.h>
#include <ordo/engine/cuda/cuda.h>

#include <functional>

#include "tests/simt/reduced_by_key.h"

namespace ordo::test {

using namespace ordo::cuda;

/// Runs a kernel of (const float* in, int n, float* out) on n mixed numbers.
template <class Kernel>
std::vector<float> run_on_numbers(Kernel kernel, int n, int blocks, int threads, size_t results,
                                  size_t shared_bytes = 0) {
  const DeviceArray<float> in(mixed_floats(n)), out(results);
  launch(kernel, dim3(unsigned(blocks)), dim3(unsigned(threads)), shared_bytes, current_stream(kCuda),
         static_cast<const float*>(in), n, static_cast<float*>(out));
  return out.values();
}

using Run = std::function<std::vector<float>(bool right)>;

/// run_on_numbers() with a correct kernel or a wrong one.
inline Run on_numbers(void (*right)(const float*, int, float*), void (*wrong)(const float*, int, float*), int n,
                      int blocks, int threads, size_t results, size_t shared_bytes = 0) {
  return [=](bool is_right) {
    return run_on_numbers(is_right ? right : wrong, n, blocks, threads, results, shared_bytes);
  };
}

template <bool kRight>
__global__ void tree_sum_kernel(const float* x, int n, float* out) {
  ORDO_DYNAMIC_SHARED(float, part);
  const unsigned t = threadIdx.x;
  const int64_t i = thread_index();
  part[t] = i < n ? x[i] : 0.f;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half; half /= 2) {
    if (t < half) part[t] += part[t + half];
    if constexpr (kRight)
      __syncthreads();
    else
      __threadfence_block();  // orders this thread's accesses, and no thread
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

template <bool kRight>
__global__ void warp_sum_kernel(const float* x, int n, float* out) {
  ORDO_SHARED(float, part, [64]);
  const unsigned t = threadIdx.x;
  part[t] = int(t) < n ? x[t] : 0.f;
  part[t + 32] = 0;
  for (unsigned d = 16; d > 0; d /= 2) {
    if constexpr (kRight) __syncwarp();
    const float v = part[t] + part[t + d];
    if constexpr (kRight)
      __syncwarp();
    else
      __threadfence_block();
    part[t] = v;
  }
  if (t == 0) *out = part[0];
}

// A shuffle makes lanes meet, and orders no memory.
template <bool kRight>
__global__ void warp_exchange_kernel(const float* x, int, float* out) {
  ORDO_SHARED(float, part, [32]);
  const int lane = int(threadIdx.x);
  part[lane] = x[lane];
  if constexpr (kRight) {
    __syncwarp();
    out[lane] = part[__shfl_sync(~0u, 31, 0) - lane];
  } else {
    const float early = part[31 - lane];
    out[lane] = __shfl_sync(~0u, 31, 0) == 31 ? part[31 - lane] + early - early : 0.f;
  }
}

template <bool kRight>
__global__ void rounds_kernel(const float* x, int, float* out) {
  ORDO_SHARED(float, value);
  float sum = 0;
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x == 0) value = x[round];
    __syncthreads();
    sum += value * float(round + 1);
    if constexpr (kRight) __syncthreads();  // before the next round writes
  }
  out[threadIdx.x] = sum;
}

template <bool kRight>
__global__ void count_kernel(const float*, int n, float* out) {
  const int64_t i = thread_index();
  if (i >= n) return;
  if constexpr (kRight)
    atomicAdd(&out[i % 13], 1.f);  // ones add up in any order
  else
    out[i % 13] += 1.f;
}

template <bool kRight>
__global__ void running_total_kernel(const float*, int n, float* out) {
  const int64_t i = thread_index();
  if (i >= n) return;
  const float before = kRight ? atomicAdd(out, 0.f) : *out;
  if (before < 1e9f) atomicAdd(out, 1.f);
}

enum class Fault { none, no_fence, block_fence, no_barrier };

/// Sums per block; the block that finishes last adds the sums of all, in order. out[0]: the total; then the counter and
/// the sums of the blocks.
template <Fault kFault>
__global__ void last_block_kernel(const float* x, int n, float* out) {
  ORDO_SHARED(int, last);
  float* sums = out + 2;
  unsigned* done = reinterpret_cast<unsigned*>(out + 1);
  if (threadIdx.x == 0) {
    float v = 0;
    for (int i = int(blockIdx.x); i < n; i += int(gridDim.x)) v += x[i];
    sums[blockIdx.x] = v;
    if constexpr (kFault == Fault::block_fence)
      __threadfence_block();
    else if constexpr (kFault != Fault::no_fence)
      __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
    if constexpr (kFault == Fault::block_fence)
      __threadfence_block();
    else if constexpr (kFault != Fault::no_fence)
      __threadfence();
  }
  __syncthreads();
  if (!last) return;
  if constexpr (kFault == Fault::no_barrier) {  // the other threads write while thread 0 adds
    if (threadIdx.x > 0 && threadIdx.x < gridDim.x) sums[threadIdx.x] *= 2;
  }
  if (threadIdx.x == 0) {
    float v = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) {
      v += sums[b];
      if constexpr (kFault == Fault::no_barrier) __threadfence();
    }
    out[0] = v;
    *done = 0;
  }
}
/// The total.
template <Fault kFault>
std::vector<float> run_last_block_kernel(bool right) {
  auto all = run_on_numbers(right ? last_block_kernel<Fault::none> : last_block_kernel<kFault>, 700, 16, 32, 18);
  return {all[0]};
}

/// Block 0 sends a number to block 1; the wrong one looks at the flag that it should set.
template <bool kRight>
__global__ void message_kernel(const float* x, int, float* out) {
  volatile unsigned* sent = reinterpret_cast<unsigned*>(out + 2);
  if (blockIdx.x == 0) {
    out[1] = x[0];
    __threadfence();
    if (kRight)
      *sent = 1;
    else
      (void)*sent;
  } else {
    const bool there = *sent != 0 || !kRight;
    __threadfence();
    out[0] = there ? out[1] : x[0];
  }
}
inline std::vector<float> run_message(bool right) {
  return {run_on_numbers(right ? message_kernel<true> : message_kernel<false>, 1, 2, 1, 3)[0]};
}

template <bool kRight>
__global__ void divergent_barrier_kernel(const float* x, int, float* out) {
  out[threadIdx.x] = x[threadIdx.x];
  if (kRight || threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
}

template <bool kRight>
__global__ void barrier_after_return_kernel(const float* x, int, float* out) {
  if (!kRight && threadIdx.x == 5) return;
  __syncthreads();
  if (threadIdx.x != 5) out[threadIdx.x] = x[threadIdx.x];
}

template <bool kRight>
__global__ void shuffle_in_branch_kernel(const float* x, int, float* out) {
  if (threadIdx.x % 32 < 16) out[threadIdx.x] = __shfl_xor_sync(kRight ? 0x0000ffffu : ~0u, x[threadIdx.x], 1);
  __syncthreads();
}

template <bool kRight>
__global__ void wrong_mask_kernel(const float* x, int, float* out) {
  __syncwarp(kRight || threadIdx.x < 16 ? ~0u : 0x0000ffffu);
  out[threadIdx.x] = x[threadIdx.x];
}

/// The first block waits for the last one, of more blocks than are ever in flight together.
template <bool kRight>
__global__ void wait_for_later_block_kernel(const float*, int, float* out) {
  unsigned* flag = reinterpret_cast<unsigned*>(out);
  if (!kRight && blockIdx.x < gridDim.x - 1)
    while (atomicAdd(flag, 0u) == 0) __nanosleep(10);
  if (blockIdx.x == gridDim.x - 1) atomicExch(flag, 1u);
}

template <bool kRight>
__global__ void unwritten_shared_kernel(const float* x, int, float* out) {
  ORDO_SHARED(float, value, [32]);
  if (kRight || threadIdx.x != 7) value[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = value[31 - threadIdx.x];
}

template <bool kRight>
__global__ void beyond_shared_kernel(const float* x, int, float* out) {
  ORDO_SHARED(float, value, [32]);
  value[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = *(value + threadIdx.x + (kRight ? 0 : 1));
}

template <bool kRight>
__global__ void beyond_dynamic_shared_kernel(const float* x, int, float* out) {
  ORDO_DYNAMIC_SHARED(float, value);
  value[threadIdx.x] = x[threadIdx.x];
  if (!kRight && threadIdx.x == 0) value[32] = 1;
  __syncthreads();
  out[threadIdx.x] = value[31 - threadIdx.x];
}

template <bool kRight>
__global__ void beyond_global_kernel(const float* x, int, float* out) {
  out[threadIdx.x] = x[threadIdx.x + (kRight ? 0 : 1)];
}

__global__ inline void copy_kernel(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
inline std::vector<float> run_freed_memory(bool right) {
  const DeviceArray<float> out(size_t(32));
  const float* stale = nullptr;
  {
    const DeviceArray<float> in(mixed_floats(32));
    stale = in;
    if (right) launch(copy_kernel, dim3(1), dim3(32), 0, current_stream(kCuda), stale, static_cast<float*>(out));
  }
  if (!right) launch(copy_kernel, dim3(1), dim3(32), 0, current_stream(kCuda), stale, static_cast<float*>(out));
  return out.values();
}

inline std::vector<float> run_host_memory(bool right) {
  const std::vector<float> on_host = mixed_floats(32);
  const DeviceArray<float> in(on_host), out(size_t(32));
  launch(copy_kernel, dim3(1), dim3(32), 0, current_stream(kCuda), right ? in : on_host.data(),
         static_cast<float*>(out));
  return out.values();
}

/// Sums of runs of 1000 values: by CUB, whose association depends on timing, or by a thread each.
__global__ inline void sums_of_runs_kernel(const float* x, float* sums) {
  float sum = 0;
  for (int i = 0; i < 1000; ++i) sum += x[threadIdx.x * 1000 + unsigned(i)];
  sums[threadIdx.x] = sum;
}
inline std::vector<float> run_sums_of_runs(bool right) {
  const std::vector<float> values = mixed_floats(3000);
  if (!right) return reduced_by_key(values, 1000);
  const DeviceArray<float> in(values), sums(size_t(3));
  launch(sums_of_runs_kernel, dim3(1), dim3(3), 0, current_stream(kCuda), in, sums);
  return sums.values();
}

/// A thread per block adds every gridDim.x-th value; the host adds the sums of the blocks.
__global__ inline void block_sums_kernel(const float* x, int n, float* sums) {
  float sum = 0;
  for (int i = int(blockIdx.x); i < n; i += int(gridDim.x)) sum += x[i];
  sums[blockIdx.x] = sum;
}
inline std::vector<float> run_block_sums(bool right) {
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
  const int blocks = right ? 16 : multiprocessors;
  float sum = 0;
  for (float v : run_on_numbers(block_sums_kernel, 700, blocks, 1, size_t(blocks))) sum += v;
  return {sum};
}

}  // namespace ordo::test
