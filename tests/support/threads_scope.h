// Threads that compute in tests, and how many.
#pragma once

#include <thread>

#include "tests/support/op_samples.h"

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

/// Calls f(0) to f(count - 1), each in a thread of its own.
inline void in_threads(int count, const std::function<void(int)>& f) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&f, i] { f(i); });
  for (std::thread& thread : threads) thread.join();
}

/// f's tensors have the same bytes with one thread and with more.
inline void expect_same_with_any_threads(const char* what, const std::function<TensorList()>& f) {
  const ThreadsScope scope;
  set_num_threads(1);
  const TensorList want = f();
  for (int threads : {2, 3, 5, 7}) {
    set_num_threads(threads);
    const TensorList got = f();
    ASSERT_EQ(got.size(), want.size()) << what;
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_EQ(bytes_of(got[i]), bytes_of(want[i])) << what << ", tensor " << i << ", with " << threads << " threads";
  }
}

}  // namespace ordo::test
