// What the code of a lesson uses: kernels, launches, and arrays in the memory of the device.
#pragma once

#include <ordo/engine/cuda/cuda.h>

#include <vector>

namespace lesson {

/// Remembers which lines of kernels wrote these elements, for the verdict (check.cpp).
void note_writers(const void* data, size_t count, size_t element_bytes);

/// An array in the memory of the device. Kernels take it as a pointer; the host sees its values by values().
template <class T>
class DeviceArray {
 public:
  /// `count` elements, all 0.
  explicit DeviceArray(size_t count) : DeviceArray(std::vector<T>(count)) {}
  /// A copy of `values`.
  explicit DeviceArray(const std::vector<T>& values) : count_(values.size()) {
    ordo::cuda::check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()), "cudaMalloc");
    ordo::cuda::check(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  operator T*() { return data_; }
  std::vector<T> values() const {
    std::vector<T> v(count_);
    note_writers(data_, count_, sizeof(T));
    ordo::cuda::check(cudaMemcpy(v.data(), data_, bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return v;
  }

 private:
  size_t bytes() const { return count_ * sizeof(T); }

  size_t count_;
  T* data_ = nullptr;
};

/// As kernel<<<blocks, threads>>>(arguments...).
template <class... P, class... A>
void launch(void (*kernel)(P...), int blocks, int threads, A&&... arguments) {
  ordo::cuda::launch(kernel, dim3(unsigned(blocks)), dim3(unsigned(threads)), 0, nullptr, arguments...);
}

/// How many multiprocessors the device has. The emulator draws another number for every schedule.
inline int multiprocessors() {
  int count = 0;
  ordo::cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  return count;
}

}  // namespace lesson

using namespace lesson;
