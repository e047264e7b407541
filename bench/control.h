// The control of a result file: rows that run the same code with the switch off and on. Their ratio deterministic /
// fast is 1 in truth; what the file says instead is the bias of its measurements.
#pragma once

#include <string>

#include "bench/results.h"

namespace ordo::bench {

struct Control {
  int rows = 0;      ///< on one device or several
  double ratio = 1;  ///< geometric mean of the medians' ratio
};

/// Fewer rows say nothing of the bias.
inline constexpr int kLeastControlRows = 20;
inline constexpr double kMostControlBias = 0.03;

/// Operations that have one algorithm, `direct`: it serves every level.
bool runs_the_same_code(const OpInfo* op);

Control control_of(const Json& results);

/// Whether the ratio is known, and further from 1 than it may be: such a file is neither compared nor published.
bool is_biased(const Control& control);
std::string text_of(const Control& control);

}  // namespace ordo::bench
