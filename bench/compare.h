// Two result files: which benchmarks changed by more than their repeats vary.
#pragma once

#include "bench/results.h"

namespace ordo::bench {

struct Change {
  std::string name;
  double old_ms, new_ms;
  enum Kind { same, faster, slower, more_patterns } kind;
  bool regression;  ///< slower by more than the threshold, or a deterministic result that no longer is
};

/// Every benchmark that both files have. A time changed when the two middle halves of the repeats do not overlap.
std::vector<Change> compare(const Json& before, const Json& after, double threshold);

}  // namespace ordo::bench
