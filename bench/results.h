// Result files: JSON with one entry for every benchmark, and what it was measured on.
#pragma once

#include <string>
#include <vector>

#include "bench/measure.h"

namespace ordo::bench {

/// Five numbers of some repeats, and how many there were.
struct Spread {
  double least = 0, low = 0, median = 0, high = 0, most = 0;  ///< low and high: the quartiles
  int repeats = 0;
};
Spread spread_of(std::vector<double> values);

/// Whether the processor has instructions that multiply bfloat16 and add many products in an order of their own.
bool multiplies_bfloat16();

/// The file's head: versions, machine, threads, commit, time, and the command line given.
Json describe(const std::vector<std::string>& command);
Json to_json(const Row& row, Device device, const Measured& measured);

/// DataError for what is not there, no JSON, or of another program.
Json read_results(const std::string& file);

}  // namespace ordo::bench
