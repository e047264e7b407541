#pragma once

#include <ordo/engine/parallel.h>

namespace ordo::test {

/// The number of threads is what it was when this ends.
class ThreadsScope {
 public:
  ThreadsScope() = default;
  ~ThreadsScope() { set_num_threads(before_); }
  ThreadsScope(const ThreadsScope&) = delete;
  ThreadsScope& operator=(const ThreadsScope&) = delete;

 private:
  int before_ = num_threads();
};

}  // namespace ordo::test
