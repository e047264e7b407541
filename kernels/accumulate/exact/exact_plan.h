// How the algorithm `exact` goes about it on CUDA: a function of the problem's shape alone. No bit depends on it.
// Internal to exact_cuda.cuh.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ordo/engine/launch_tuning.h>
#include <ordo/kernels/accumulate/accumulate.h>

namespace ordo::kernels::cuda {

enum class ExactForm {
  direct,      // every warp adds to the sums in global memory
  block_sums,  // every block has sums of its own in shared memory, of all elements
  ranges,      // values are sorted by ranges of elements; a block adds up those of a range in shared memory
};

struct ExactPlan {
  ExactForm form;
  int64_t per_block;  // values that a block adds up before it hands its sums on
};

/// Sums of a block's own for all elements: 32 KiB of shared memory, for two levels, so that what rounds meets there,
/// too.
inline constexpr int64_t kBlockSums = 2048;
inline constexpr int kBlockLevels = 2;
/// Values of such a block: many more than it has sums to hand on.
inline int64_t values_per_block(int64_t count) {
  return std::max(ordo::cuda::tuned_size(4096), ordo::cuda::tuned_size(16) * count);
}
/// To a sum that the second-level cache does not have, a value costs a sector of 32 bytes that is read and written; to
/// be brought to its range first, 24 bytes and 16 for every 8 bits of ranges, all of them in order. Up to these sums
/// `direct` is predicted to be ahead, by 1.1 at the last; random sectors may take longer than the prediction knows
/// (docs/gpu-model.md). Not measured.
inline constexpr int64_t kDirectSums = int64_t(32) << 20;
/// Elements of a range: 32 KiB of sums, so that six blocks fit a multiprocessor and one pass sorts a million elements.
inline constexpr int kRangeBits = 12;
inline constexpr int64_t kRangeElements = int64_t(1) << kRangeBits;
/// Values of a block after the sort: of a range alone, four for each of its sums.
inline constexpr int64_t kValuesPerRange = 4 * kRangeElements;
/// Elements have 32 bits there.
inline constexpr int64_t kMostRangeElements = int64_t(1) << 32;

inline ExactPlan plan_exact(int64_t items, const AccumulateShape& shape) {
  const int64_t count = shape.destinations * shape.columns(), values = items * shape.columns();
  const int64_t per_block = values_per_block(count);
  if (count <= ordo::cuda::tuned_size(kBlockSums) && values >= 2 * per_block) return {ExactForm::block_sums, per_block};
  const bool dense = values >= count && values >= ordo::cuda::tuned_size(kValuesPerRange);
  if (count > ordo::cuda::tuned_size(kDirectSums) && count <= kMostRangeElements && dense)
    return {ExactForm::ranges, kValuesPerRange};
  return {ExactForm::direct, values};
}

}  // namespace ordo::kernels::cuda
