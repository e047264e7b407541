// Sums of NumPy, for comparison.
#pragma once

#include <string>
#include <vector>

#include "tools/ordo/show_sums.h"

/// NumPy's sums for a tree: computed all at once, by python3.
class NumpySums {
 public:
  static constexpr int kMost = 1024;  ///< values: the sums of all pairs are computed

  /// `settings` say operation, size and dtype. `values` are added `runs` times. ExitStatus 2 where python3 or NumPy is
  /// missing or fails, and for more than kMost values.
  NumpySums(const ShownSum& settings, const std::vector<double>& values, int runs);

  const std::string& version() const { return version_; }
  const std::vector<double>& results() const { return results_; }
  /// The sum of values of which one is settings.mass(), one -settings.mass(), and the others 1.
  double operator()(const std::vector<double>& values) const;

 private:
  int count_;
  double mass_;
  std::string version_;
  std::vector<double> results_, pairs_;
};
