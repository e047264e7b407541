// What the CUDA pooling kernels share. Internal.
#pragma once

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dtype.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels::cuda {

/// Flat position i of a [volumes, depth, height, width] tensor, taken apart.
struct VolumeCell {
  int64_t volume, d = 0, h, w;
  __device__ VolumeCell(int64_t i, int64_t depth, int64_t height, int64_t width) {
    const int64_t row = quotient(i, width);
    w = i - row * width;
    const int64_t layer = quotient(row, height);
    h = row - layer * height;
    volume = layer;
    if (depth == 1) return;
    volume = quotient(layer, depth);
    d = layer - volume * depth;
  }
};

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
