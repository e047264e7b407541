// Schedules that tests run work under. On the emulated device seed, order of threads and launch tuning change; on a
// real GPU the tuning changes and runs are repeats; on the CPU they are repeats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ordo/engine/run/emulation.h>
#include <ordo/engine/run/launch_tuning.h>

namespace ordo::test {

/// Builds that check every access are ten times slower and more, and need one run of a kernel, not many: tests do less.
bool checked_build();
/// 20 seeds; 3 in checked builds. ORDO_TEST_REPEATS overrides it.
int schedule_seeds();
/// The seeds in random order, then forward and reverse order twice; every other one in the second launch tuning. In
/// checked builds two seeds, forward and reverse.
std::vector<int> all_schedules();
/// Three seeds, forward and reverse, in both tunings; in checked builds two seeds, one in each tuning.
std::vector<int> few_schedules();

/// One of them, until the end of the scope.
class ScheduleScope {
 public:
  /// Sizes at which kernels change their form are divided by `shrink`.
  explicit ScheduleScope(int schedule, int64_t shrink = 1);
  ~ScheduleScope();
  ScheduleScope(const ScheduleScope&) = delete;
  ScheduleScope& operator=(const ScheduleScope&) = delete;
  /// As environment variables and tuning, for messages.
  std::string str() const;

 private:
  cuda::Schedule schedule_before_ = cuda::schedule();
  cuda::LaunchTuning tuning_before_ = cuda::launch_tuning();
};

/// Float atomics and collectives with an order of their own that the emulated device has executed so far.
uint64_t order_dependent_operations();

}  // namespace ordo::test
