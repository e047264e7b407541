// The cells that atomic pooling gradients add into, on CUDA. Internal.
#pragma once

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dtype.h>
#include <ordo/engine/memory.h>

namespace ordo::kernels::cuda {

template <class T>
__global__ void pool_store_kernel(const accumulate_t<T>* cells, T* output, int64_t count) {
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count()) output[i] = T(cells[i]);
}

/// The cells that atomics add into: the output itself or, for half types, a copy in float.
template <class T>
class ScatterCells {
 public:
  using V = accumulate_t<T>;

  ScatterCells(T* output, int64_t count, Device device)
      : output_(output), count_(count), device_(device), scratch_(kDirect ? 0 : count, device) {
    if (count > 0)
      ordo::cuda::check(cudaMemsetAsync(data(), 0, size_t(count) * sizeof(V), ordo::cuda::current_stream(device)),
                        "pooling backward");
  }
  V* data() const {
    if constexpr (kDirect)
      return output_;
    else
      return scratch_.data();
  }
  /// Rounds to T where that is not V.
  void store() const {
    if constexpr (!kDirect)
      ordo::cuda::launch_over(pool_store_kernel<T>, count_, ordo::cuda::current_stream(device_), scratch_.data(),
                              output_, count_);
  }

 private:
  static constexpr bool kDirect = std::is_same_v<T, V>;
  T* output_;
  int64_t count_;
  Device device_;
  Scratch<V> scratch_;
};

}  // namespace ordo::kernels::cuda
