// The bits of pooling: the same with every number of threads, and chosen by the level.
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

Tensor mixed(const Dims& sizes, uint64_t stream, DType dtype, Device device) {
  return test_mixed_values(sizes, stream).to(dtype).to(device);
}

// Large enough for several chunks of rows, whose threads meet inside planes; and fewer planes than threads.
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
  const Dims sizes{2, 3, 19, 23};
  const auto backward = [&](Algorithm algorithm) {
    return kernels::avg_pool_backward(mixed(sizes, 2, float32, cpu), sizes, kernels::avg_pool_arguments<2>(3, 1, 1),
                                      algorithm);
  };
  const DeterminismGuard guard(Determinism::run_to_run);
  EXPECT_EQ(bytes_of(backward(Algorithm::automatic)), bytes_of(backward(Algorithm::gather)));
  EXPECT_THROW(backward(Algorithm::atomic), NondeterministicError);
  EXPECT_ORDO_ERROR(backward(Algorithm::sorted), ValueError, "avg_pool2d_backward");
}

}  // namespace
}  // namespace ordo::test
