// Programs that `ordo` starts, watches and, where they take too long, ends.
#pragma once

#include <map>
#include <string>
#include <vector>

struct ProcessEnd {
  enum class How { exited, killed, timed_out, not_started };
  How how = How::exited;
  int status = 0;  ///< exit status, or the signal's number
  double seconds = 0;
  bool good() const { return how == How::exited && status == 0; }
  /// "ended with status 3"
  std::string str() const;
};

/// Runs a program in a process group of its own, with these variables on top of the environment, and its output in a
/// file. After `timeout` seconds (0: never) the group is killed.
ProcessEnd run_process(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables,
                       double timeout, const std::string& output);

/// Threads that compute nothing until it is destroyed.
class BusyThreads {
 public:
  explicit BusyThreads(int count);
  ~BusyThreads();
  BusyThreads(const BusyThreads&) = delete;
  BusyThreads& operator=(const BusyThreads&) = delete;

 private:
  struct State;
  State* state_;
};
