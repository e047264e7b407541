// Two runs of one training, and how far apart they are after each step.
#pragma once

#include <ordo/ordo.h>

#include <string>
#include <vector>

#include "tools/demo/training.h"

namespace ordo::show {

/// What differs after a step.
struct Apart {
  double weights = 0;     ///< square root of the sum of squared differences
  int64_t different = 0;  ///< weights whose bits differ
  double loss = 0;        ///< absolute difference
};

struct Fork {
  Determinism level;
  std::vector<Apart> steps;
  int64_t weights = 0;  ///< of the model
  /// The first step after which a weight differs, from 1; 0: none does.
  int64_t first() const;
};

/// Trains twice with one seed at that level. On a simulated device the second run has the schedules of the next seed.
Fork fork_of(const demo::Task& task, Determinism level, int64_t steps);

/// A character for each of at most `width` groups of steps, for the greatest distance in it: a space for none, and
/// " .:-=+*#%@" from 1e-9 or less to 1 or more.
std::string sparkline(const Fork& fork, size_t width = 60);
/// The distances by step, and the first step after which a weight differs (0: none does), of each level.
std::string json(const std::vector<Fork>& forks, const std::string& title);
/// The distances of the weights and of the losses by step, on a logarithmic scale.
std::string svg(const std::vector<Fork>& forks, const std::string& title);

}  // namespace ordo::show
