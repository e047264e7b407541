#include "tests/support/schedules.h"

#include <fmt/format.h>

#include <cstdlib>

namespace ordo::test {

int schedule_seeds() {
  static const int seeds = [] {
    if (const char* text = std::getenv("ORDO_TEST_REPEATS"))
      if (const int n = std::atoi(text); n > 0) return n;
#if ORDO_CHECKED_BUILD
    return 3;
#else
    return 20;
#endif
  }();
  return seeds;
}

int schedule_count() { return schedule_seeds() + 4; }

ScheduleScope::ScheduleScope(int i) {
  cuda::Schedule s = schedule_before_;
  const int after_seeds = i - schedule_seeds();
  if (after_seeds >= 0)
    s.order = after_seeds < 2 ? "forward" : "reverse";
  else
    s.order = "random", s.seed = uint64_t(i) + 1;
  cuda::set_schedule(s);
  // Small blocks, and too few for most work, so that kernels loop.
  if (i % 2) cuda::set_launch_tuning({.block = 64, .most_blocks = 5});
}

ScheduleScope::~ScheduleScope() {
  cuda::set_schedule(schedule_before_);
  cuda::set_launch_tuning(tuning_before_);
}

std::string ScheduleScope::str() const {
  const cuda::LaunchTuning& t = cuda::launch_tuning();
  return fmt::format("{} blocks of {}, at most {}", cuda::schedule_text(cuda::schedule()), t.block, t.most_blocks);
}

uint64_t order_dependent_operations() {
  const cuda::EmulatorCounts counts = cuda::emulator_counts();
  return counts.float_atomics + counts.float_collectives;
}

}  // namespace ordo::test
