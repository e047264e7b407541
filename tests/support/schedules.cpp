#include "tests/support/schedules.h"

#include <fmt/format.h>

#include <cstdlib>
#include <numeric>

namespace ordo::test {

bool checked_build() {
#if ORDO_CHECKED_BUILD
  return true;
#else
  return false;
#endif
}

int schedule_seeds() {
  static const int seeds = [] {
    if (const char* text = std::getenv("ORDO_TEST_REPEATS"))
      if (const int n = std::atoi(text); n > 0) return n;
    return checked_build() ? 3 : 20;
  }();
  return seeds;
}

std::vector<int> all_schedules() {
  if (checked_build()) return {0, 1, schedule_seeds(), schedule_seeds() + 1};
  std::vector<int> all(size_t(schedule_seeds() + 4));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int> few_schedules() {
  if (checked_build()) return {0, 1};
  const int n = schedule_seeds();
  return {0, 1 % n, 2 % n, n, n + 1};
}

ScheduleScope::ScheduleScope(int schedule, int64_t shrink) {
  cuda::Schedule s = schedule_before_;
  const int after_seeds = schedule - schedule_seeds();
  if (after_seeds >= 0)
    s.order = after_seeds % 3 == 0 ? "forward" : "reverse";
  else
    s.order = "random", s.seed = uint64_t(schedule) + 1;
  cuda::set_schedule(s);
  // Small blocks, and too few for most work, so that kernels loop.
  cuda::LaunchTuning tuning = tuning_before_;
  if ((after_seeds >= 0 ? after_seeds : schedule) % 2) tuning.block = 64, tuning.most_blocks = 5;
  tuning.shrink = shrink;
  cuda::set_launch_tuning(tuning);
}

ScheduleScope::~ScheduleScope() {
  cuda::set_schedule(schedule_before_);
  cuda::set_launch_tuning(tuning_before_);
}

std::string ScheduleScope::str() const {
  const cuda::LaunchTuning& t = cuda::launch_tuning();
  return fmt::format("{} blocks of {}, at most {}, sizes divided by {}", cuda::schedule_text(cuda::schedule()), t.block,
                     t.most_blocks, t.shrink);
}

uint64_t order_dependent_operations() {
  const cuda::EmulatorCounts counts = cuda::emulator_counts();
  return counts.float_atomics + counts.float_collectives;
}

}  // namespace ordo::test
