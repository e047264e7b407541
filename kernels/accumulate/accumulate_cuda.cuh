// The accumulate engine on CUDA. See accumulate.h for Items and shapes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/run/launch_tuning.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/accumulate/atomic/atomic_cuda.cuh>
#include <ordo/kernels/accumulate/exact/exact_cuda.cuh>
#include <ordo/kernels/accumulate/sorted/sorted_cuda.cuh>

namespace ordo::kernels::cuda {

/// Calls f with the type that numbers them all: int32_t where it does.
template <class F>
decltype(auto) with_index_type(int64_t items, int64_t destinations, const F& f) {
  if (std::max(items, destinations) < ordo::cuda::tuned_size(std::numeric_limits<int32_t>::max()))
    return f.template operator()<int32_t>();
  return f.template operator()<int64_t>();
}

/// Adds every item's row to its destination's, by `sorted`. For those that ask for no other algorithm.
template <class Items>
void accumulate_sorted(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                       Device device) {
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  with_index_type(items.count, shape.destinations,
                  [&]<class Index>() { accumulate_sorted<Index>(items, output, shape, device, stream); });
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
  with_index_type(items.count, shape.destinations, [&]<class Index>() {
    accumulate_runs(items, static_cast<const RunBuilder<Index>&>(order).runs(), output, shape, device, stream);
  });
}

}  // namespace ordo::kernels::cuda
