#include <gtest/gtest.h>
#include <ordo/engine/run/elapsed.h>
#include <ordo/ordo.h>

#include <chrono>
#include <thread>

namespace ordo::test::elapsed_test {
namespace {

TEST(Elapsed, cpu_time_is_that_of_the_work) {
  int runs = 0;
  const double ms = elapsed_ms(cpu, [&] {
    ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  EXPECT_EQ(runs, 1);
  EXPECT_GE(ms, 20);
  EXPECT_LT(elapsed_ms(cpu, [] {}), ms);
}

TEST(Elapsed, cuda_time_is_that_of_the_queued_work) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  const Tensor from = ones({1 << 16}, {.device = "cuda"});
  Tensor to = zeros_like(from);
  EXPECT_GT(elapsed_ms("cuda", [&] { to.copy_(from); }), 0);
  EXPECT_EQ(to.sum().item(), 1 << 16);  // the work has been done
}

TEST(Elapsed, a_device_that_is_not_there_is_an_error) {
  if (cuda::build() != "none") GTEST_SKIP() << "this build has CUDA";
  EXPECT_THROW(elapsed_ms("cuda", [] {}), DeviceError);
}

}  // namespace
}  // namespace ordo::test::elapsed_test
