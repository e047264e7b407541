// Sums by CUB's ReduceByKey as the emulator has it; the library never calls it.
#pragma once

#include <vector>

#include "tests/engine/cuda/cub_calls.h"

namespace ordo::test {

struct Plus {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

/// The sums of runs of `run` values, by ReduceByKey.
template <class T>
std::vector<T> reduced_by_key(const std::vector<T>& values, int run) {
  const int count = int(values.size());
  std::vector<int> keys;
  for (int i = 0; i < count; ++i) keys.push_back(i / run);
  const size_t runs = size_t((count + run - 1) / run);
  const DeviceArray<int> device_keys(keys), unique(runs), found(size_t(1));
  const DeviceArray<T> in(values), out(runs);
  with_temp_storage([&](void* temp, size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(temp, bytes, device_keys.in(), unique.out(), in.in(), out.out(), found.out(),
                                          Plus(), count, cuda::current_stream(kCuda));
  });
  EXPECT_EQ(found.values(), std::vector<int>{int(runs)});
  for (size_t r = 0; r < runs; ++r) EXPECT_EQ(unique.values()[r], int(r));
  return out.values();
}

}  // namespace ordo::test
