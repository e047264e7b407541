// What a person sees of a run, on stderr: a bar where that is a terminal, elsewhere lines. Internal to nn.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace ordo::detail {

class Progress {
 public:
  /// `done` of `steps` were made by earlier parts of the run.
  Progress(bool on, int64_t done, int64_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Draws the bar anew, ten times a second at most.
  void step(int64_t step, const std::string& label, double loss);
  void line(const std::string& text);
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  void clear();
  bool on_, terminal_, drawn_ = false;
  int64_t first_, steps_;
  Clock::time_point began_, last_drawn_;
};

}  // namespace ordo::detail
