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
  /// With the time left, once there is something to judge it by. `detail`: what is being done.
  void update(double share, const std::string& detail = {});
  /// Makes room for a line of output; the next update draws again.
  void clear();

 private:
  std::string label_;
  bool terminal_;
  std::chrono::steady_clock::time_point started_, drawn_;
};

}  // namespace ordo::demo
