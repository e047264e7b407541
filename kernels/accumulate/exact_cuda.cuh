// The algorithm `exact` of the accumulate engine on CUDA. Internal to accumulate_cuda.cuh.
//
// Two passes over the items: the largest magnitude of every element of the output, by integer atomicMax; then the sums
// of the addends, by integer atomicAdd. Both give the same bits in any order, so a warp adds up what its lanes have for
// one element first, and where there are few elements a block does, in shared memory. 12 bytes of scratch per element
// of the output, none per item.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact.h>
#include <ordo/kernels/accumulate/atomic_merge_cuda.cuh>

namespace ordo::kernels::cuda {

/// What meets at the elements of the output, cell c belonging to element c.
struct ExactCells {
  uint32_t* magnitudes;
  unsigned long long* sums;  // of two's complements
  int headroom;
};

/// The pass that looks for magnitudes, and the pass that adds.
enum class ExactPass : unsigned char { magnitudes, sums };

template <class T>
__global__ void accumulate_exact_begin_kernel(const T* output, ExactCells cells, int64_t count) {
  for (int64_t c = ordo::cuda::thread_index(); c < count; c += ordo::cuda::thread_count()) {
    cells.magnitudes[c] = exact_magnitude(float(output[c]));
    cells.sums[c] = 0;
  }
}

template <class T>
__global__ void accumulate_exact_finish_kernel(T* output, ExactCells cells, int64_t count) {
  for (int64_t c = ordo::cuda::thread_index(); c < count; c += ordo::cuda::thread_count())
    output[c] = exact_result(output[c], cells.magnitudes[c], int64_t(cells.sums[c]), cells.headroom);
}

/// The largest of some magnitudes, for merge_lanes().
struct LargestMagnitude {
  uint32_t v = 0;
  __device__ void add(const LargestMagnitude& other) { v = v < other.v ? other.v : v; }
  __device__ LargestMagnitude from_lane(int lane) const { return {__shfl_sync(kAllLanes, v, lane)}; }
};

/// A pass over all values, columns fastest, by whole warps. What the lanes of a warp have for one cell meets before it
/// is added there.
template <ExactPass kPass, class Items>
__device__ void add_to_cells(const Items& items, const AccumulateShape& shape, const ExactCells& cells) {
  const int64_t per_outer = items.count * shape.inner, total = per_outer * shape.outer;
  const int64_t whole_warps = (total + 31) / 32 * 32;
  for (int64_t t = ordo::cuda::thread_index(); t < whole_warps; t += ordo::cuda::thread_count()) {
    std::conditional_t<kPass == ExactPass::sums, Pack<uint64_t, 1>, LargestMagnitude> part;
    int64_t cell = kNowhere;
    const int64_t o = t / per_outer, item = t % per_outer / shape.inner, j = t % shape.inner;
    const int64_t d = t < total ? items.destination(item) : -1;
    if (d >= 0) {
      cell = shape.offset(d, o, j);
      const float value = float(item_value(items, shape, item, o, j));
      if constexpr (kPass == ExactPass::magnitudes) {
        part.v = exact_magnitude(value);
        // An old magnitude only makes the atomic superfluous less often.
        if (part.v <= *const_cast<const volatile uint32_t*>(cells.magnitudes + cell)) cell = kNowhere;
      } else {
        part.v[0] = uint64_t(exact_addend(value, cells.magnitudes[cell], cells.headroom));
      }
    }
    if (!merge_lanes(cell, part)) continue;
    if constexpr (kPass == ExactPass::magnitudes)
      atomicMax(cells.magnitudes + cell, part.v);
    else if (part.v[0] != 0)
      atomicAdd(cells.sums + cell, static_cast<unsigned long long>(part.v[0]));
  }
}

template <ExactPass kPass, class Items>
__global__ void accumulate_exact_kernel(Items items, AccumulateShape shape, ExactCells cells) {
  add_to_cells<kPass>(items, shape, cells);
}

/// The same with `count` cells of the block's own.
template <ExactPass kPass, class Items>
__global__ void accumulate_exact_private_kernel(Items items, AccumulateShape shape, ExactCells cells, int64_t count) {
  ORDO_DYNAMIC_SHARED(unsigned long long, shared);
  const ExactCells own{reinterpret_cast<uint32_t*>(shared + (kPass == ExactPass::sums ? count : 0)), shared,
                       cells.headroom};
  for (int64_t c = threadIdx.x; c < count; c += blockDim.x) {
    own.magnitudes[c] = kPass == ExactPass::sums ? cells.magnitudes[c] : 0;
    if constexpr (kPass == ExactPass::sums) own.sums[c] = 0;
  }
  __syncthreads();
  add_to_cells<kPass>(items, shape, own);
  __syncthreads();
  for (int64_t c = threadIdx.x; c < count; c += blockDim.x) {
    if constexpr (kPass == ExactPass::magnitudes) {
      if (own.magnitudes[c] > 0) atomicMax(cells.magnitudes + c, own.magnitudes[c]);
    } else {
      if (own.sums[c] != 0) atomicAdd(cells.sums + c, own.sums[c]);
    }
  }
}

template <ExactPass kPass, class Items>
void accumulate_exact_pass(const Items& items, const AccumulateShape& shape, const ExactCells& cells, int64_t count,
                           cudaStream_t stream) {
  constexpr int64_t kPrivateCells = 2048;  // 24 KiB of shared memory
  const int64_t values = items.count * shape.columns();
  // A block of its own cells must add many more values than it has cells to merge.
  const int block = ordo::cuda::launch_tuning().block;
  const int64_t per_block = std::max<int64_t>(16 * block, 16 * count);
  if (count <= kPrivateCells && values >= 2 * per_block) {
    const size_t bytes = size_t(count) * (kPass == ExactPass::sums ? 12 : 4);
    const dim3 grid = ordo::cuda::grid_for((values + per_block - 1) / per_block * block, block);
    ordo::cuda::launch(accumulate_exact_private_kernel<kPass, Items>, grid, dim3(unsigned(block)), bytes, stream, items,
                       shape, cells, count);
  } else {
    ordo::cuda::launch_over(accumulate_exact_kernel<kPass, Items>, values, stream, items, shape, cells);
  }
}

template <class Items>
void accumulate_exact(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                      Device device, cudaStream_t stream) {
  using T = typename Items::value_type;
  const int64_t count = shape.destinations * shape.columns();
  const Scratch<uint32_t> magnitudes(count, device);
  const Scratch<unsigned long long> sums(count, device);
  const ExactCells cells{magnitudes.data(), sums.data(), exact_headroom(items.count)};
  ordo::cuda::launch_over(accumulate_exact_begin_kernel<T>, count, stream, output, cells, count);
  accumulate_exact_pass<ExactPass::magnitudes>(items, shape, cells, count, stream);
  accumulate_exact_pass<ExactPass::sums>(items, shape, cells, count, stream);
  ordo::cuda::launch_over(accumulate_exact_finish_kernel<T>, count, stream, output, cells, count);
}

}  // namespace ordo::kernels::cuda
