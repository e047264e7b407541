// The algorithm `exact` of the accumulate engine on CUDA. Internal to accumulate_cuda.cuh.
//
// A pass over the values finds the exponents that there are, so that the windows (exact.h) fit them; then a pass over
// the items adds to the windows by integer atomicAdd, which gives the same bits in any order. A warp adds up what its
// lanes have for one place first; a block may, in shared memory: where there are few elements, or after values have
// been brought together by ranges of elements (exact_plan.h). The number of windows that are used, of ordinary values
// one or two, is known on the device only: memory is taken for all that there could be, and only what is used is
// touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact.h>
#include <ordo/kernels/accumulate/exact/exact_plan.h>
#include <ordo/kernels/accumulate/exact/ranges_cuda.cuh>
#include <ordo/kernels/accumulate/shared/merge_cuda.cuh>

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
  /// Adds what the lanes of a warp have seen to what all have. All of them take part.
  __device__ void add_to(ExactExponents* all) {
    const int lane = int(threadIdx.x) % 32;
    for (int distance = 16; distance > 0; distance /= 2) add(from_lane(lane ^ distance));
    if (lane != 0) return;
    atomicMax(&all->top, top);
    atomicMax(&all->bottom, bottom);
    atomicMax(&all->not_finite, not_finite);
  }

 private:
  __device__ ExactExponents from_lane(int lane) const {
    return {__shfl_sync(kAllLanes, top, lane), __shfl_sync(kAllLanes, bottom, lane),
            __shfl_sync(kAllLanes, not_finite, lane)};
  }
  __device__ void add(const ExactExponents& other) {
    top = larger(top, other.top);
    bottom = larger(bottom, other.bottom);
    not_finite = larger(not_finite, other.not_finite);
  }
};

/// The sums of `count` elements: windows lie one after the other.
struct ExactSums {
  const ExactExponents* exponents;  // of all values
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

/// The exponents of all values. Where there are `ranges`, every value goes into one, with its
/// element; a value of an item that is skipped goes as a zero, which adds nothing anywhere.
template <bool kRanges, class Items>
__global__ void accumulate_exact_exponents_kernel(Items items, AccumulateShape shape, RangeEntries ranges,
                                                  ExactExponents* exponents) {
  constexpr bool kDestinations = kRanges || !requires { Items::kSkippedHaveValues; };
  ExactExponents seen;
  const int64_t total = items.count * shape.columns();
  ORDO_NO_UNROLL
  for (int64_t t = ordo::cuda::thread_index(); t < total; t += ordo::cuda::thread_count()) {
    const ExactPlace at(t, items.count, shape);
    int64_t d = 0;
    if constexpr (kDestinations) d = items.destination(at.item);
    const float value = d < 0 ? 0 : float(item_value(items, shape, at.item, at.outer, at.inner));
    seen.see(value);
    if constexpr (kRanges) {
      ranges.elements[t] = d < 0 ? 0 : uint32_t(shape.offset(d, at.outer, at.inner));
      ranges.values[t] = value;
    }
  }
  seen.add_to(exponents);
}

/// Clears the windows that will be used; and adds their sums to the output, rounding once. In exact.cu, because neither
/// asks for items.
void exact_begin(const ExactSums& sums, cudaStream_t stream);
template <class T>
void exact_finish(T* output, const ExactSums& sums, cudaStream_t stream);

/// The sums of a block's own in shared memory, of the highest window and the elements [base, base + count). In halves:
/// there is no addition of 64 bits in shared memory, only a loop that compares and swaps.
struct ExactBlockSums {
  unsigned* halves = nullptr;
  int64_t base = 0, count = 0;

  /// Whether they have a sum for this place among the global ones.
  __device__ bool hold(int64_t place) const { return place - base >= 0 && place - base < count; }
  __device__ void add(int64_t place, uint64_t addend) const {
    unsigned* const low = halves + (place - base);
    const unsigned low_addend = unsigned(addend);
    const unsigned carry = atomicAdd(low, low_addend) + low_addend < low_addend;
    const unsigned high_addend = unsigned(addend >> 32) + carry;
    if (high_addend != 0) atomicAdd(low + count, high_addend);
  }
  /// These are for all threads of the block, with a barrier between what they do and what others have done.
  __device__ void clear() const {
    ORDO_NO_UNROLL
    for (int64_t c = threadIdx.x; c < 2 * count; c += blockDim.x) halves[c] = 0;
    __syncthreads();
  }
  __device__ void add_to(const ExactSums& sums) const {
    __syncthreads();
    ORDO_NO_UNROLL
    for (int64_t c = threadIdx.x; c < count; c += blockDim.x) {
      const uint64_t sum = uint64_t(halves[count + c]) << 32 | halves[c];
      if (sum != 0) atomicAdd(sums.sums + base + c, static_cast<unsigned long long>(sum));
    }
  }
};

/// Adds values to the windows.
class ExactAdder {
 public:
  __device__ explicit ExactAdder(const ExactSums& sums)
      : sums_(sums), used_(sums), top_(used_.windows.base(used_.highest)) {}
  /// A value for an element; for none where that is negative. What the lanes of a warp have for one place meets before
  /// it is added there. All of them take part.
  __device__ void operator()(int64_t element, float value, const ExactBlockSums& own) const {
    Pack<uint64_t, 1> part;
    int64_t place = kNowhere;
    const int exponent = exact_exponent(value);
    if (element < 0 || value == 0) {
    } else if (exponent == kExactNotFinite) {
      part.v[0] = uint64_t(exact_not_finite(value));
      place = used_.infinity_slot() * sums_.count + element;
    } else {
      const int w = exponent >= top_ ? used_.highest : used_.windows.of(exponent);
      part.v[0] = uint64_t(exact_addend(value, used_.windows.base(w)));
      place = used_.slot(w) * sums_.count + element;
    }
    if (!merge_lanes(place, part) || part.v[0] == 0) return;
    if (own.hold(place))
      own.add(place, part.v[0]);
    else
      atomicAdd(sums_.sums + place, static_cast<unsigned long long>(part.v[0]));
  }

 private:
  const ExactSums& sums_;
  ExactWindowsUsed used_;
  int top_;
};

/// Calls add(t) for first <= t < last, shared out among `threads` of which this one is `thread`, and add(-1) for as
/// long as other lanes of its warp are called with more.
template <class Add>
__device__ void by_whole_warps(int64_t first, int64_t last, int64_t thread, int64_t threads, const Add& add) {
  const int64_t end = first + (last - first + 31) / 32 * 32;
  ORDO_NO_UNROLL
  for (int64_t t = first + thread; t < end; t += threads) add(t < last ? t : -1);
}

/// All values, columns fastest.
template <class Items>
__device__ void add_items(const Items& items, const AccumulateShape& shape, const ExactSums& sums,
                          const ExactBlockSums& own) {
  const ExactAdder add(sums);
  by_whole_warps(0, items.count * shape.columns(), ordo::cuda::thread_index(), ordo::cuda::thread_count(),
                 [&](int64_t t) {
                   const ExactPlace at(t, items.count, shape);
                   const int64_t d = t < 0 ? -1 : items.destination(at.item);
                   const float value = d < 0 ? 0 : float(item_value(items, shape, at.item, at.outer, at.inner));
                   add(d < 0 ? kNowhere : shape.offset(d, at.outer, at.inner), value, own);
                 });
}

template <class Items>
__global__ void accumulate_exact_kernel(Items items, AccumulateShape shape, ExactSums sums) {
  add_items(items, shape, sums, ExactBlockSums{});
}

/// The same with sums of the block's own for all elements.
template <class Items>
__global__ void accumulate_exact_block_sums_kernel(Items items, AccumulateShape shape, ExactSums sums) {
  ORDO_DYNAMIC_SHARED(unsigned, halves);
  const ExactBlockSums own{halves, 0, sums.count};
  own.clear();
  add_items(items, shape, sums, own);
  own.add_to(sums);
}

/// Adds values that have been sorted by range, `per_block` of them by a block. In ranges.cu.
void add_ranges(const RangeEntries& ranges, int64_t total, const ExactSums& sums, int64_t per_block,
                cudaStream_t stream);

/// Launches blocks of `per_block` values each and `count` sums in shared memory.
template <class... P, class... A>
void launch_blocks(void (*kernel)(P...), int64_t values, int64_t per_block, int64_t count, cudaStream_t stream,
                   A... arguments) {
  const int block = ordo::cuda::launch_tuning().block;
  ordo::cuda::launch(kernel, ordo::cuda::grid_for((values + per_block - 1) / per_block * block, block),
                     dim3(unsigned(block)), size_t(count) * sizeof(int64_t), stream, arguments...);
}

template <class Items>
void accumulate_exact(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                      const ExactPlan& plan, Device device, cudaStream_t stream) {
  const int64_t count = shape.destinations * shape.columns(), values = items.count * shape.columns();
  const Scratch<ExactExponents> exponents(1, device);
  const Scratch<unsigned long long> memory((exact_windows(kExactNotFinite - 1, items.count).infinities() + 1) * count,
                                           device);
  const ExactSums sums{exponents.data(), memory.data(), count, items.count};

  ordo::cuda::check(cudaMemsetAsync(exponents.data(), 0, sizeof(ExactExponents), stream), "cudaMemsetAsync");
  const auto begin = [&]<bool kRanges>(std::bool_constant<kRanges>, const RangeEntries& ranges) {
    // Many values to a thread: all warps meet at the exponents, which lie in one sector.
    ordo::cuda::launch_over(accumulate_exact_exponents_kernel<kRanges, Items>, (values + 15) / 16, stream, items, shape,
                            ranges, exponents.data());
    exact_begin(sums, stream);
  };
  if (plan.form == ExactForm::ranges) {
    RangeBuilder builder(values, device);
    begin(std::true_type(), builder.entries());
    builder.sort(count, stream);
    add_ranges(builder.entries(), values, sums, plan.per_block, stream);
  } else {
    begin(std::false_type(), RangeEntries{});
    if (plan.form == ExactForm::block_sums)
      launch_blocks(accumulate_exact_block_sums_kernel<Items>, values, plan.per_block, count, stream, items, shape,
                    sums);
    else
      ordo::cuda::launch_over(accumulate_exact_kernel<Items>, values, stream, items, shape, sums);
  }
  exact_finish(output, sums, stream);
}

}  // namespace ordo::kernels::cuda
