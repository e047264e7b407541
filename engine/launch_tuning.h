// How kernels whose threads do not work together are launched. No result may depend on it: tests launch in other shapes
// and compare. Internal.
#pragma once

#include <cstdint>

namespace ordo::cuda {

struct LaunchTuning {
  /// With 128 registers each, which no kernel launched so exceeds, they fill a multiprocessor's 65536.
  static constexpr int kMostThreads = 512;

  int block = 256;                   ///< threads of a block; a multiple of 32, at most kMostThreads
  int64_t most_blocks = 0x7fffffff;  ///< of any launch; fewer than the work needs make the kernels loop
};

const LaunchTuning& launch_tuning();
/// Returns what was in force. Not while other threads launch. Throws ValueError.
LaunchTuning set_launch_tuning(const LaunchTuning& tuning);

}  // namespace ordo::cuda
