#include <ordo/engine/run/launch_tuning.h>

#include <utility>

#include <ordo/engine/calls/check.h>

namespace ordo::cuda {

namespace {
LaunchTuning g_tuning;
}  // namespace

const LaunchTuning& launch_tuning() { return g_tuning; }

LaunchTuning set_launch_tuning(const LaunchTuning& tuning) {
  ORDO_CHECK(tuning.block >= 32 && tuning.block <= LaunchTuning::kMostThreads && tuning.block % 32 == 0, ValueError,
             "launch tuning", "blocks of {} threads; it must be a multiple of 32, at most {}", tuning.block,
             LaunchTuning::kMostThreads);
  ORDO_CHECK(tuning.most_blocks >= 1 && tuning.most_blocks <= 0x7fffffff, ValueError, "launch tuning",
             "at most {} blocks; it must be 1 to 2147483647", tuning.most_blocks);
  ORDO_CHECK(tuning.shrink >= 1, ValueError, "launch tuning", "sizes divided by {}; it must be 1 or more",
             tuning.shrink);
  return std::exchange(g_tuning, tuning);
}

}  // namespace ordo::cuda
