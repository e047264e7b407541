// Device memory with the host's values, for tests of kernels.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo::test {

inline constexpr Device kCuda{Device::Type::cuda, 0};

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : count_(values.size()), memory_(int64_t(values.size()), kCuda) {
    detail::copy_bytes(memory_, kCuda, values.data(), cpu, count_ * sizeof(T));
  }
  explicit DeviceArray(size_t count) : DeviceArray(std::vector<T>(count)) {}
  operator T*() const { return memory_.data(); }
  T* out() const { return memory_.data(); }
  const T* in() const { return memory_.data(); }
  std::vector<T> values() const {
    std::vector<T> v(count_);
    detail::copy_bytes(v.data(), cpu, memory_.data(), kCuda, count_ * sizeof(T));
    return v;
  }

 private:
  size_t count_;
  Scratch<T> memory_;
};

/// Numbers of mixed magnitudes, so that the order of a sum shows.
inline std::vector<float> mixed_floats(int n) {
  std::vector<float> v;
  for (int i = 0; i < n; ++i) v.push_back(std::ldexp(float(i % 17 - 8) + 0.37f, i * 7 % 23 - 11));
  return v;
}

/// Without a GPU and outside the emulated build, CUDA tests are skipped.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  }
};

}  // namespace ordo::test
