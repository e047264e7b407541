#include "tests/support/op_samples.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::bincount_test {
namespace {

TEST(Bincount, result_dtypes) {
  const Tensor x = tensor<int64_t>({1, 0, 1});
  EXPECT_EQ(bincount(x).dtype(), int64);
  EXPECT_EQ(bincount(x, ones({3})).dtype(), float32);
  for (DType t : {float64, float16, bfloat16, int32, uint8, int64})
    EXPECT_EQ(bincount(x, ones({3}, {.dtype = t})).dtype(), float64) << name(t);
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
        }
}

}  // namespace
}  // namespace ordo::test::bincount_test
