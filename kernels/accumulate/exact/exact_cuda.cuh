// The algorithm `exact` of the accumulate engine on CUDA. Internal to accumulate_cuda.cuh.
//
// One pass over the items adds to the levels of their elements (exact_levels.h), by atomics, which return what was
// there before: from that, a thread knows what its addition rounds away. One pass over the elements rounds their sums.
// A warp adds up what its lanes have for one element first; where there are few elements, so does a block, in shared
// memory (exact_plan.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact_levels.h>
#include <ordo/kernels/accumulate/exact/exact_plan.h>
#include <ordo/kernels/accumulate/shared/merge_cuda.cuh>

namespace ordo::kernels::cuda {

/// The levels of the elements first, ..., first + count - 1. Level k of all of them lies in one piece. All begin as
/// zeros. The last one of all levels never rounds, and so has the infinities and NaNs, too.
///
/// Where there are many elements, there is memory for their usual levels only. When these do not suffice, what they
/// have is given up, and all levels of one part of the elements after the other are summed in that memory.
struct ExactSums {
  double* memory;
  double* beyond_usual;  // not zero: a level beyond the usual ones was needed
  int64_t first, count;
  int levels;
  enum class Pass { only, usual, part } pass = Pass::only;
  static constexpr int kUsual = 3;

  __device__ double* level(int k, int64_t element) const { return memory + k * count + (element - first); }
  /// Whether this pass has nothing to do.
  __device__ bool skipped() const { return pass == Pass::part && *beyond_usual == 0; }
  __device__ bool has(int64_t element) const { return element >= first && element < first + count; }
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

/// Adds the sums to the output, rounding once. In exact.cu, because it does not ask for items.
template <class T>
void exact_finish(T* output, const ExactSums& sums, cudaStream_t stream);

/// The first levels of all elements, in shared memory: a block's own.
struct ExactBlockSums {
  double* memory = nullptr;
  int64_t count = 0;
  int levels = 0;

  __device__ double* level(int k, int64_t element) const { return memory + k * count + element; }
};

/// Adds values to levels. Made and destroyed by all threads of a warp together.
class ExactAdder {
 public:
  __device__ explicit ExactAdder(const ExactSums& sums) : sums_(sums) {}
  ExactAdder(const ExactAdder&) = delete;
  ExactAdder& operator=(const ExactAdder&) = delete;
  __device__ ~ExactAdder() {
    const bool news = sums_.pass != ExactSums::Pass::part;  // there it is why the pass is not skipped, and read
    if (__any_sync(kAllLanes, beyond_usual_) && threadIdx.x % 32 == 0 && news)
      *const_cast<volatile double*>(sums_.beyond_usual) = 1;
  }

  /// To level k of an element; what that rounds away to the next one, and so on.
  __device__ void add(int k, int64_t element, double v, const ExactBlockSums& own = {}) {
    ORDO_NO_UNROLL
    for (; v != 0; ++k) {
      double before;
      if (k < own.levels) {
        before = ordo::cuda::fetch_add(own.level(k, element), v);
      } else {
        beyond_usual_ |= k >= ExactSums::kUsual;
        if (k == sums_.levels) return;
        before = ordo::cuda::fetch_add(sums_.level(k, element), v);
        if (k > ExactSums::kUsual && k == sums_.levels - 1) return;  // it may hold an infinity
      }
      v = rounded_away(before, v, before + v);
    }
  }
  /// A value for an element; for none where that is negative. What the lanes of a warp have for one element meets
  /// before it is added there. All of them take part.
  __device__ void operator()(int64_t element, float value, const ExactBlockSums& own) {
    const bool finite = exact_exponent(value) != kExactNotFinite;
    if (element >= 0 && !finite) add_not_finite(element, double(value));
    LaneSum part{this, element, finite ? double(value) : 0};
    if (!merge_lanes(element >= 0 && finite && value != 0 ? element : kNowhere, part)) return;
    add(0, element, part.sum, own);
    add(1, element, part.rounded, own);
  }

 private:
  __device__ void add_not_finite(int64_t element, double v) {
    beyond_usual_ = true;
    if (sums_.levels == ExactSums::kUsual) return;
    const double there = *const_cast<volatile double*>(sums_.level(sums_.levels - 1, element));
    if (there == there && there != v) add(sums_.levels - 1, element, v);
  }

  /// What lanes have for one element: a sum of values, and of what that has rounded away.
  struct LaneSum {
    ExactAdder* adder;
    int64_t element;
    double sum, rounded = 0;

    __device__ void take(double lost) {
      if (lost != 0) adder->add(2, element, add_rounded(rounded, lost));
    }
    __device__ void add(const LaneSum& other) {
      take(add_rounded(sum, other.sum));
      take(other.rounded);
    }
    /// That of another lane. All lanes of the warp take part.
    __device__ LaneSum from_lane(int lane) const {
      return {adder, element, __shfl_sync(kAllLanes, sum, lane), __shfl_sync(kAllLanes, rounded, lane)};
    }
  };

  const ExactSums& sums_;
  bool beyond_usual_ = false;
};

/// A block's own sums: all of its threads clear them, and hand them on, with a barrier between that and what others do.
__device__ inline void clear(const ExactBlockSums& own) {
  ORDO_NO_UNROLL
  for (int64_t c = threadIdx.x; c < own.levels * own.count; c += blockDim.x) own.memory[c] = 0;
  __syncthreads();
}
__device__ inline void hand_on(const ExactBlockSums& own, ExactAdder& adder) {
  __syncthreads();
  for (int k = 0; k < own.levels; ++k) {
    ORDO_NO_UNROLL
    for (int64_t c = threadIdx.x; c < own.count; c += blockDim.x) adder.add(k, c, own.memory[k * own.count + c]);
  }
}

/// Calls use(element, value) of every value; element < 0 where the item is skipped. By whole warps, with element < 0
/// for lanes that have no value.
template <class Items, class Use>
__device__ void for_values(const Items& items, const AccumulateShape& shape, const Use& use) {
  const int64_t values = items.count * shape.columns(), end = (values + 31) / 32 * 32;
  ORDO_NO_UNROLL
  for (int64_t t = ordo::cuda::thread_index(); t < end; t += ordo::cuda::thread_count()) {
    const ExactPlace at(t, items.count, shape);
    const int64_t d = t < values ? items.destination(at.item) : -1;
    const float value = d < 0 ? 0 : float(item_value(items, shape, at.item, at.outer, at.inner));
    use(d < 0 ? kNowhere : shape.offset(d, at.outer, at.inner), value);
  }
}

template <class Items>
__global__ void accumulate_exact_kernel(Items items, AccumulateShape shape, ExactSums sums) {
  if (sums.skipped()) return;
  ExactAdder adder(sums);
  for_values(items, shape, [&](int64_t element, float value) {
    adder(sums.has(element) ? element : kNowhere, value, ExactBlockSums{});
  });
}

/// accumulate_exact_kernel with the block's own sums for all elements.
template <class Items>
__global__ void accumulate_exact_block_sums_kernel(Items items, AccumulateShape shape, ExactSums sums) {
  ORDO_DYNAMIC_SHARED(double, memory);
  const ExactBlockSums own{memory, sums.count, kBlockLevels};
  ExactAdder adder(sums);
  clear(own);
  for_values(items, shape, [&](int64_t element, float value) { adder(element, value, own); });
  hand_on(own, adder);
}

template <class Items>
void accumulate_exact(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                      const ExactPlan& plan, Device device, cudaStream_t stream) {
  const int64_t count = shape.destinations * shape.columns(), values = items.count * shape.columns();
  const int all = exact_levels(items.count), levels = plan.usual_levels ? ExactSums::kUsual : all;
  const Scratch<double> memory(count * levels + 1, device);
  ordo::cuda::check(cudaMemsetAsync(memory.data(), 0, size_t(count * levels + 1) * sizeof(double), stream),
                    "cudaMemsetAsync");
  ExactSums sums{memory.data(), memory.data() + count * levels, 0, count, levels};
  if (plan.form == ExactForm::block_sums) {
    const int block = ordo::cuda::launch_tuning().block;
    ordo::cuda::launch(accumulate_exact_block_sums_kernel<Items>,
                       ordo::cuda::grid_for((values + plan.per_block - 1) / plan.per_block * block, block),
                       dim3(unsigned(block)), size_t(kBlockLevels * count) * sizeof(double), stream, items, shape,
                       sums);
    return exact_finish(output, sums, stream);
  }
  const auto pass = [&] {
    ordo::cuda::launch_over(accumulate_exact_kernel<Items>, values, stream, items, shape, sums);
    exact_finish(output, sums, stream);
  };
  if (!plan.usual_levels) return pass();
  sums.pass = ExactSums::Pass::usual;
  pass();
  sums.pass = ExactSums::Pass::part, sums.levels = all;
  const int64_t of_part = count * levels / all;
  for (; sums.first < count; sums.first += of_part) {
    sums.count = std::min(of_part, count - sums.first);
    pass();
  }
}

}  // namespace ordo::kernels::cuda
