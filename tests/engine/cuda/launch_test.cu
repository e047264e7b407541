// Launches in other geometries than the usual one do the same work.
#include <ordo/engine/cuda/cuda.h>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/run/emulation.h>

#include "tests/engine/cuda/device_array.h"

namespace ordo::test::launch_test {
namespace {

__global__ void count_kernel(int n, int* visits, int* geometry) {
  for (int64_t i = cuda::thread_index(); i < n; i += cuda::thread_count()) ++visits[i];
  if (cuda::thread_index() == 0) geometry[0] = int(gridDim.x), geometry[1] = int(blockDim.x);
}

using LaunchTest = CudaTest;

TEST_F(LaunchTest, launch_over_visits_every_element_once_in_any_geometry) {
  const struct {
    cuda::LaunchTuning tuning;
    int n, blocks;
  } cases[] = {{{}, 1000, 4}, {{64, 3}, 1000, 3}, {{64, 3}, 65, 2}, {{512, 1}, 5000, 1}, {{32, 7}, 1, 1}};
  for (const auto& c : cases) {
    const DeviceArray<int> visits(size_t(c.n)), geometry(size_t(2));
    const cuda::LaunchTuning before = cuda::set_launch_tuning(c.tuning);
    cuda::launch_over(count_kernel, c.n, cuda::current_stream(kCuda), c.n, visits, geometry);
    cuda::set_launch_tuning(before);
    EXPECT_EQ(visits.values(), std::vector<int>(size_t(c.n), 1));
    EXPECT_EQ(geometry.values(), (std::vector<int>{c.blocks, c.tuning.block}));
  }
}

TEST_F(LaunchTest, no_element_is_no_launch) {
  cuda::launch_over(count_kernel, 0, cuda::current_stream(kCuda), 0, static_cast<int*>(nullptr),
                    static_cast<int*>(nullptr));
  cuda::synchronize(kCuda);
}

// PyTorch, ONNX Runtime and Paddle each once took the "not ready" of a query for a failed launch.
TEST_F(LaunchTest, reports_its_own_status_and_not_what_other_calls_left) {
  const DeviceArray<int> visits(size_t(1000)), geometry(size_t(2));
  const auto launch = [&] {
    cuda::launch_over(count_kernel, 1000, cuda::current_stream(kCuda), 1000, visits, geometry);
  };
  void* const event = cuda::backend::create_event(0);
  const bool at_once = cuda::schedule().eager;  // nothing is ever pending then
  int launches = 0, pending = 0;
  for (; launches < (at_once ? 10 : 1000) && pending < 3; ++launches) {
    for (int i = 0; i < 3; ++i) launch();
    cuda::backend::record_event(event, 0);
    pending += !cuda::backend::has_passed(event);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  }
  EXPECT_EQ(pending, at_once ? 0 : 3);
  cuda::backend::synchronize_event(event);
  cuda::backend::destroy_event(event);
  EXPECT_NE(cudaSetDevice(99), cudaSuccess);
  launch();
  EXPECT_NE(cudaGetLastError(), cudaSuccess) << "somebody else's error is not ours to take";
  EXPECT_EQ(visits.values(), std::vector<int>(1000, launches * 3 + 1));
}

#if !ORDO_EMULATED  // the emulator knows no registers
/// As many sums as make ptxas use a hundred registers and more.
__global__ void many_registers_kernel(const float* in, float* out, int n) {
  float sums[96];
  for (int k = 0; k < 96; ++k) sums[k] = in[k];
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int k = 0; k < 96; ++k) sums[k] = sums[k] * in[i] + sums[(k + 1) % 96];
  if (threadIdx.x == 0)
    for (int k = 0; k < 96; ++k) out[k] = sums[k];
}

TEST_F(LaunchTest, a_block_that_finds_no_registers_is_refused_and_the_next_launch_is_not) {
  const DeviceArray<float> in(96), out(96);
  const auto launch = [&](unsigned threads) {
    cuda::launch(many_registers_kernel, dim3(1), dim3(threads), 0, cuda::current_stream(kCuda), in, out, 0);
  };
  EXPECT_THROW(launch(1024), CudaError);
  launch(256);
  cuda::synchronize(kCuda);
}
#endif

TEST(LaunchTuningTest, refuses_what_kernels_cannot_do) {
  EXPECT_THROW(cuda::set_launch_tuning({48, 3}), ValueError);
  EXPECT_THROW(cuda::set_launch_tuning({1024, 3}), ValueError);
  EXPECT_THROW(cuda::set_launch_tuning({64, 0}), ValueError);
  EXPECT_EQ(cuda::launch_tuning().block, 256);
}

}  // namespace
}  // namespace ordo::test::launch_test
