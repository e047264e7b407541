#include <ordo/nn/train/terminal.h>

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <mutex>

#include <ordo/engine/run/fork.h>

namespace ordo::detail {
namespace {

std::atomic<bool> seen = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes to it");
void remember(int) { seen = true; }

std::mutex& mutex() { return process_mutex(ProcessLock::interrupts); }
int guards = 0;
struct sigaction before {};

}  // namespace

Progress::Progress(bool on, int64_t done, int64_t steps)
    : on_(on), terminal_(on && isatty(STDERR_FILENO)), first_(done), steps_(steps), began_(Clock::now()) {}

Progress::~Progress() { clear(); }

double Progress::seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::line(const std::string& text) {
  if (!on_) return;
  clear();
  fmt::print(stderr, "{}\n", text);
}

void Progress::step(int64_t step, const std::string& label, double loss) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (now - last_drawn_ < std::chrono::milliseconds(100)) return;
  last_drawn_ = now;
  constexpr int kWidth = 24;
  const double share = double(step) / double(std::max(steps_, step));
  const int filled = int(share * kWidth);
  const double rate = double(step - first_) / std::max(seconds(), 1e-9);
  std::string left;
  if (step - first_ > 3) {
    const auto rest = int64_t(double(std::max(steps_ - step, int64_t(0))) / rate);
    left = rest < 3600 ? fmt::format("  {}:{:02} left", rest / 60, rest % 60)
                       : fmt::format("  {}:{:02}:{:02} left", rest / 3600, rest / 60 % 60, rest % 60);
  }
  clear();
  fmt::print(stderr, "{}  [{:=<{}}{:<{}}] {:3.0f} %{}  {:.4g} steps/s  loss {:.4g}", label, "", filled, "",
             kWidth - filled, share * 100, left, rate, loss);
  std::fflush(stderr);
  drawn_ = true;
}

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
