// Processes of the tests' program, for what happens when a process ends, forks or is interrupted.
#pragma once

#include <string>
#include <vector>

namespace ordo::test {

struct Ended {
  bool in_time = false;
  int status = 0;      ///< as waitpid gives it; 0: it ended well
  std::string errors;  ///< what it wrote to stderr
};

/// Runs this program with these arguments and, beside its own environment, these variables ("NAME=value"). One that has
/// not ended after `seconds` is killed.
Ended run_this_program(const std::vector<std::string>& arguments, const std::vector<std::string>& variables,
                       double seconds = 60);

/// Waits for a process of one's own, as above; of its stderr it says nothing.
Ended wait_for(int process, double seconds = 60);

}  // namespace ordo::test
