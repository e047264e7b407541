// A process that forks while its other threads compute.
#include <unistd.h>

#include <atomic>

#include "tests/support/child_process.h"
#include "tests/support/schedules.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::fork_test {
namespace {

/// What takes the locks that all of a process shares.
double compute() {
  nn::Linear layer(8, 8);
  const nn::Linear copy = layer;
  const Tensor x = rand({64, 8}, {.requires_grad = true});
  layer(x).sum().backward();
  return x.grad().sum().item<double>();
}

TEST(Fork, a_child_computes_whatever_the_other_threads_did) {
  if (checked_build()) GTEST_SKIP() << "a sanitizer's allocator has locks of its own, which a child may find taken";
  const audit::Recorder recorder;
  std::atomic<bool> done = false;
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i)
    others.emplace_back([&] {
      while (!done) compute();
    });
  int hangs = 0, failures = 0;
  for (int i = 0; i < 200 && hangs == 0; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int k = 0; k < 3; ++k) compute();
      ::_exit(0);
    }
    const Ended ended = wait_for(child, 20);
    hangs += !ended.in_time;
    failures += ended.in_time && ended.status != 0;
  }
  done = true;
  for (std::thread& other : others) other.join();
  EXPECT_EQ(hangs, 0);
  EXPECT_EQ(failures, 0);
}

/// Above this many elements an operation is shared by threads, of which a child has none of its parent's.
TEST(Fork, a_child_has_threads_of_its_own) {
  const ThreadsScope scope;
  set_num_threads(4);
  const Tensor x = ones({1 << 20});
  EXPECT_EQ(x.sum().item(), double(1 << 20));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(x.sum().item() == double(1 << 20) && (x * 2).sum().item() == double(2 << 20) ? 0 : 1);
  const Ended ended = wait_for(child, 20);
  EXPECT_TRUE(ended.in_time);
  EXPECT_EQ(ended.status, 0);
}

}  // namespace
}  // namespace ordo::test::fork_test
