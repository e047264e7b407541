// A named pipe, and whether somebody waited for its other end.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace ordo::test {

/// Whoever still waits after ten seconds gets the other end for a moment, so that a test fails rather than hangs.
class Fifo {
 public:
  explicit Fifo(const std::string& path) : path_(path), handler_(std::signal(SIGPIPE, SIG_IGN)) {
    if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error(path + " cannot be made");
    watch_ = std::thread([this] {
      std::unique_lock lock(mutex_);
      if (ended_.wait_for(lock, std::chrono::seconds(10), [this] { return end_; })) return;
      waited_ = true;
      ::close(::open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    });
  }
  ~Fifo() {
    {
      const std::lock_guard lock(mutex_);
      end_ = true;
    }
    ended_.notify_all();
    watch_.join();
    std::signal(SIGPIPE, handler_);
  }

  const std::string& path() const { return path_; }
  bool waited() {
    const std::lock_guard lock(mutex_);
    return waited_;
  }
  /// Nothing has taken its place.
  bool is_there() const {
    struct stat status {};
    return ::lstat(path_.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
  }

 private:
  const std::string path_;
  void (*const handler_)(int);
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false, waited_ = false;
  std::thread watch_;
};

}  // namespace ordo::test
