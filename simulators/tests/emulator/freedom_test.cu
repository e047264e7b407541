// What may differ from one GPU or call to the next differs in the emulator: the number of multiprocessors, and the
// association of CUB's floating-point collectives.
#include <ordo/engine/cuda/cub.h>

#if ORDO_EMULATED
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/run/emulation.h>

#include "tests/simt/reduced_by_key.h"

namespace ordo::test::freedom_test {
namespace {

constexpr int kCount = 3000;

class FreedomTest : public testing::Test {
 protected:
  cuda::Schedule before_ = cuda::schedule();
  ~FreedomTest() override { cuda::set_schedule(before_); }
};

TEST_F(FreedomTest, multiprocessors_are_drawn_from_the_seed) {
  std::set<int> counts;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    cuda::set_schedule({.seed = seed});
    int count = 0;
    cuda::check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "attribute");
    EXPECT_EQ(count, cuda::backend::device_properties(0).multiprocessors);
    EXPECT_GE(count, 1);
    counts.insert(count);
  }
  EXPECT_GT(counts.size(), 10u);
  cuda::set_schedule({.multiprocessors = 7});
  EXPECT_EQ(cuda::backend::device_properties(0).multiprocessors, 7);
  EXPECT_THROW(cuda::set_schedule({.order = "sideways"}), ValueError);
  EXPECT_EQ(cuda::schedule_text({.seed = 3, .multiprocessors = 7}),
            "ORDO_EMULATOR_SEED=3 ORDO_EMULATOR_ORDER=random ORDO_EMULATOR_YIELD=0.3 ORDO_EMULATOR_MULTIPROCESSORS=7");
}

template <class T>
std::vector<T> scanned(const std::vector<T>& values) {
  const DeviceArray<T> in(values), out(values.size());
  with_temp_storage([&](void* temp, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(temp, bytes, static_cast<const T*>(in), static_cast<T*>(out), kCount,
                                         cuda::current_stream(kCuda));
  });
  return out.values();
}

TEST_F(FreedomTest, float_collectives_associate_differently_at_every_call) {
  const std::vector<float> values = mixed_floats(kCount);
  std::set<std::vector<float>> scans, reductions;
  const uint64_t before = cuda::emulator_counts().float_collectives;
  for (int i = 0; i < 10; ++i) scans.insert(scanned(values)), reductions.insert(reduced_by_key(values, kCount));
  EXPECT_GT(scans.size(), 7u);
  EXPECT_GT(reductions.size(), 1u);
  EXPECT_EQ(cuda::emulator_counts().float_collectives - before, 20u);

  cuda::restart_schedule();
  const std::vector<float> again = scanned(values);
  cuda::restart_schedule();
  EXPECT_EQ(scanned(values), again);
  std::set<std::vector<float>> of_seeds;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    cuda::Schedule schedule = before_;
    schedule.seed = seed;
    cuda::restart_schedule();
    cuda::set_schedule(schedule);
    of_seeds.insert(scanned(values));
  }
  EXPECT_GT(of_seeds.size(), 5u);
}

TEST_F(FreedomTest, sums_are_right_whatever_the_association) {
  std::vector<int> ones(kCount, 1);
  const uint64_t before = cuda::emulator_counts().float_collectives;
  for (int run : {1, 7, 128, 1000, 3000}) {
    std::vector<int> sums = reduced_by_key(ones, run);
    for (size_t r = 0; r < sums.size(); ++r) EXPECT_EQ(sums[r], std::min(run, kCount - int(r) * run));
  }
  EXPECT_EQ(scanned(ones).back(), kCount);
  EXPECT_EQ(cuda::emulator_counts().float_collectives, before) << "integers have one sum";
  const std::vector<float> whole(kCount, 1.0f);
  EXPECT_EQ(reduced_by_key(whole, 1000), std::vector<float>(3, 1000.0f));
  EXPECT_EQ(scanned(whole).back(), float(kCount));
}

}  // namespace
}  // namespace ordo::test::freedom_test
#endif
