// While one lives, the first Ctrl-C is remembered instead of ending the program; a second one ends it. Internal to nn.
#pragma once

#include <csignal>

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
  struct sigaction before_ {};
};

}  // namespace ordo::detail
