// Numbers on the GPU, for what runs in pages. Internal.
#pragma once

#include <vector>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/memory.h>

namespace ordo::site {

inline const Device kGpu(Device::Type::cuda);

template <class T>
struct OnDevice : Scratch<T> {
  explicit OnDevice(int count) : Scratch<T>(count, kGpu), count(count) {}
  explicit OnDevice(const std::vector<T>& v) : OnDevice(int(v.size())) { copy(this->data(), v.data()); }
  std::vector<T> values() const {
    std::vector<T> v(size_t(count), T{});
    copy(v.data(), this->data());
    return v;
  }
  int count;

 private:
  /// After the kernels of this thread's stream, and before the caller goes on.
  void copy(void* to, const void* from) const {
    const cudaStream_t stream = cuda::current_stream(kGpu);
    cuda::check(cudaMemcpyAsync(to, from, size_t(count) * sizeof(T), cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
};

}  // namespace ordo::site
