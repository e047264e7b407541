// Trainings that are killed at random moments, and resumed until they are done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ordo::test {

struct KillReport {
  std::string failure;        ///< empty, or what went wrong
  int64_t kills = 0;          ///< of processes that were under way
  int64_t while_writing = 0;  ///< of them, those that left a checkpoint half written
  int64_t trainings = 0;      ///< that were compared with the one that nobody killed
};

/// Trains in processes of this program, kills them by SIGKILL, half of them at a moment drawn from `seed` and half as
/// soon as the next checkpoint is being written, and resumes, for at least `kills` kills. Every training must end with
/// the same weights, metrics, log and checkpoints as one that was left alone.
KillReport kill_trainings(int64_t kills, uint64_t seed);

/// `ordo_tests kill [--runs N] [--seed N]`: as above, for N kills. 0 when nothing went wrong, else 1; 2: bad arguments.
int kill_command(const std::vector<std::string>& arguments);

}  // namespace ordo::test
