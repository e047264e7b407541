// While one lives, the first Ctrl-C is remembered instead of ending the program; a second one ends it. Those of several
// threads, each of which trains, remember the same one. Internal to nn.
#pragma once

namespace ordo::detail {

class InterruptGuard {
 public:
  explicit InterruptGuard(bool on);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;

 private:
  bool on_;
};

}  // namespace ordo::detail
