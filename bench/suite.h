// A run of the whole table, on some devices, with peers.
#pragma once

#include <functional>
#include <regex>

#include "bench/results.h"

namespace ordo::bench {

struct Suite {
  std::vector<Row> rows;
  std::vector<Device> devices;
  Effort effort;
  std::regex filter;  ///< a benchmark whose name does not match is left out
  bool peers = true;
  std::function<void(const Json& entries)> on_row;  ///< the results of one row on one device
  std::function<void(double share, const std::string& name)> on_progress;
  std::function<void(const std::string& note)> on_note;
  std::function<void(const Json& file)> on_save;  ///< after every row
};

/// Adds "bandwidth", "peers", "notes", "control" (bench/control.h) and "results" to `file`, and to what of these is
/// there already: rows that it has are not measured again. ValueError when the filter matches nothing.
void run_suite(const Suite& suite, Json& file);

}  // namespace ordo::bench
