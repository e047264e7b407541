// Programs that `ordo` starts, watches and, where they take too long, ends.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <thread>
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
/// file, or with that of `ordo` where `output` is empty. After `timeout` seconds (0: never) the group is killed.
ProcessEnd run_process(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables,
                       double timeout, const std::string& output);

/// Threads that compute nothing until it is destroyed.
class BusyThreads {
 public:
  explicit BusyThreads(int count) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
        }
      });
  }

 private:
  std::vector<std::jthread> threads_;
};

/// A new folder for temporary files, removed with what is in it. DataError in the name of `command` where none can be
/// made.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& command);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path path;
};
