// The checker checked: kernels that are wrong in one way each, beside the same kernel done right. The wrong one must be
// caught, by the plain emulator where schedules show it, and by the race checker with its place; the right one must
// pass in every build.
#include <ordo/engine/cuda/cuda.h>

#if ORDO_EMULATED
#include <set>

#include <ordo/engine/calls/error.h>
#include "simulators/tests/emulator/wrong_kernels.cuh"

namespace ordo::test::wrong_kernels_test {
namespace {

#if ORDO_RACE_CHECKER
constexpr bool kChecked = true;
#else
constexpr bool kChecked = false;
#endif

struct Program {
  const char* name;
  const char* plain;    // how the plain emulator tells: "bits", a text of its error, or "" when it cannot
  const char* checked;  // what the race checker says
  Run run;
};

const Program kPrograms[] = {
    {"missing_barrier", "bits", "data race in shared memory",
     on_numbers(tree_sum_kernel<true>, tree_sum_kernel<false>, 3000, 12, 256, 12, 1024)},
    {"missing_syncwarp", "bits", "data race in shared memory",
     on_numbers(warp_sum_kernel<true>, warp_sum_kernel<false>, 32, 1, 32, 1)},
    {"shuffle_instead_of_syncwarp", "bits", "data race in shared memory",
     on_numbers(warp_exchange_kernel<true>, warp_exchange_kernel<false>, 32, 1, 32, 32)},
    {"write_after_read", "bits", "data race in shared memory",
     on_numbers(rounds_kernel<true>, rounds_kernel<false>, 64, 1, 64, 64)},
    {"lost_update", "", "data race in device memory",
     on_numbers(count_kernel<true>, count_kernel<false>, 3000, 12, 256, 13)},
    {"plain_read_of_an_atomic", "", "data race in device memory",
     on_numbers(running_total_kernel<true>, running_total_kernel<false>, 600, 6, 128, 1)},
    {"missing_fence", "", "data race in device memory", run_last_block_kernel<Fault::no_fence>},
    {"fence_of_the_block_only", "", "data race in device memory", run_last_block_kernel<Fault::block_fence>},
    {"acquired_without_barrier", "bits", "data race in device memory", run_last_block_kernel<Fault::no_barrier>},
    {"flag_loaded_instead_of_stored", "bits", "data race in device memory", run_message},
    {"divergent_barrier", "divergent __syncthreads", "divergent __syncthreads",
     on_numbers(divergent_barrier_kernel<true>, divergent_barrier_kernel<false>, 64, 1, 64, 64)},
    {"barrier_after_return", "returned", "returned",
     on_numbers(barrier_after_return_kernel<true>, barrier_after_return_kernel<false>, 64, 1, 64, 64)},
    {"shuffle_in_a_branch", "deadlock", "deadlock",
     on_numbers(shuffle_in_branch_kernel<true>, shuffle_in_branch_kernel<false>, 64, 1, 64, 64)},
    {"lane_outside_its_mask", "not in its own mask", "not in its own mask",
     on_numbers(wrong_mask_kernel<true>, wrong_mask_kernel<false>, 32, 1, 32, 32)},
    {"waits_for_a_block_that_is_not_there", "livelock", "livelock",
     on_numbers(wait_for_later_block_kernel<true>, wait_for_later_block_kernel<false>, 1, 200, 1, 1)},
    {"uninitialised_shared_memory", "bits", "shared memory that nobody wrote",
     on_numbers(unwritten_shared_kernel<true>, unwritten_shared_kernel<false>, 32, 1, 32, 32)},
    {"out_of_bounds_shared", nullptr, "out of bounds of shared memory",
     on_numbers(beyond_shared_kernel<true>, beyond_shared_kernel<false>, 32, 1, 32, 32)},
    {"out_of_bounds_dynamic_shared", nullptr, "out of bounds of shared memory",
     on_numbers(beyond_dynamic_shared_kernel<true>, beyond_dynamic_shared_kernel<false>, 32, 1, 32, 32,
                32 * sizeof(float))},
    {"out_of_bounds_global", nullptr, "out of bounds of device memory",
     on_numbers(beyond_global_kernel<true>, beyond_global_kernel<false>, 50, 1, 50, 50)},
    {"freed_memory", nullptr, "device memory", run_freed_memory},
    {"host_memory", "", "host memory in a kernel", run_host_memory},
    {"float_reduce_by_key", "bits", "bits", run_sums_of_runs},
    {"grid_sized_by_multiprocessors", "bits", "bits", run_block_sums},
};

class WrongKernels : public testing::TestWithParam<Program> {
 protected:
  void SetUp() override {
    emulator::options().order = emulator::Order::random;
    emulator::options().max_steps = 1 << 18;
  }
  void TearDown() override { emulator::options() = before_; }

  struct Outcome {
    std::set<std::vector<float>> results;
    std::string error;
  };
  Outcome run(bool right, int seeds = 20) {
    Outcome outcome;
    for (int seed = 1; seed <= seeds; ++seed) {
      emulator::options().seed = uint64_t(seed);
      try {
        outcome.results.insert(GetParam().run(right));
      } catch (const CudaError& e) {
        if (outcome.error.empty()) outcome.error = e.what();
      }
    }
    return outcome;
  }

 private:
  emulator::Options before_ = emulator::options();
};

TEST_P(WrongKernels, is_caught) {
  const Program& p = GetParam();
  const char* expected = kChecked ? p.checked : p.plain;
  if (!expected) GTEST_SKIP() << "leaves its memory: only a build with a checker may run it";
  if (!*expected) GTEST_SKIP() << "does not show without the race checker";
  const Outcome outcome = run(false);
  if (std::string_view(expected) == "bits") {
    EXPECT_GT(outcome.results.size(), 1u) << "20 schedules agree";
  } else {
    EXPECT_NE(outcome.error.find(expected), std::string::npos) << "error: " << outcome.error;
    if (kChecked && std::string_view(expected) != "livelock") {
      EXPECT_NE(outcome.error.find("wrong_kernels.cuh:"), std::string::npos) << "names no place: " << outcome.error;
    }
  }
}

// In the tamest schedule of all: threads one after the other, without preemption.
TEST_P(WrongKernels, races_show_in_any_schedule) {
  if (!kChecked) GTEST_SKIP() << "needs the race checker";
  if (std::string_view(GetParam().checked).find("race") == std::string_view::npos) return;
  for (emulator::Order order : {emulator::Order::forward, emulator::Order::reverse}) {
    emulator::options().order = order;
    emulator::options().preempt = 0;
    EXPECT_NE(run(false, 1).error.find("data race"), std::string::npos) << int(order);
  }
}

TEST_P(WrongKernels, passes_when_right) {
  const Outcome outcome = run(true);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.results.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Simt, WrongKernels, testing::ValuesIn(kPrograms),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ordo::test::wrong_kernels_test
#endif
