// CUDA's rows for softmax.loops.h, the counterpart of loops_cpu.h. Internal.
#pragma once

#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/softmax/softmax.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

#define ORDO_LOOPS_DEVICE cuda

namespace ordo::kernels::cuda {

/// The sum of f(0..n) by rule 2; the warp's lanes take part alike, and all get the result.
template <class A, class F>
__device__ A warp_sum(int64_t n, int lane, const F& f) {
  OrderedSum<A> blocks;  // lane 0's counts
  for (int64_t begin = 0; begin < n; begin += kReduceBlock) {
    const int64_t end = n < begin + kReduceBlock ? n : begin + kReduceBlock;
    blocks.push(halve<Addition<A>>(fold_lane<Addition<A>>(begin + lane, end, f)));
  }
  return __shfl_sync(0xffffffffu, blocks.result(), 0);
}

/// A warp for a row.
template <class P>
__global__ void softmax_kernel(P p, SoftmaxShape s) {
  using A = typename P::A;
  using Max = Extremum<A, true>;
  const int lane = int(threadIdx.x) % 32;
  const int64_t rows = s.outer * s.inner, warps = ordo::cuda::thread_count() / 32;
  ORDO_NO_UNROLL
  for (int64_t row = ordo::cuda::thread_index() / 32; row < rows; row += warps) {
    const int64_t base = row / s.inner * s.length * s.inner + row % s.inner;
    A max(0);
    if constexpr (P::kShifted)
      max = __shfl_sync(
          0xffffffffu,
          halve<Max>(fold_lane<Max>(lane, s.length, [&](int64_t i) { return p.first(base + i * s.inner); })), 0);
    const auto term = [&](int64_t i) { return p.term(p.first(base + i * s.inner), base + i * s.inner, max); };
    const A finished = p.finish(warp_sum<A>(s.length, lane, term));
    for (int64_t i = lane; i < s.length; i += 32) {
      const int64_t at = base + i * s.inner;
      p.out[at] = p.result(p.first(at), at, max, term(i), finished);
    }
  }
}

template <class P>
void softmax_rows(const P& p, const SoftmaxShape& s, Device device) {
  const ordo::cuda::DeviceScope scope(device);
  ordo::cuda::launch(softmax_kernel<P>, ordo::cuda::grid_for(s.outer * s.inner, 4), dim3(128), 0,
                     ordo::cuda::current_stream(device), p, s);
}

}  // namespace ordo::kernels::cuda
