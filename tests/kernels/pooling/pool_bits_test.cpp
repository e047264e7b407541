// The bits of pooling: golden hashes, the same on every device and with every number of threads.
#include <gtest/gtest.h>

#include <ordo/engine/determinism.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/pooling/avg_pool.h>
#include <ordo/kernels/pooling/max_pool.h>
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

class PoolBits : public testing::Test {
 protected:
  void TearDown() override { set_num_threads(threads_); }
  int threads_ = num_threads();
};

const auto kMax = kernels::max_pool_arguments<2>(3, 1, 1);
const auto kAverage = kernels::avg_pool_arguments<2>(3, 1, 1);
const auto kAdaptive = kernels::adaptive_pool_arguments<2>({17, 19});
const Dims kSizes{2, 3, 19, 23};

Tensor mixed(const Dims& sizes, uint64_t stream, DType dtype, Device device) {
  return test_mixed_values(sizes, stream).to(dtype).to(device);
}

Tensor max_backward(DType dtype, Device device, Algorithm algorithm) {
  const auto pooled = kernels::max_pool_with_indices(mixed(kSizes, 1, dtype, device), kMax);
  return kernels::max_pool_backward(mixed(kSizes, 2, dtype, device), pooled.indices, kSizes, kMax, algorithm);
}
Tensor avg_backward(DType dtype, Device device, Algorithm algorithm) {
  return kernels::avg_pool_backward(mixed(kSizes, 2, dtype, device), kSizes, kAverage, algorithm);
}
Tensor adaptive_max_backward(DType dtype, Device device, Algorithm algorithm) {
  const auto pooled = kernels::max_pool_with_indices(mixed({2, 3, 5, 6}, 1, dtype, device), kAdaptive);
  return kernels::max_pool_backward(mixed({2, 3, 17, 19}, 2, dtype, device), pooled.indices, {2, 3, 5, 6}, kAdaptive,
                                    algorithm);
}
Tensor adaptive_avg_backward(DType dtype, Device device, Algorithm algorithm) {
  return kernels::avg_pool_backward(mixed({2, 3, 17, 19}, 2, dtype, device), {2, 3, 5, 6}, kAdaptive, algorithm);
}

using Backward = Tensor (*)(DType, Device, Algorithm);
struct Operation {
  const char* name;
  Backward backward;
  const char* golden[2];  // float32, bfloat16
};
const Operation kOperations[] = {
    {"max_pool2d", max_backward, {"23e74d8486a7c4b1", "50eb866bdbd8b0ae"}},
    {"avg_pool2d", avg_backward, {"f93c207f8a7497ad", "54670d4ada0e2e02"}},
    {"adaptive_max_pool2d", adaptive_max_backward, {"a1f7ca506b865b9f", "4de2f842d5f7fe76"}},
    {"adaptive_avg_pool2d", adaptive_avg_backward, {"e1f75a9b3e62323e", "17dcb891a0e4a0af"}},
};

TEST_F(PoolBits, golden_backward) {
  for (const Operation& op : kOperations) {
    for (Device device : test_devices()) {
      SCOPED_TRACE(std::string(op.name) + " " + device.str());
      EXPECT_EQ(hash_of(op.backward(float32, device, Algorithm::gather)), op.golden[0]);
      EXPECT_EQ(hash_of(op.backward(bfloat16, device, Algorithm::gather)), op.golden[1]);
    }
  }
}

TEST_F(PoolBits, golden_forward) {
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const Tensor x = mixed(kSizes, 1, float32, device), wide = mixed({1, 2, 40, 41}, 3, float32, device);
    const auto pooled = kernels::max_pool_with_indices(x, kernels::max_pool_arguments<2>(3, 2, 1));
    EXPECT_EQ(hash_of(pooled.values), "c3ec4838a3293579");
    EXPECT_EQ(hash_of(pooled.indices), "f84205536cb98f32");
    EXPECT_EQ(hash_of(kernels::avg_pool(x, kernels::avg_pool_arguments<2>(3, 2, 1))), "8c726b4c93e83050");
    EXPECT_EQ(hash_of(kernels::avg_pool(wide, kernels::avg_pool_arguments<2>(13, 3, 6))), "59d1694f16e0d8e1");
    EXPECT_EQ(hash_of(kernels::avg_pool(wide, kernels::adaptive_pool_arguments<2>(1))), "977eb50831e6ec99");
  }
}

// Large enough for all threads; and fewer planes than threads.
TEST_F(PoolBits, thread_counts) {
  for (const Dims& sizes : {Dims{6, 130, 67}, Dims{1, 1, 210, 201}}) {
    for (DType dtype : {float32, float16}) {
      SCOPED_TRACE(sizes.str() + " " + std::string(name(dtype)));
      const Tensor x = mixed(sizes, 1, dtype, cpu), weights = mixed(sizes, 2, dtype, cpu);
      const auto max = kernels::max_pool_arguments<2>(5, 1, 2);
      const auto average = kernels::avg_pool_arguments<2>(5, 1, 2, false, false);
      const auto max_gradient = [&](Algorithm algorithm) {
        const auto pooled = kernels::max_pool_with_indices(x, max);
        return kernels::max_pool_backward(weights, pooled.indices, sizes, max, algorithm);
      };
      const auto avg_gradient = [&](Algorithm algorithm) {
        return kernels::avg_pool_backward(weights, sizes, average, algorithm);
      };
      set_num_threads(1);
      const Tensor max_ordered = max_gradient(Algorithm::gather), avg_ordered = avg_gradient(Algorithm::gather);
      const Tensor values = kernels::max_pool(x, max);
      for (int threads : {2, 3, 4}) {
        set_num_threads(threads);
        EXPECT_EQ(bytes_of(max_gradient(Algorithm::gather)), bytes_of(max_ordered));
        EXPECT_EQ(bytes_of(avg_gradient(Algorithm::gather)), bytes_of(avg_ordered));
        EXPECT_EQ(bytes_of(kernels::max_pool(x, max)), bytes_of(values));
        // What the CPU does for atomic.
        EXPECT_EQ(bytes_of(max_gradient(Algorithm::atomic)), bytes_of(max_ordered));
        EXPECT_EQ(bytes_of(avg_gradient(Algorithm::atomic)), bytes_of(avg_ordered));
      }
    }
  }
}

TEST_F(PoolBits, the_level_chooses_the_algorithm) {
  const Tensor grad = mixed(kSizes, 2, float32, cpu);
  const DeterminismGuard guard(Determinism::run_to_run);
  EXPECT_EQ(bytes_of(avg_backward(float32, cpu, Algorithm::automatic)),
            bytes_of(avg_backward(float32, cpu, Algorithm::gather)));
  EXPECT_THROW(avg_backward(float32, cpu, Algorithm::atomic), NondeterministicError);
  EXPECT_ORDO_ERROR(avg_backward(float32, cpu, Algorithm::sorted), ValueError, "avg_pool2d_backward");
}

}  // namespace
}  // namespace ordo::test
