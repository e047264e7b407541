// Sums of NumPy, for comparison.
#pragma once

#include <string>
#include <vector>

#include "tools/ordo/show_sums.h"

/// NumPy's sums, which python3 has computed.
struct NumpySums {
  std::string version;
  std::vector<double> results;  ///< of each run
  ordo::audit::Sum sum;         ///< for recover_tree: of values of which two are not 1
};

/// `settings` say operation, size and dtype; `values` are added `runs` times. ExitStatus 2 where python3 or NumPy is
/// missing or fails, and for more than 1024 values: the sums of all pairs are computed at once.
NumpySums numpy_sums(const ShownSum& settings, const std::vector<double>& values, int runs);
