// The five families whose fast paths add in the order threads arrive: what the fast and the deterministic path cost,
// and how many different results each gives when it is repeated.
#pragma once

#include <ordo/ordo.h>

#include <functional>
#include <string>
#include <vector>

namespace ordo::demo {

/// One family at work. `prepare`, called at some level, gives a function that does the operation (of embedding_bag and
/// max_pool2d: its backward pass) once at that level and returns what it computed.
struct Family {
  std::string name;
  std::function<std::function<Tensor()>()> prepare;
};
/// Workloads of the demo's sizes, or smaller by about `shrink`, on `device`. The same values on every device.
std::vector<Family> families(Device device, int shrink = 1);

struct FamilyResult {
  std::string name;
  double fast_ms = 0, deterministic_ms = 0;  ///< medians
  int fast_patterns = 0, deterministic_patterns = 0;
};
/// Runs `family` `repeats` times at not_guaranteed and as often at run_to_run, after one run to warm up, and counts the
/// distinct bit patterns of the results.
FamilyResult measure(const Family& family, Device device, int repeats);

}  // namespace ordo::demo
