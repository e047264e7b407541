// What ORDO_EMULATOR_RECORD writes down is what happened: replayed, its additions give the bits of the result.
#include <ordo/engine/cuda/cuda.h>

#if ORDO_EMULATED
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/run/emulation.h>
#include <ordo/simulators/emulator/recording.h>

namespace ordo::cuda {
namespace {

__global__ void add_recorded_atomic_kernel(float* sums) {
  __syncthreads();
  atomicAdd(&sums[threadIdx.x % 2], 0.1f * float(threadIdx.x + 1));
}

class EmulatorRecording : public testing::Test {
 protected:
  EmulatorRecording() { emulator::options().host_memory = true; }
  ~EmulatorRecording() override {
    emulator::recording::to_file("");
    emulator::options() = before_;
    std::remove(file_.c_str());
  }
  std::vector<std::string> lines() {
    emulator::recording::to_file("");
    std::ifstream in(file_);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  emulator::Options before_ = emulator::options();
  const std::string file_ = testing::TempDir() + "recording_test_" + std::to_string(getpid()) + ".jsonl";
};

TEST_F(EmulatorRecording, has_every_addition_in_its_order) {
  emulator::recording::to_file(file_);
  float sums[2] = {0, 0};
  emulator::launch(add_recorded_atomic_kernel, 2, 8, 0, nullptr, sums);
  finish_queued_work();
  const std::vector<std::string> all = lines();
  ASSERT_GT(all.size(), 2u);
  EXPECT_NE(all[1].find("add_recorded_atomic_kernel"), std::string::npos) << all[1];
  std::map<unsigned, int> at_barrier;
  std::map<int, float> replayed;
  int atomics = 0, ends = 0, opens = 0;
  for (const std::string& line : all) {
    unsigned block = 0, thread = 0;
    int place = 0;
    float before = 0, after = 0;
    if (std::sscanf(line.c_str(), "[\"barrier\", %u, %u", &block, &thread) == 2) ++at_barrier[block];
    if (std::sscanf(line.c_str(), "[\"open\", %u", &block) == 1) {
      ++opens;
      EXPECT_EQ(at_barrier[block], 8);
    }
    if (line.find("[\"end\"") == 0) ++ends;
    if (std::sscanf(line.c_str(), "[\"atomic\", %u, %u, %d, \"%f\", \"%f\"]", &block, &thread, &place, &before,
                    &after) != 5)
      continue;
    ++atomics;
    EXPECT_EQ(at_barrier[block], 8) << "nobody passes before all have come";
    EXPECT_EQ(replayed[place], before);
    replayed[place] += 0.1f * float(thread + 1);
    EXPECT_EQ(std::bit_cast<uint32_t>(replayed[place]), std::bit_cast<uint32_t>(after)) << line;
  }
  EXPECT_EQ(atomics, 16);
  EXPECT_EQ(ends, 16);
  EXPECT_EQ(opens, 2);
  std::multiset<float> results{sums[0], sums[1]}, of_replay;
  for (const auto& [place, value] : replayed) of_replay.insert(value);
  EXPECT_EQ(results, of_replay);
}

TEST_F(EmulatorRecording, ends_after_its_most_events_and_says_so) {
  emulator::recording::to_file(file_);
  float sums[2] = {0, 0};
  for (int i = 0; i < 30; ++i) emulator::launch(add_recorded_atomic_kernel, 8, 64, 0, nullptr, sums);
  finish_queued_work();
  EXPECT_FALSE(emulator::recording::on);
  const std::vector<std::string> all = lines();
  EXPECT_EQ(all.size(), size_t(emulator::recording::kMostEvents) + 2);
  EXPECT_EQ(all.back(), "{\"cut\": 20000}");
}

TEST_F(EmulatorRecording, changes_no_result_and_refuses_a_file_that_cannot_be_written) {
  float plain[2] = {0, 0}, recorded[2] = {0, 0};
  restart_schedule();
  emulator::launch(add_recorded_atomic_kernel, 2, 32, 0, nullptr, plain);
  finish_queued_work();
  restart_schedule();
  emulator::recording::to_file(file_);
  emulator::launch(add_recorded_atomic_kernel, 2, 32, 0, nullptr, recorded);
  finish_queued_work();
  EXPECT_EQ(std::memcmp(plain, recorded, sizeof plain), 0);
  EXPECT_THROW(emulator::recording::to_file(testing::TempDir() + "no-such-folder/file"), DataError);
}

}  // namespace
}  // namespace ordo::cuda
#endif
