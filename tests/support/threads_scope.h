// How many threads compute, in tests.
#pragma once

#include <ordo/engine/run/parallel.h>
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
