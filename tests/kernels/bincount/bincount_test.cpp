#include <gtest/gtest.h>

#include <ordo/autograd/ops/index_add.h>
#include <ordo/engine/determinism.h>
#include <ordo/engine/parallel.h>
#include "tests/support/op_samples.h"
#include "tests/support/threads_scope.h"

namespace ordo::test {
namespace {

TEST(Bincount, result_dtypes) {
  const Tensor x = tensor<int64_t>({1, 0, 1});
  EXPECT_EQ(bincount(x).dtype(), int64);
  EXPECT_EQ(bincount(x, ones({3})).dtype(), float32);
  for (DType t : {float64, float16, bfloat16, int32, uint8, int64})
    EXPECT_EQ(bincount(x, ones({3}, {.dtype = t})).dtype(), float64) << name(t);
}

TEST(Bincount, counts_do_not_depend_on_threads) {
  const ThreadsScope scope;
  const Tensor few = test_indices({200000}, 50, 1), many = test_indices({200000}, 100000, 2);
  for (const Tensor& x : {few, many}) {
    set_num_threads(1);
    const auto want = bytes_of(bincount(x));
    for (int n : {2, 3}) {
      set_num_threads(n);
      EXPECT_EQ(bytes_of(bincount(x)), want);
    }
  }
}

TEST(Bincount, minlength_changes_no_sum) {
  const DeterminismGuard guard(Determinism::device_to_device);
  const ThreadsScope scope;
  for (int threads : {1, 2})
    for (int64_t bins : {3, 5000, 40000})
      for (int64_t largest : {bins - 1, bins, 2 * bins})  // of one value, as much or more than minlength says
        for (DType dtype : {int32, int64}) {
          set_num_threads(threads);
          constexpr int64_t kCount = 50000;
          auto values = test_indices({kCount}, bins, 1).to_vector<int64_t>();
          values[kCount / 3 + 1] = largest;
          const Tensor x = from_vector(values, {kCount}).to(dtype),
                       weights = test_mixed_values({kCount}, 2).to(float32);
          auto want = bincount(x, weights).to_vector<float>();
          want.resize(size_t(std::max(bins, largest + 1)));
          EXPECT_EQ(bytes_of(bincount(x, weights, bins)), bytes_of(from_vector(want, {int64_t(want.size())})))
              << threads << " threads, " << bins << " bins, largest " << largest;
          for (size_t at : {size_t(0), size_t(kCount / 2 + 1), size_t(kCount - 1)}) {
            auto bad = values;
            bad[at] = -7;
          }
        }
}

TEST(Bincount, bad_input) {
  for (Device device : test_devices()) {
    const TensorOptions integers{.dtype = int64, .device = device};
    const Tensor x = zeros({3}, integers);
    EXPECT_ORDO_ERROR(bincount({}), ValueError, "bincount");
    EXPECT_ORDO_ERROR(bincount(ones({3}, {.device = device})), DTypeError, "bincount");
    EXPECT_ORDO_ERROR(bincount(tensor<int64_t>({int64_t(1) << 62}).to(device)), ValueError, "bincount");
    EXPECT_ORDO_ERROR(bincount(x, ones({2}, {.device = device})), ShapeError, "bincount");
    EXPECT_ORDO_ERROR(bincount(x, ones({3}, {.device = device}), 0, Algorithm::gather), ValueError, "bincount");
    if (device.is_cuda()) EXPECT_ORDO_ERROR(bincount(x, ones({3})), DeviceError, "bincount");
  }
}

}  // namespace
}  // namespace ordo::test
