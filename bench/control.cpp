#include "bench/control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ordo::bench {

bool runs_the_same_code(const OpInfo* op) {
  return op && std::all_of(op->algorithms.begin(), op->algorithms.end(),
                           [](const AlgorithmLevel& a) { return a.algorithm == Algorithm::direct; });
}

Control control_of(const Json& results) {
  std::map<std::string, double> fast;  // by device and row
  const auto key = [](const Json& r) { return r.value("device", "") + r.at("row").dump(); };
  const auto judged = [](const Json& r, const char* path) {
    return r.at("path") == path && r.contains("ms") && r.contains("row") &&
           runs_the_same_code(find_op(r.at("row").value("op", "")));
  };
  const auto median = [](const Json& r) { return r.at("ms").at("median").get<double>(); };
  for (const Json& r : results)
    if (judged(r, "not_guaranteed")) fast[key(r)] = median(r);
  Control control;
  double logarithms = 0;
  for (const Json& r : results)
    if (const auto at = judged(r, "run_to_run") ? fast.find(key(r)) : fast.end(); at != fast.end()) {
      logarithms += std::log(median(r) / at->second);
      ++control.rows;
    }
  if (control.rows > 0) control.ratio = std::exp(logarithms / control.rows);
  return control;
}

bool is_biased(const Control& control) {
  return control.rows >= kLeastControlRows && std::abs(control.ratio - 1) > kMostControlBias;
}

std::string text_of(const Control& control) {
  const std::string rows = fmt::format(
      "deterministic / fast is {:.3f} over {} rows that run the same code at both levels", control.ratio, control.rows);
  if (control.rows < kLeastControlRows)
    return fmt::format("{}; {} rows are needed to know the bias of a file", rows, kLeastControlRows);
  if (is_biased(control))
    return fmt::format("{}, and further from 1 than {}: the machine was not quiet, or the measurement is biased", rows,
                       kMostControlBias);
  return rows;
}

}  // namespace ordo::bench
