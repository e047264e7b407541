// Warps that have a row together, on CUDA. Internal.
#pragma once

#include <algorithm>

#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

/// The warps of a row: one where a row is short, else all of the block, which take blocks of rule 2 in turn.
class RowTeam {
 public:
  static constexpr int kMost = 8;

  __device__ explicit RowTeam(int warps) : warps_(warps), warp_(int(threadIdx.x) / 32 % warps) {}

  /// Among the threads of the row, and how many they are.
  __device__ int thread() const { return warp_ * 32 + lane(); }
  __device__ int threads() const { return warps_ * 32; }
  /// The first row of this team, and how far it is to the next.
  __device__ int64_t first_row() const { return ordo::cuda::thread_index() / threads(); }
  __device__ int64_t teams() const { return ordo::cuda::thread_count() / threads(); }
  /// Until all threads of the team are here.
  __device__ void wait() const { warps_ == 1 ? __syncwarp() : __syncthreads(); }

  /// The extremum f(0..n) by Extremum R, for all threads.
  template <class R, class F>
  __device__ typename R::State extremum(int64_t n, const F& f) const {
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
  __device__ int lane() const { return int(threadIdx.x) % 32; }

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

/// Starts a kernel whose first argument is the number of warps of a RowTeam: for rows of that length.
template <class... P>
void launch_teams(void (*kernel)(int, P...), int64_t rows, int64_t length, Device device,
                  std::type_identity_t<P>... args) {
  const ordo::cuda::DeviceScope scope(device);
  const int64_t blocks = (length + kReduceBlock - 1) / kReduceBlock;
  const int warps = int(std::clamp<int64_t>(blocks, 1, RowTeam::kMost)), rows_of_block = warps == 1 ? 4 : 1;
  ordo::cuda::launch(kernel, ordo::cuda::grid_for(rows, rows_of_block), dim3(unsigned(rows_of_block * warps * 32)), 0,
                     ordo::cuda::current_stream(device), warps, args...);
}

}  // namespace ordo::kernels::cuda
