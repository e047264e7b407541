// A progress bar on standard error: on a terminal only, redrawn in place, gone when it is done.
#pragma once

#include <chrono>
#include <string>

namespace ordo::demo {

class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void update(double share);

 private:
  std::string label_;
  bool terminal_;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace ordo::demo
