// parallel_for: every index once, errors, nesting and several callers at a time.
#include <atomic>
#include <chrono>

#include "tests/support/threads_scope.h"

namespace ordo::test::parallel_test {
namespace {

class ParallelFor : public testing::Test {
 protected:
  void SetUp() override { set_num_threads(4); }
  ThreadsScope scope_;
};

TEST_F(ParallelFor, every_index_once) {
  for (int threads : {1, 2, 4, 5}) {
    set_num_threads(threads);
    std::vector<int> count(10007);
    for (int round = 1; round <= 100; ++round) {
      parallel_for(3, 10007, 100, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++count[size_t(i)];
      });
      for (size_t i = 0; i < count.size(); ++i) ASSERT_EQ(count[i], i < 3 ? 0 : round) << threads;
    }
  }
}

TEST_F(ParallelFor, several_callers_and_nesting) {
  for (const auto& [count, rounds] : {std::pair(3, 500), {24, 50}}) {
    std::atomic<int64_t> total{0};
    in_threads(count, [&total, n = rounds](int) {
      for (int round = 0; round < n; ++round)
        parallel_for(0, 64, 1, [&](int64_t begin, int64_t end) {
          total += end - begin;
          parallel_for(begin, end, 1, [&](int64_t b, int64_t e) { total += e - b; });
        });
    });
    EXPECT_EQ(total, count * rounds * 128);
  }
}

// A thread that computes while another's work has threads gets its share of them, and does not run alone.
TEST_F(ParallelFor, callers_do_not_serialise_each_other) {
  std::atomic<bool> first_runs{false}, second_is_done{false};
  std::thread first([&] {
    parallel_for(0, 2, 1, [&](int64_t, int64_t) {
      first_runs = true;
      while (!second_is_done) std::this_thread::yield();
    });
  });
  while (!first_runs) std::this_thread::yield();
  std::atomic<int> begun{0};
  std::atomic<bool> together{true};
  parallel_for(0, 2, 1, [&](int64_t, int64_t) {  // each piece waits for the other one
    ++begun;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (begun < 2 && together)
      if (std::chrono::steady_clock::now() > limit) together = false;
  });
  second_is_done = true;
  first.join();
  EXPECT_TRUE(together);
}

TEST_F(ParallelFor, the_first_error_is_rethrown_and_the_pool_stays_usable) {
  for (int round = 0; round < 100; ++round) {
    std::string text;
    try {
      parallel_for(0, 4, 1, [](int64_t begin, int64_t) {
        if (begin >= 1) throw ValueError(begin == 1 ? "first" : "later");
      });
    } catch (const ValueError& e) {
      text = e.what();
    }
    ASSERT_EQ(text, "first");
  }
}

}  // namespace
}  // namespace ordo::test::parallel_test
