#include "tools/demo/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ordo::demo {

ProgressBar::ProgressBar(std::string label) : label_(std::move(label)), terminal_(isatty(STDERR_FILENO)) { update(0); }

ProgressBar::~ProgressBar() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::update(double share) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (share > 0 && now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  constexpr int kWidth = 30;
  const int filled = std::clamp(int(share * kWidth), 0, kWidth);
  fmt::print(stderr, "\r\033[K  {}  [{:=<{}}{:<{}}] {:3.0f} %", label_, "", filled, "", kWidth - filled, share * 100);
  std::fflush(stderr);
}

}  // namespace ordo::demo
