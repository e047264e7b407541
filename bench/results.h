// Result files: JSON with one entry for every benchmark, and what it was measured on.
#pragma once

#include <string>
#include <vector>

#include "bench/measure.h"

namespace ordo::bench {

/// Whether the processor has instructions that multiply bfloat16 and add many products in an order of their own.
bool multiplies_bfloat16();

/// The file's head: versions, machine, threads, commit, time, and the command line given.
Json describe(const std::vector<std::string>& command);
Json to_json(const Row& row, Device device, const Measured& measured);

/// DataError for what is not there, no JSON, or of another program.
Json read_results(const std::string& file);

/// The control of a file: rows that run the same code with the switch off and on, which have one algorithm, `direct`.
/// Their ratio deterministic / fast is 1 in truth; what the file says instead is the bias of its measurements. {"rows",
/// "ratio": the geometric mean of the medians', "biased": such a file is neither compared nor published, "text"}.
Json control_of(const Json& results);

}  // namespace ordo::bench
