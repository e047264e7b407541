// The algorithm `atomic` of the accumulate engine on CUDA. Internal to accumulate_cuda.cuh.
#pragma once

#include <cstdint>

#include <ordo/engine/cuda/atomics.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/accumulate/accumulate.h>

namespace ordo::kernels::cuda {

/// Columns are fastest, so that neighbouring threads add to neighbouring addresses.
template <class Items>
__global__ void accumulate_atomic_kernel(Items items, typename Items::value_type* output, AccumulateShape shape) {
  using T = typename Items::value_type;
  const int64_t per_outer = items.count * shape.inner, total = per_outer * shape.outer;
  for (int64_t t = ordo::cuda::thread_index(); t < total; t += ordo::cuda::thread_count()) {
    const int64_t o = t / per_outer, item = t % per_outer / shape.inner, j = t % shape.inner;
    const int64_t d = items.destination(item);
    if (d >= 0) ordo::cuda::atomic_add(output + shape.offset(d, o, j), T(item_value(items, shape, item, o, j)));
  }
}

template <class Items>
void accumulate_atomic(const Items& items, typename Items::value_type* output, const AccumulateShape& shape,
                       cudaStream_t stream) {
  ordo::cuda::launch_over(accumulate_atomic_kernel<Items>, items.count * shape.columns(), stream, items, output, shape);
}

}  // namespace ordo::kernels::cuda
