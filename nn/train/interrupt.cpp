#include <ordo/nn/train/interrupt.h>

#include <atomic>
#include <csignal>
#include <mutex>

#include <ordo/engine/fork.h>

namespace ordo::detail {
namespace {

std::atomic<bool> seen = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes to it");
void remember(int) { seen = true; }

std::mutex& mutex() { return process_mutex(ProcessLock::interrupts); }
int guards = 0;
struct sigaction before {};

}  // namespace

InterruptGuard::InterruptGuard(bool on) : on_(on) {
  if (!on_) return;
  const std::lock_guard lock(mutex());
  if (guards++ > 0) return;
  seen = false;
  ::sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;  // the program is to go on, as under nohup
  struct sigaction ours {};
  ours.sa_handler = remember;
  ours.sa_flags = int(SA_RESTART | SA_RESETHAND);  // once: the next one has its usual effect
  ::sigaction(SIGINT, &ours, nullptr);
}

InterruptGuard::~InterruptGuard() {
  if (!on_) return;
  const std::lock_guard lock(mutex());
  if (--guards == 0) ::sigaction(SIGINT, &before, nullptr);
}

bool InterruptGuard::interrupted() const { return on_ && seen; }

}  // namespace ordo::detail
