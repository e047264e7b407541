// A run and the person at its terminal. Internal to nn.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace ordo::detail {

/// What a person sees, on stderr: a bar where that is a terminal, elsewhere lines.
class Progress {
 public:
  /// `done` of `steps` were made by earlier parts of the run.
  Progress(bool on, int64_t done, int64_t steps);
  ~Progress();
  Progress(Progress&&) = delete;

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

/// While one lives, the first Ctrl-C is remembered instead of ending the program; a second one ends it. Those of
/// several threads, each of which trains, remember the same one.
class InterruptGuard {
 public:
  explicit InterruptGuard(bool on);
  ~InterruptGuard();
  InterruptGuard(InterruptGuard&&) = delete;

  bool interrupted() const;

 private:
  bool on_;
};

}  // namespace ordo::detail
