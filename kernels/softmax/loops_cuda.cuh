// CUDA's rows for softmax.loops.h, the counterpart of loops_cpu.h. Internal.
#pragma once

#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/softmax/softmax.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

#define ORDO_LOOPS_DEVICE cuda

namespace ordo::kernels::cuda {

/// The warps that have a row: one where a row is short, else all of the block, which take blocks of rule 2 in turn.
class RowTeam {
 public:
  static constexpr int kMost = 8;

  __device__ explicit RowTeam(int warps) : warps_(warps), warp_(int(threadIdx.x) / 32 % warps) {}

  __device__ int lane() const { return int(threadIdx.x) % 32; }
  /// Among the threads of the row, and how many they are.
  __device__ int thread() const { return warp_ * 32 + lane(); }
  __device__ int threads() const { return warps_ * 32; }

  /// The fold of f(0..n) in any order, for all threads.
  template <class R, class F>
  __device__ typename R::State fold(int64_t n, const F& f) const {
    using State = typename R::State;
    State own = R::identity();
    for (int64_t begin = warp_ * kReduceBlock; begin < n; begin += warps_ * kReduceBlock)
      own = R::combine(own, fold_lane<R>(begin + lane(), end_of(begin, n), f));
    own = __shfl_sync(0xffffffffu, halve<R>(own), 0);
    if (warps_ == 1) return own;
    ORDO_SHARED(State, of_warps, [kMost]);
    if (lane() == 0) of_warps[warp_] = own;
    __syncthreads();
    for (int w = 0; w < warps_; ++w) own = R::combine(own, of_warps[w]);
    __syncthreads();
    return own;
  }

  /// The sum of f(0..n) by rule 2, for all threads.
  template <class A, class F>
  __device__ A sum(int64_t n, const F& f) const {
    OrderedSum<A> blocks;  // every lane 0 has it
    for (int64_t begin = 0; begin < n; begin += warps_ * kReduceBlock) {
      const int64_t own = begin + warp_ * kReduceBlock;
      push(blocks, halve<Addition<A>>(fold_lane<Addition<A>>(own + lane(), end_of(own, n), f)),
           (n - begin + kReduceBlock - 1) / kReduceBlock);
    }
    return __shfl_sync(0xffffffffu, blocks.result(), 0);
  }

 private:
  /// The results of `count` blocks, of which every warp has one, or none.
  template <class A>
  __device__ void push(OrderedSum<A>& blocks, A own, int64_t count) const {
    if (warps_ == 1) return blocks.push(own);
    ORDO_SHARED(A, of_warps, [kMost]);
    if (lane() == 0) of_warps[warp_] = own;
    __syncthreads();
    for (int w = 0; w < warps_ && w < count; ++w) blocks.push(of_warps[w]);
    __syncthreads();
  }

  static __device__ int64_t end_of(int64_t begin, int64_t n) {
    return n < begin + kReduceBlock ? n : begin + kReduceBlock;
  }

  int warps_, warp_;
};

template <class P>
__global__ void softmax_kernel(P p, SoftmaxShape s, int warps) {
  using A = typename P::A;
  using Max = Extremum<A, true>;
  const RowTeam team(warps);
  const int64_t rows = s.outer * s.inner, teams = ordo::cuda::thread_count() / team.threads();
  ORDO_NO_UNROLL
  for (int64_t row = ordo::cuda::thread_index() / team.threads(); row < rows; row += teams) {
    const int64_t base = row / s.inner * s.length * s.inner + row % s.inner;
    A max(0);
    if constexpr (P::kShifted)
      max = team.template fold<Max>(s.length, [&](int64_t i) { return p.first(base + i * s.inner); });
    const auto term = [&](int64_t i) { return p.term(p.first(base + i * s.inner), base + i * s.inner, max); };
    const A finished = p.finish(team.template sum<A>(s.length, term));
    for (int64_t i = team.thread(); i < s.length; i += team.threads()) {
      const int64_t at = base + i * s.inner;
      p.out[at] = p.result(p.first(at), at, max, term(i), finished);
    }
  }
}

template <class P>
void softmax_rows(const P& p, const SoftmaxShape& s, Device device) {
  const ordo::cuda::DeviceScope scope(device);
  const bool is_long = s.length > kReduceBlock;
  const int warps = is_long ? int(std::min<int64_t>(RowTeam::kMost, (s.length + kReduceBlock - 1) / kReduceBlock)) : 1;
  const int rows = is_long ? 1 : 4;  // of a block
  ordo::cuda::launch(softmax_kernel<P>, ordo::cuda::grid_for(s.outer * s.inner, rows),
                     dim3(unsigned(rows * warps * 32)), 0, ordo::cuda::current_stream(device), p, s, warps);
}

}  // namespace ordo::kernels::cuda
