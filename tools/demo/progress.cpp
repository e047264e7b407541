#include "tools/demo/progress.h"

#include <fmt/format.h>
#include <ordo/engine/tensor/printable.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ordo::demo {

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)), terminal_(isatty(STDERR_FILENO)), started_(std::chrono::steady_clock::now()) {
  update(0);
}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
  drawn_ = {};
}

void ProgressBar::update(double share, const std::string& detail) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (share > 0 && now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  constexpr int kWidth = 30;
  const int filled = std::clamp(int(share * kWidth), 0, kWidth);
  const double seconds = std::chrono::duration<double>(now - started_).count();
  std::string left;
  if (share > 0.01 && seconds > 3) {
    const int rest = int(seconds * (1 - share) / share);
    left = fmt::format("  {}:{:02} left", rest / 60, rest % 60);
  }
  fmt::print(stderr, "\r\033[K  {}  [{:=<{}}{:<{}}] {:3.0f} %{}  {}", label_, "", filled, "", kWidth - filled,
             share * 100, left, printable(detail));
  std::fflush(stderr);
}

}  // namespace ordo::demo
