// Rule 2 of docs/ordering.md on CUDA: a warp per block of one output, lane by lane as the rule says, or, where
// neighbouring outputs are neighbours in memory, 32 outputs side by side. A second kernel folds the blocks of an
// output.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo::kernels::cuda {

/// `v` of the lane `delta` above; any trivially copyable type.
template <class S>
__device__ inline S shuffle_down(const S& v, int delta) {
  constexpr int kWords = int((sizeof(S) + 3) / 4);
  unsigned words[kWords] = {};
  memcpy(words, &v, sizeof(S));
  for (int w = 0; w < kWords; ++w) words[w] = __shfl_down_sync(0xffffffffu, words[w], delta);
  S result;
  memcpy(&result, words, sizeof(S));
  return result;
}

/// The lanes of a warp, halved; the result is lane 0's.
template <class R>
__device__ inline typename R::State halve(typename R::State s) {
  for (int half = 16; half > 0; half /= 2) s = R::combine(s, shuffle_down(s, half));
  return s;
}
/// The first `width` lanes, a power of two, halved, and every `width` lanes that follow. All lanes of the warp call it.
template <class R>
__device__ inline typename R::State halve(typename R::State s, int width) {
  ORDO_NO_UNROLL
  for (int half = width / 2; half > 0; half /= 2) s = R::combine(s, shuffle_down(s, half));
  return s;
}

/// How many loads of a lane are in flight where values lie evenly: enough to wait for memory once, or R::kLoadsAhead
/// where a load computes so much that copies of it cost more than they save.
template <class R>
inline constexpr int kLoadsAhead = 8;
template <class R>
requires requires { R::kLoadsAhead; }
inline constexpr int kLoadsAhead<R> = R::kLoadsAhead;
/// And where each has to be located.
template <class R>
inline constexpr int kLocatedAhead = std::min(4, kLoadsAhead<R>);

/// One lane: folds load(i), load(i + 32), ... below `end`.
template <class R, int kAhead = kLoadsAhead<R>, class Load>
__device__ inline typename R::State fold_lane(int64_t i, int64_t end, const Load& load) {
  using State = typename R::State;
  State s = R::identity();
  if constexpr (kAhead > 1) {
    ORDO_NO_UNROLL
    for (; i + (kAhead - 1) * kReduceLanes < end; i += kAhead * kReduceLanes) {
      State v[kAhead];
      for (int k = 0; k < kAhead; ++k) v[k] = load(i + k * kReduceLanes);
      for (int k = 0; k < kAhead; ++k) s = R::combine(s, v[k]);
    }
  }
  ORDO_NO_UNROLL
  for (; i < end; i += kReduceLanes) s = R::combine(s, load(i));
  return s;
}

/// The fold of an output whose values begin at `base`.
template <class R>
__device__ inline typename R::State fold_values(const R& r, const ReduceShape& g, int64_t base, int64_t i, int64_t end,
                                                int64_t output) {
  if (kOneLine<R> || g.reduced == 1) {
    const int64_t stride = kOneLine<R> ? 1 : g.reduced_strides[0];
    return fold_lane<R>(i, end, [&](int64_t j) { return r.load(base + j * stride, j, output); });
  }
  return fold_lane<R, kLocatedAhead<R>>(i, end, [&](int64_t j) { return r.load(base + g.offset(j), j, output); });
}

/// A warp takes as many blocks at a time as it has `width` lanes: 1, 2, 4, ... lanes where no block has more values.
template <class R>
__global__ void reduce_inner_kernel(R r, ReduceShape g, Divisor blocks, int width, typename R::State* partial) {
  using State = typename R::State;
  const int lane = int(threadIdx.x) % width;
  const int64_t step = ordo::cuda::thread_count() / width, items = g.outputs * blocks.value;
  // Lanes beyond the last item go on with their warp.
  const int64_t last = (items + 32 / width - 1) / (32 / width) * (32 / width);
  ORDO_NO_UNROLL
  for (int64_t item = ordo::cuda::thread_index() / width; item < last; item += step) {
    const bool active = item < items;
    const int64_t o = active ? blocks.quotient(item) : 0, b = active ? item - o * blocks.value : 0;
    const int64_t begin = b * kReduceBlock, length = active ? g.length : 0;
    const int64_t end = length < begin + kReduceBlock ? length : begin + kReduceBlock;
    const State own = fold_values(r, g, g.base(o), begin + lane, end, o);
    const State s = width == kReduceLanes ? halve<R>(own) : halve<R>(own, width);
    if (active && lane == 0) {
      if (blocks.value > 1)
        partial[item] = s;
      else
        r.store(o, g.length ? s : R::empty());
    }
  }
}

inline constexpr int kAcrossRows = 8;  // of 32 threads each

template <class R>
__global__ void reduce_across_kernel(R r, ReduceShape g, Divisor blocks, Divisor tiles, typename R::State* partial) {
  using State = typename R::State;
  ORDO_SHARED(State, tile, [kReduceLanes][32]);
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  const int64_t row = g.kept_inner_size(), items = g.outputs / row * tiles.value * blocks.value;
  ORDO_NO_UNROLL
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const int64_t tile_index = blocks.quotient(item), b = item - tile_index * blocks.value;
    const int64_t of_row = tiles.quotient(tile_index), t = tile_index - of_row * tiles.value;
    const int64_t o = of_row * row + t * 32 + x;
    const bool active = t * 32 + x < row;
    const int64_t begin = b * kReduceBlock, end = g.length < begin + kReduceBlock ? g.length : begin + kReduceBlock;
    const int64_t base = active ? g.base(o) : 0;
    ORDO_NO_UNROLL
    for (int lane = y; lane < kReduceLanes; lane += kAcrossRows)
      tile[lane][x] = active ? fold_values(r, g, base, begin + lane, end, o) : R::identity();
    __syncthreads();
    ORDO_NO_UNROLL
    for (int half = kReduceLanes / 2; half > 0; half /= 2) {
      ORDO_NO_UNROLL
      for (int lane = y; lane < half; lane += kAcrossRows)
        tile[lane][x] = R::combine(tile[lane][x], tile[lane + half][x]);
      __syncthreads();
    }
    if (y == 0 && active) {
      if (blocks.value > 1)
        partial[o * blocks.value + b] = tile[0][x];
      else
        r.store(o, tile[0][x]);
    }
    __syncthreads();
  }
}

/// Rule 1 over the block results: a thread folds one group of 64, in place.
template <class R>
__global__ void fold_blocks_kernel(int64_t outputs, Divisor groups, int64_t count, int64_t step, int64_t blocks,
                                   typename R::State* partial) {
  ORDO_NO_UNROLL
  for (int64_t item = ordo::cuda::thread_index(); item < outputs * groups.value; item += ordo::cuda::thread_count()) {
    const int64_t o = groups.quotient(item), begin = (item - o * groups.value) * kOrderedGroup;
    const int64_t end = begin + kOrderedGroup < count ? begin + kOrderedGroup : count;
    typename R::State* v = partial + o * blocks;
    typename R::State s = v[begin * step];
    for (int64_t i = begin + 1; i < end; ++i) s = R::combine(s, v[i * step]);
    v[begin * step] = s;
  }
}

template <class R>
__global__ void store_blocks_kernel(R r, int64_t outputs, int64_t count, int64_t step, int64_t blocks,
                                    const typename R::State* partial) {
  ORDO_NO_UNROLL
  for (int64_t o = ordo::cuda::thread_index(); o < outputs; o += ordo::cuda::thread_count()) {
    const typename R::State* v = partial + o * blocks;
    typename R::State s = v[0];
    for (int64_t i = 1; i < count; ++i) s = R::combine(s, v[i * step]);
    r.store(o, s);
  }
}

template <class R>
struct FoldOf {
  using type = R;
};
template <class R>
requires requires { typename R::Fold; }
struct FoldOf<R> {
  using type = typename R::Fold;
};

template <class R>
void reduce(const R& r, const ReduceShape& g, Device device) {
  using State = typename R::State;
  if (g.outputs == 0) return;
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  const int64_t blocks = g.blocks();
  Scratch<State> partial(blocks > 1 ? g.outputs * blocks : 0, device);
  const auto along = [&] {
    const int width = int(std::bit_ceil(uint64_t(std::clamp<int64_t>(g.length, 1, kReduceLanes))));
    const int64_t threads = g.outputs * blocks * width;
    const int block = threads < 128 ? 32 : 128;
    ordo::cuda::launch(reduce_inner_kernel<R>, ordo::cuda::grid_for(threads, block), dim3(unsigned(block)), 0, stream,
                       r, g, Divisor(blocks), width, partial.data());
  };
  if constexpr (kOneLine<R>) {
    along();
  } else if (g.across_outputs()) {
    const int64_t row = g.kept_inner_size(), tiles = (row + 31) / 32, items = g.outputs / row * tiles * blocks;
    ordo::cuda::launch(reduce_across_kernel<R>, ordo::cuda::grid_for(items, 1), dim3(32, kAcrossRows), 0, stream, r, g,
                       Divisor(blocks), Divisor(tiles), partial.data());
  } else {
    along();
  }
  if (blocks == 1) return;
  // Levels of rule 1 in place: after k of them, results lie 64^k apart. The last level and the store are one kernel.
  int64_t count = blocks, step = 1;
  while (count > kOrderedGroup) {
    const int64_t groups = (count + kOrderedGroup - 1) / kOrderedGroup;
    ordo::cuda::launch(fold_blocks_kernel<typename FoldOf<R>::type>, ordo::cuda::grid_for(g.outputs * groups, 64),
                       dim3(64), 0, stream, g.outputs, Divisor(groups), count, step, blocks, partial.data());
    count = groups;
    step *= kOrderedGroup;
  }
  ordo::cuda::launch(store_blocks_kernel<R>, ordo::cuda::grid_for(g.outputs, 64), dim3(64), 0, stream, r, g.outputs,
                     count, step, blocks, partial.data());
}

}  // namespace ordo::kernels::cuda
