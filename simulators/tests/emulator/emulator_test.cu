// What the emulator promises of CUDA. Mistakes that it must catch are in wrong_kernels_test.cu.
#include <ordo/engine/cuda/cuda.h>

#if ORDO_EMULATED
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/cuda/atomics.h>
#include "tests/engine/cuda/device_array.h"
#include "tests/support/op_samples.h"

namespace ordo::cuda {
namespace {

using emulator::Order;

class EmulatorTest : public testing::Test {
 protected:
  void SetUp() override { emulator::options().host_memory = true; }
  emulator::Options before_ = emulator::options();
  ~EmulatorTest() override { emulator::options() = before_; }
};

__global__ void count_threads_kernel(int* counts) {
  const int block = int((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
  const int thread = int((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
  atomicAdd(&counts[block * 24 + thread], 1);
}

TEST_F(EmulatorTest, every_thread_runs_once_in_every_order) {
  for (Order order : {Order::random, Order::forward, Order::reverse}) {
    emulator::options().order = order;
    std::vector<int> counts(2 * 3 * 2 * 24);
    launch(count_threads_kernel, dim3(2, 3, 2), dim3(4, 3, 2), 0, nullptr, counts.data());
    EXPECT_EQ(counts, std::vector<int>(counts.size(), 1));
  }
}

TEST_F(EmulatorTest, empty_grid_is_no_work) {
  launch(count_threads_kernel, grid_for(0, 32), dim3(32), 0, nullptr, static_cast<int*>(nullptr));
}

__global__ void shuffles_kernel(int width, int delta, int* out) {
  const int lane = int(threadIdx.x);
  out[lane] = __shfl_up_sync(~0u, lane, unsigned(delta), width);
  out[32 + lane] = __shfl_down_sync(~0u, lane, unsigned(delta), width);
  out[64 + lane] = __shfl_xor_sync(~0u, lane, delta, width);
  out[96 + lane] = __shfl_sync(~0u, lane, delta, width);
}

// The source lane by the pseudo code of PTX's shfl instruction.
int ptx_source(int mode, int lane, int b, int width) {
  const int segment = 32 - width, clamp = mode == 0 ? 0 : 31;
  const int most = (lane & segment) | (clamp & ~segment & 31), least = lane & segment;
  int source = 0;
  bool in_range = true;
  switch (mode) {
    case 0:
      source = lane - b, in_range = source >= most;
      break;
    case 1:
      source = lane + b, in_range = source <= most;
      break;
    case 2:
      source = lane ^ b, in_range = source <= most;
      break;
    default:
      source = least | (b & ~segment & 31), in_range = source <= most;
  }
  return in_range ? source : lane;
}

TEST_F(EmulatorTest, shuffles_follow_ptx) {
  for (int width : {1, 2, 4, 8, 16, 32}) {
    for (int delta = 0; delta < 32; ++delta) {
      std::vector<int> out(128);
      launch(shuffles_kernel, dim3(1), dim3(32), 0, nullptr, width, delta, out.data());
      for (int i = 0; i < 128; ++i)
        ASSERT_EQ(out[size_t(i)], ptx_source(i / 32, i % 32, delta, width)) << width << " " << delta << " " << i;
    }
  }
}

__global__ void votes_kernel(unsigned* out) {
  const unsigned lane = threadIdx.x;
  if (lane >= 27) return;  // lanes that have returned do not take part
  const unsigned all = ~0u;
  unsigned* mine = out + lane * 9;
  mine[0] = __ballot_sync(all, lane % 3 == 0);
  mine[1] = unsigned(__any_sync(all, lane == 26));
  mine[2] = unsigned(__all_sync(all, lane < 26));
  mine[3] = __match_any_sync(all, lane / 8);
  mine[4] = __reduce_add_sync(all, lane);
  mine[5] = unsigned(__reduce_min_sync(all, 5 - int(lane)));
  mine[6] = __reduce_max_sync(all, lane);
  mine[7] = __reduce_or_sync(all, 1u << lane);
  mine[8] = __reduce_xor_sync(all, lane);
}

TEST_F(EmulatorTest, warp_votes_and_reductions) {
  std::vector<unsigned> out(32 * 9);
  launch(votes_kernel, dim3(1), dim3(32), 0, nullptr, out.data());
  for (unsigned lane = 0; lane < 27; ++lane) {
    const unsigned* mine = &out[lane * 9];
    EXPECT_EQ(mine[0], 0x01249249u);
    EXPECT_EQ(mine[1], 1u);
    EXPECT_EQ(mine[2], 0u);
    EXPECT_EQ(mine[3], lane < 24 ? 0xffu << (lane / 8 * 8) : 0x07000000u);
    EXPECT_EQ(mine[4], 351u);
    EXPECT_EQ(int(mine[5]), -21);
    EXPECT_EQ(mine[6], 26u);
    EXPECT_EQ(mine[7], 0x07ffffffu);
    EXPECT_EQ(mine[8], 27u);
  }
}

__global__ void half_warps_kernel(int* out) {
  const int lane = int(threadIdx.x % 32);
  int v = int(threadIdx.x);
  if (lane < 16)
    for (int r = 0; r < 3; ++r) v = __shfl_xor_sync(0x0000ffffu, v, 1 << r);
  else
    for (int r = 0; r < 5; ++r) v = __shfl_sync(0xffff0000u, v, 16 + (lane + 1) % 16);
  out[threadIdx.x] = v;
}

TEST_F(EmulatorTest, half_warps_in_different_branches) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    emulator::options().seed = seed;
    std::vector<int> out(64);
    launch(half_warps_kernel, dim3(1), dim3(64), 0, nullptr, out.data());
    for (int i = 0; i < 64; ++i) {
      const int lane = i % 32, base = i - lane;
      EXPECT_EQ(out[size_t(i)], base + (lane < 16 ? lane ^ 7 : 16 + (lane + 5) % 16));
    }
  }
}

__global__ void block_votes_kernel(int* out) {
  const int t = int(threadIdx.x);
  for (int round = 0; round < 4; ++round) {
    int* mine = out + (round * 70 + t) * 3;
    mine[0] = __syncthreads_count(t % (round + 2) == 0);
    mine[1] = __syncthreads_and(t >= round);
    mine[2] = __syncthreads_or(t == 69 + round);
  }
}

TEST_F(EmulatorTest, barriers_that_vote) {
  std::vector<int> out(4 * 70 * 3);
  launch(block_votes_kernel, dim3(1), dim3(70), 0, nullptr, out.data());
  for (int i = 0; i < 4 * 70; ++i) {
    const int round = i / 70;
    EXPECT_EQ(out[size_t(i) * 3], (70 + round + 1) / (round + 2));
    EXPECT_EQ(out[size_t(i) * 3 + 1], round == 0);
    EXPECT_EQ(out[size_t(i) * 3 + 2], round == 0);
  }
}

__global__ void atomic_sum_kernel(const float* x, int n, float* out) {
  const int64_t i = thread_index();
  if (i < n) atomic_add(&out[i % 7], x[i]);
}

TEST_F(EmulatorTest, atomic_sums_depend_on_the_schedule) {
  const std::vector<float> x = test::mixed_floats(3000);
  const uint64_t before = emulator::stats().float_atomics;
  std::set<std::vector<float>> results;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    emulator::options().seed = seed;
    emulator::options().resident = 0;
    std::vector<float> out(7);
    launch(atomic_sum_kernel, dim3(12), dim3(256), 0, nullptr, x.data(), 3000, out.data());
    results.insert(out);
  }
  EXPECT_GT(results.size(), 15u);
  EXPECT_EQ(emulator::stats().float_atomics - before, 20u * 3000u);
}

__global__ void shared_per_block_kernel(int* out) {
  ORDO_SHARED(int, tile, [4][33]);
  ORDO_SHARED(int, other);
  tile[threadIdx.x / 32][threadIdx.x % 32] = int(blockIdx.x * 128 + threadIdx.x);
  if (threadIdx.x == 0) other = int(blockIdx.x);
  __syncthreads();
  const unsigned r = 127 - threadIdx.x;
  out[thread_index()] = tile[r / 32][r % 32] + other;
}
TEST_F(EmulatorTest, blocks_in_flight_have_their_own_shared_memory) {
  emulator::options().resident = 8;
  std::vector<int> out(20 * 128);
  launch(shared_per_block_kernel, dim3(20), dim3(128), 0, nullptr, out.data());
  for (int i = 0; i < 20 * 128; ++i) EXPECT_EQ(out[size_t(i)], i / 128 * 128 + 127 - i % 128 + i / 128);
}

__global__ void one_lane_kernel() { __syncwarp(1u); }

TEST_F(EmulatorTest, a_launch_after_one_that_failed) {
  const auto run = [](unsigned threads) { launch(one_lane_kernel, dim3(1), dim3(threads), 0, nullptr); };
  EXPECT_ORDO_ERROR(run(64), CudaError, "not in its own mask");
  EXPECT_ORDO_ERROR(run(2048), CudaError, "invalid configuration");
  std::vector<int> counts(24);
  launch(count_threads_kernel, dim3(1), dim3(4, 3, 2), 0, nullptr, counts.data());
  EXPECT_EQ(counts, std::vector<int>(24, 1));
}

}  // namespace
}  // namespace ordo::cuda
#endif
