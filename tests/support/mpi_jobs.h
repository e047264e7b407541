// What processes do that mpirun starts for a test (tests/distributed/mpirun_test.py).
#pragma once

#include <string>
#include <vector>

namespace ordo::test {

/// `ordo_tests job NAME`. init_in_threads: eight threads call init() at the same time. groups_of_threads: four threads,
/// each with a group of its own, add arrays up. init_is_missing: rank 1 never calls init(). 0 when nothing went wrong,
/// else 1; 2: bad arguments.
int job_command(const std::vector<std::string>& arguments);

}  // namespace ordo::test
