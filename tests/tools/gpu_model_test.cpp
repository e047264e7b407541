// Predictions from counts.
#include "bench/gpu_model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ordo::bench {
namespace {

const Gpu& gpu(const std::string& name) {
  return *std::find_if(gpus().begin(), gpus().end(), [&](const Gpu& g) { return g.name == name; });
}

cuda::KernelCounts kernel(std::map<std::string, double> counts) { return {"kernel", std::move(counts)}; }

TEST(GpuModel, a_kernel_takes_as_long_as_the_slowest_of_what_it_needs) {
  const double launch = predict({{kernel({{"launches", 1}})}}, gpu("H100")).ms;
  EXPECT_GT(launch, 0);
  // 3.35 TB/s, of which streams reach 90 %.
  const auto memory =
      kernel({{"launches", 1}, {"dram_sectors", 3.35e12 * 0.9 / 32 / 1000}, {"warp_instructions", 1e6}});
  EXPECT_NEAR(predict({{memory}}, gpu("H100")).ms, 1 + launch, 1e-6);
  EXPECT_EQ(predict({{memory}}, gpu("H100")).bound, "memory");
  EXPECT_NEAR(predict({{memory, memory}}, gpu("H100")).ms, 2 * (1 + launch), 1e-6);
  EXPECT_NEAR(predict({{memory}}, gpu("H200")).ms, 3350.0 / 4800 + launch, 1e-6);
  const auto issue = kernel({{"launches", 1}, {"dram_sectors", 10}, {"warp_instructions", 132 * 1.98e9 * 4 / 1000}});
  EXPECT_NEAR(predict({{issue}}, gpu("H100")).ms, 1 + launch, 1e-6);
  EXPECT_EQ(predict({{issue}}, gpu("H100")).bound, "instructions");
  const auto shared = kernel({{"launches", 1}, {"shared_accesses", 132 * 1.98e6}, {"bank_conflicts", 132 * 1.98e6}});
  EXPECT_NEAR(predict({{shared}}, gpu("H100")).ms, 2 + launch, 1e-6);
  EXPECT_EQ(predict({{shared}}, gpu("H100")).bound, "shared memory");
  EXPECT_EQ(predict({{kernel({{"launches", 3}})}}, gpu("H100")).bound, "launches");
  EXPECT_EQ(predict({}, gpu("H100")).ms, 0);
}

TEST(GpuModel, atomics_by_words_and_sectors_and_the_hottest_word) {
  const auto ms = [&](double words, double sectors, double hottest, const char* bound) {
    const Prediction p = predict(
        {{kernel({{"atomic_words", words}, {"atomic_sectors", sectors}, {"hottest_word", hottest}})}}, gpu("H100"));
    EXPECT_EQ(p.bound, bound);
    return p.ms;
  };
  EXPECT_NEAR(ms(117e6, 117e6, 1, "atomics"), 1, 1e-6);
  EXPECT_NEAR(ms(333e6, 333e6 / 8, 1, "atomics"), 1, 1e-6);
  EXPECT_NEAR(ms(1e6, 1e3, 0.72e6, "one word"), 1, 1e-6);
}

// What NVIDIA Warp's table has for float additions on an RTX 4090: words changed, how often the hottest, milliseconds.
// The model's figures for atomics of this GPU come from the second, the fourth and the last.
TEST(GpuModel, published_times_are_within_its_band) {
  struct Published {
    double writes, hottest, ms;
  };
  for (const Published& p :
       {Published{65536, 65536, 0.099}, Published{1048576, 1048576, 1.46}, Published{65536, 10, 0.0058},
        Published{262144, 20, 0.0081}, Published{1048576, 50, 0.020}}) {
    // A launch that clears the result, and one that reads values and places and adds.
    const double sectors = p.hottest == p.writes ? p.writes / 32 : p.writes;
    const auto clear = kernel({{"launches", 1}}), add = kernel({{"launches", 1},
                                                                {"dram_sectors", p.writes * 8 / 32},
                                                                {"atomic_words", p.writes},
                                                                {"atomic_sectors", sectors},
                                                                {"hottest_word", p.hottest}});
    const double ms = predict({{clear, add}}, gpu("RTX 4090")).ms;
    EXPECT_GT(ms, p.ms / 1.5) << p.writes << " into " << p.hottest;
    EXPECT_LT(ms, p.ms * 1.5) << p.writes << " into " << p.hottest;
  }
}

}  // namespace
}  // namespace ordo::bench
