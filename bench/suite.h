// A run of the whole table, on some devices, with peers.
#pragma once

#include <regex>

#include "bench/results.h"

namespace ordo::bench {

struct Suite {
  std::vector<Row> rows;
  std::vector<Device> devices;
  Effort effort;
  std::regex filter;  ///< a benchmark whose name does not match is left out
  bool peers = true;
  std::string json;  ///< the file that is written after every row; empty: none
};

/// Measures, prints, and adds "bandwidth", "peers", "notes", "control" (control_of) and "results" to `file`, and to
/// what of these is there already: rows that it has are not measured again. ValueError when the filter matches nothing.
void run_suite(const Suite& suite, Json& file);

}  // namespace ordo::bench
