// Trainings that are killed end like others. `ordo_tests kill --runs 1000` does more of the same.
#include <gtest/gtest.h>

#include "tests/nn/train/kill.h"
#include "tests/support/schedules.h"

namespace ordo::test::kill_test {
namespace {

TEST(Kill, a_training_ends_as_if_nobody_had_killed_it) {
  const int64_t kills = checked_build() ? 15 : 50;
  const KillReport report = kill_trainings(kills, 1);
  EXPECT_EQ(report.failure, "");
  EXPECT_GE(report.kills, kills);
  EXPECT_GT(report.while_writing, 0);
}

}  // namespace
}  // namespace ordo::test::kill_test
