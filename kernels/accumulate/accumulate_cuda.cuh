// The accumulate engine on CUDA. See accumulate.h for Items and shapes.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/atomic_cuda.cuh>
#include <ordo/kernels/accumulate/exact_cuda.cuh>
#include <ordo/kernels/accumulate/sorted_cuda.cuh>

namespace ordo::kernels::cuda {

/// Adds every item's row to its destination's, by `atomic`, `sorted` or `exact`, on the calling thread's stream.
template <class Items>
void accumulate(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                Algorithm algorithm, Device device) {
  if (items.count == 0 || shape.destinations == 0 || shape.columns() == 0) return;
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  constexpr int64_t kNarrow = std::numeric_limits<int32_t>::max();
  if constexpr (sizeof(typename Items::value_type) > 1) {  // there are no atomics on bytes
    if (algorithm == Algorithm::atomic) return accumulate_atomic(items, output, shape, stream);
  }
  if constexpr (std::is_same_v<accumulate_t<typename Items::value_type>, float>) {
    if (algorithm == Algorithm::exact) return accumulate_exact(items, output, shape, device, stream);
  }
  if (items.count < kNarrow && shape.destinations < kNarrow)
    accumulate_sorted<int32_t>(items, output, shape, device, stream);
  else
    accumulate_sorted<int64_t>(items, output, shape, device, stream);
}

}  // namespace ordo::kernels::cuda
