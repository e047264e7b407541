// How kernels whose threads do not work together are launched, and from which sizes on they take another form. No
// result may depend on it: tests launch in other shapes and compare. Internal.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ordo::cuda {

struct LaunchTuning {
  /// With 128 registers each, which no kernel launched so exceeds, they fill a multiprocessor's 65536.
  static constexpr int kMostThreads = 512;

  int block = 256;                   ///< threads of a block; a multiple of 32, at most kMostThreads
  int64_t most_blocks = 0x7fffffff;  ///< of any launch; fewer than the work needs make the kernels loop
  int64_t shrink = 1;                ///< sizes at which forms change are divided by it: small data takes forms of large
};

const LaunchTuning& launch_tuning();
/// Returns what was in force. Not while other threads launch. Throws ValueError.
LaunchTuning set_launch_tuning(const LaunchTuning& tuning);
/// A size at which a form changes.
inline int64_t tuned_size(int64_t size) { return std::max<int64_t>(1, size / launch_tuning().shrink); }

}  // namespace ordo::cuda
