// The accumulate engine on CUDA. See accumulate.h for Items and shapes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/run/launch_tuning.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/accumulate/atomic/atomic_cuda.cuh>
#include <ordo/kernels/accumulate/exact/exact_cuda.cuh>
#include <ordo/kernels/accumulate/sorted/sorted_cuda.cuh>

namespace ordo::kernels::cuda {

/// Whether int32_t numbers them all.
inline bool narrow_index_fits(int64_t items, int64_t destinations) {
  return std::max(items, destinations) < ordo::cuda::tuned_size(std::numeric_limits<int32_t>::max());
}

/// What an IndexPlan keeps.
template <class Index>
struct PlannedRuns : IndexOrder {
  explicit PlannedRuns(RunBuilder<Index> b) : builder(std::move(b)) {}
  RunBuilder<Index> builder;
};

/// Adds every item's row to its destination's, by `sorted`. For those that ask for no other algorithm.
template <class Items>
void accumulate_sorted(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                       Device device) {
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  if (narrow_index_fits(items.count, shape.destinations))
    accumulate_sorted<int32_t>(items, output, shape, device, stream);
  else
    accumulate_sorted<int64_t>(items, output, shape, device, stream);
}

/// Adds every item's row to its destination's, by `atomic`, `sorted` or `exact`, on the calling thread's stream.
template <class Items>
void accumulate(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                Algorithm algorithm, Device device) {
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  if constexpr (sizeof(typename Items::value_type) > 1) {  // there are no atomics on bytes
    if (algorithm == Algorithm::atomic) return accumulate_atomic(items, output, shape, stream);
  }
  if constexpr (std::is_same_v<accumulate_t<typename Items::value_type>, float>) {
    if (algorithm == Algorithm::exact)
      return accumulate_exact(items, output, shape, plan_exact(items.count, shape), device, stream);
  }
  accumulate_sorted(items, output, shape, device);
}

/// Accumulates by `sorted` items that were sorted for an IndexPlan of shape.destinations.
template <class Items>
void accumulate(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                const IndexOrder& order, Device device) {
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  const auto add = [&]<class Index>(const PlannedRuns<Index>& planned) {
    accumulate_runs(items, planned.builder.runs(), output, shape, device, stream);
  };
  if (narrow_index_fits(items.count, shape.destinations))
    add(static_cast<const PlannedRuns<int32_t>&>(order));
  else
    add(static_cast<const PlannedRuns<int64_t>&>(order));
}

}  // namespace ordo::kernels::cuda
