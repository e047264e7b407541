#include <ordo/nn/train/interrupt.h>

namespace ordo::detail {
namespace {

volatile std::sig_atomic_t interrupts = 0;
void remember(int) { interrupts = 1; }

}  // namespace

InterruptGuard::InterruptGuard(bool on) : on_(on) {
  if (!on_) return;
  interrupts = 0;
  struct sigaction ours {};
  ours.sa_handler = remember;
  ours.sa_flags = int(SA_RESTART | SA_RESETHAND);  // once: the next one has its usual effect
  ::sigaction(SIGINT, &ours, &before_);
}

InterruptGuard::~InterruptGuard() {
  if (on_) ::sigaction(SIGINT, &before_, nullptr);
}

bool InterruptGuard::interrupted() const { return on_ && interrupts != 0; }

}  // namespace ordo::detail
