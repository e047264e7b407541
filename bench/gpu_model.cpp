#include "bench/gpu_model.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace ordo::bench {

namespace {

// Multiprocessors, boost clocks and bandwidth: NVIDIA's data sheets (A100 80GB SXM, H100 SXM, H200 SXM; the clock of
// the last two follows from 67 TFLOP/s of float32) and its Ada whitepaper (RTX 4090). Atomics, H100: NVIDIA
// cuCollections pull request 672, a Bloom filter of 1e9 keys of 8 words in 16 MB, 68.1 ms with one thread for a key,
// which makes 117 G words a second each in a sector of its own, and 24.03 ms with 8 lanes for a key, which makes 333 G.
// H200 is the same chip with other memory. A100: the same for each multiprocessor and clock, an assumption. RTX 4090:
// NVIDIA Warp's table of deterministic mode (CUDA 12.4, graph replay): float additions at random into 65536 words,
// 262144 of them in 0.0081 ms and 1048576 in 0.020 ms, which makes 66 G a second; into one word 1048576 in 1.46 ms,
// 0.72 G. No other figure for one word is known: all have that of the RTX 4090.
const std::array<Gpu, 4> kGpus = {{
    {"A100", 108, 1.41, 2039, 194, 68, 0.72},
    {"H100", 132, 1.98, 3350, 333, 117, 0.72},
    {"H200", 132, 1.98, 4800, 333, 117, 0.72},
    {"RTX 4090", 128, 2.52, 1008, 188, 66, 0.72},
}};

// Of the data sheet's bandwidth what streams reach: NVIDIA cccl issue 9722, DeviceReduce of 2^28 int32 on an H200 in
// 249.3 us, 4.31 of 4.8 TB/s. A launch: the same, tiny sizes, two launches in 4.9 to 5.4 us.
constexpr double kDramShare = 0.9, kLaunchMs = 2.5e-3;
// Warps' instructions that the four schedulers of a multiprocessor begin in a clock, and accesses of shared memory that
// its 32 banks serve (CUDA C++ Programming Guide, compute capabilities 8.0 to 9.0).
constexpr double kIssued = 4, kSharedAccesses = 1;

}  // namespace

std::span<const Gpu> gpus() { return kGpus; }

Prediction predict(std::span<const cuda::KernelCounts> kernels, const Gpu& gpu) {
  std::map<std::string, double> time_for;
  for (const cuda::KernelCounts& k : kernels) {
    const auto n = [&](const char* name) {
      const auto at = k.counts.find(name);
      return at == k.counts.end() ? 0 : at->second;
    };
    const double clocks_per_ms = gpu.multiprocessors * gpu.gigahertz * 1e6;
    const std::pair<const char*, double> needs[] = {
        {"memory", n("dram_sectors") * 32 / (gpu.dram_GB * kDramShare * 1e6)},
        {"atomics", std::max(n("atomic_words") / gpu.atomic_words_G, n("atomic_sectors") / gpu.atomic_sectors_G) / 1e6},
        {"one word", n("hottest_word") / (gpu.hot_word_G * 1e6)},
        {"instructions", n("warp_instructions") / (kIssued * clocks_per_ms)},
        {"shared memory", (n("shared_accesses") + n("bank_conflicts")) / (kSharedAccesses * clocks_per_ms)},
    };
    const auto most = std::max_element(std::begin(needs), std::end(needs),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    time_for[most->first] += most->second;
    time_for["launches"] += n("launches") * kLaunchMs;
  }
  Prediction prediction;
  double most = 0;
  for (const auto& [bound, ms] : time_for) {
    prediction.ms += ms;
    if (ms > most) most = ms, prediction.bound = bound;
  }
  return prediction;
}

}  // namespace ordo::bench
