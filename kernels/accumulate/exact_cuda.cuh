// The algorithm `exact` of the accumulate engine on CUDA. Internal to accumulate_cuda.cuh.
//
// A pass over the values finds the exponents that there are, so that the windows (exact.h) fit them; then a pass over
// the items adds to the windows by integer atomicAdd, which gives the same bits in any order. A warp adds up what its
// lanes have for one place first, and where there are few elements a block does, in shared memory. The number of
// windows that are used, of ordinary values one or two, is known on the device only: memory is taken for all that there
// could be, and only what is used is touched.
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

__device__ inline unsigned larger(unsigned a, unsigned b) { return a < b ? b : a; }

/// The exponents of values, written so that the larger of two holds for both. Zeros have none.
struct ExactExponents {
  unsigned top = 0;         // of the finite ones
  unsigned bottom = 0;      // 255 - the least of the finite ones
  unsigned not_finite = 0;  // whether there is an infinity or NaN

  __device__ void see(float v) {
    if (v == 0) return;
    const unsigned e = unsigned(exact_exponent(v));
    if (e == unsigned(kExactNotFinite)) {
      not_finite = 1;
    } else {
      top = larger(top, e);
      bottom = larger(bottom, unsigned(kExactNotFinite) - e);
    }
  }
  __device__ void add(const ExactExponents& other) {
    top = larger(top, other.top);
    bottom = larger(bottom, other.bottom);
    not_finite = larger(not_finite, other.not_finite);
  }
  __device__ ExactExponents from_lane(int lane) const {
    return {__shfl_sync(kAllLanes, top, lane), __shfl_sync(kAllLanes, bottom, lane),
            __shfl_sync(kAllLanes, not_finite, lane)};
  }
};

/// The sums of `count` elements: windows lie one after the other.
struct ExactSums {
  const ExactExponents* exponents;  // of all values and the old contents
  unsigned long long* sums;         // of two's complements
  int64_t count, items;
};

/// What a kernel knows of the windows, once it has read the exponents.
struct ExactWindowsUsed {
  ExactWindows windows;
  int lowest, highest;  // of finite values
  bool infinities;

  __device__ explicit ExactWindowsUsed(const ExactSums& s) {
    const ExactExponents e = *s.exponents;
    windows = exact_windows(e.top > 0 ? int(e.top) : 1, s.items);
    highest = windows.of(e.top > 0 ? int(e.top) : 1);
    lowest = e.bottom > 0 ? windows.of(kExactNotFinite - int(e.bottom)) : highest;
    infinities = e.not_finite != 0;
  }
  /// Where window w lies among those that are used. The highest comes first.
  __device__ int64_t slot(int w) const { return highest - w; }
  __device__ int64_t slots() const { return highest - lowest + 1 + infinities; }
  __device__ int64_t infinity_slot() const { return highest - lowest + 1; }
};

/// Value t of all, columns fastest.
struct ExactPlace {
  int64_t item, outer, inner;
  __device__ ExactPlace(int64_t t, int64_t items, const AccumulateShape& shape) : item(t), outer(0), inner(0) {
    if (shape.columns() == 1) return;  // spares the divisions
    outer = t / (items * shape.inner);
    item = t / shape.inner - outer * items;
    inner = t % shape.inner;
  }
};

template <class Items>
__global__ void accumulate_exact_exponents_kernel(Items items, AccumulateShape shape,
                                                  const typename Items::value_type* output, int64_t count,
                                                  ExactExponents* exponents) {
  ExactExponents seen;
  const int64_t total = items.count * shape.columns();
  for (int64_t t = ordo::cuda::thread_index(); t < total; t += ordo::cuda::thread_count()) {
    const ExactPlace at(t, items.count, shape);
    if constexpr (!requires { Items::kSkippedHaveValues; })
      if (items.destination(at.item) < 0) continue;
    seen.see(float(item_value(items, shape, at.item, at.outer, at.inner)));
  }
  for (int64_t c = ordo::cuda::thread_index(); c < count; c += ordo::cuda::thread_count()) seen.see(float(output[c]));
  const int lane = int(threadIdx.x) % 32;
  for (int distance = 16; distance > 0; distance /= 2) seen.add(seen.from_lane(lane ^ distance));
  if (lane != 0) return;
  atomicMax(&exponents->top, seen.top);
  atomicMax(&exponents->bottom, seen.bottom);
  atomicMax(&exponents->not_finite, seen.not_finite);
}

template <class T>
__global__ void accumulate_exact_begin_kernel(ExactSums sums) {
  const int64_t total = ExactWindowsUsed(sums).slots() * sums.count;
  for (int64_t c = ordo::cuda::thread_index(); c < total; c += ordo::cuda::thread_count()) sums.sums[c] = 0;
}

template <class T>
__global__ void accumulate_exact_finish_kernel(T* output, ExactSums sums) {
  const ExactWindowsUsed used(sums);
  for (int64_t c = ordo::cuda::thread_index(); c < sums.count; c += ordo::cuda::thread_count()) {
    const auto sum = [&](int64_t slot) { return int64_t(sums.sums[slot * sums.count + c]); };
    const int64_t counts = used.infinities ? sum(used.infinity_slot()) : 0;
    const T old = output[c];
    if (counts != 0 || exact_exponent(float(old)) == kExactNotFinite) {
      output[c] = exact_not_finite_result(old, counts);
      continue;
    }
    int lowest = used.lowest;  // of this element
    while (lowest < used.highest && sum(used.slot(lowest)) == 0) ++lowest;
    output[c] = exact_result(old, used.windows, lowest, used.highest, [&](int w) { return sum(used.slot(w)); });
  }
}

/// A pass over all values, columns fastest, by whole warps. What the lanes of a warp have for one place meets before it
/// is added there: in `own`, the block's own sums of the highest window, if there are any.
template <class Items>
__device__ void add_to_windows(const Items& items, const AccumulateShape& shape, const ExactSums& sums,
                               unsigned long long* own) {
  const ExactWindowsUsed used(sums);
  const int top = used.windows.base(used.highest);
  const int64_t total = items.count * shape.columns();
  const int64_t whole_warps = (total + 31) / 32 * 32;
  for (int64_t t = ordo::cuda::thread_index(); t < whole_warps; t += ordo::cuda::thread_count()) {
    Pack<uint64_t, 1> part;
    int64_t place = kNowhere;
    const ExactPlace at(t, items.count, shape);
    const int64_t d = t < total ? items.destination(at.item) : -1;
    if (d >= 0) {
      const float value = float(item_value(items, shape, at.item, at.outer, at.inner));
      const int64_t element = shape.offset(d, at.outer, at.inner);
      const int exponent = exact_exponent(value);
      if (exponent == kExactNotFinite) {
        part.v[0] = uint64_t(exact_not_finite(value));
        place = used.infinity_slot() * sums.count + element;
      } else if (value != 0) {
        const int w = exponent >= top ? used.highest : used.windows.of(exponent);
        part.v[0] = uint64_t(exact_addend(value, used.windows.base(w)));
        place = used.slot(w) * sums.count + element;
      }
    }
    if (!merge_lanes(place, part) || part.v[0] == 0) continue;
    atomicAdd(own && place < sums.count ? own + place : sums.sums + place, static_cast<unsigned long long>(part.v[0]));
  }
}

template <class Items>
__global__ void accumulate_exact_kernel(Items items, AccumulateShape shape, ExactSums sums) {
  add_to_windows(items, shape, sums, nullptr);
}

/// The same with sums of the block's own.
template <class Items>
__global__ void accumulate_exact_private_kernel(Items items, AccumulateShape shape, ExactSums sums) {
  ORDO_DYNAMIC_SHARED(unsigned long long, own);
  for (int64_t c = threadIdx.x; c < sums.count; c += blockDim.x) own[c] = 0;
  __syncthreads();
  add_to_windows(items, shape, sums, own);
  __syncthreads();
  for (int64_t c = threadIdx.x; c < sums.count; c += blockDim.x)
    if (own[c] != 0) atomicAdd(sums.sums + c, own[c]);
}

template <class Items>
void accumulate_exact(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                      Device device, cudaStream_t stream) {
  using T = typename Items::value_type;
  constexpr int64_t kPrivateSums = 2048;  // 16 KiB of shared memory
  const int64_t count = shape.destinations * shape.columns(), values = items.count * shape.columns();
  const Scratch<ExactExponents> exponents(1, device);
  const Scratch<unsigned long long> memory((exact_windows(kExactNotFinite - 1, items.count).infinities() + 1) * count,
                                           device);
  const ExactSums sums{exponents.data(), memory.data(), count, items.count};

  ordo::cuda::check(cudaMemsetAsync(exponents.data(), 0, sizeof(ExactExponents), stream), "cudaMemsetAsync");
  ordo::cuda::launch_over(accumulate_exact_exponents_kernel<Items>, std::max(values, count), stream, items, shape,
                          output, count, exponents.data());
  ordo::cuda::launch_over(accumulate_exact_begin_kernel<T>, 2 * count, stream, sums);
  // A block of its own sums must add many more values than it has sums to merge.
  const int block = ordo::cuda::launch_tuning().block;
  const int64_t per_block = std::max<int64_t>(16 * block, 16 * count);
  if (count <= kPrivateSums && values >= 2 * per_block) {
    const dim3 grid = ordo::cuda::grid_for((values + per_block - 1) / per_block * block, block);
    ordo::cuda::launch(accumulate_exact_private_kernel<Items>, grid, dim3(unsigned(block)), size_t(count) * 8, stream,
                       items, shape, sums);
  } else {
    ordo::cuda::launch_over(accumulate_exact_kernel<Items>, values, stream, items, shape, sums);
  }
  ordo::cuda::launch_over(accumulate_exact_finish_kernel<T>, count, stream, output, sums);
}

}  // namespace ordo::kernels::cuda
