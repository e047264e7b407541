// How the algorithm `exact` goes about it on CUDA: a function of the problem's shape alone. No bit depends on it.
// Internal to exact_cuda.cuh.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ordo/engine/run/launch_tuning.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact_levels.h>

namespace ordo::kernels::cuda {

enum class ExactForm {
  direct,      // every warp adds to the sums in global memory
  block_sums,  // every block has sums of its own in shared memory, of all elements
};

struct ExactPlan {
  ExactForm form;
  int64_t per_block;          // values that a block adds up before it hands its sums on
  bool usual_levels = false;  // ExactSums: memory for these only
};

/// Sums of a block's own for all elements: 32 KiB of shared memory, for two levels, so that what rounds meets there,
/// too.
inline constexpr int64_t kBlockSums = 2048;
inline constexpr int kBlockLevels = 2;
/// Values of such a block: many more than it has sums to hand on.
inline int64_t values_per_block(int64_t count) {
  return std::max(ordo::cuda::tuned_size(4096), ordo::cuda::tuned_size(16) * count);
}

/// Bytes of levels: to clear more takes longer than about ten launches that find the usual ones sufficient.
inline constexpr int64_t kMostLevelBytes = int64_t(64) << 20;

inline ExactPlan plan_exact(int64_t items, const AccumulateShape& shape) {
  const int64_t count = shape.destinations * shape.columns(), values = items * shape.columns();
  const int64_t per_block = values_per_block(count);
  if (count <= ordo::cuda::tuned_size(kBlockSums) && values >= 2 * per_block) return {ExactForm::block_sums, per_block};
  const int64_t levels = exact_levels(items);
  return {ExactForm::direct, values, count >= levels && count * levels * 8 > ordo::cuda::tuned_size(kMostLevelBytes)};
}

}  // namespace ordo::kernels::cuda
