// What the sanitizers ask of the program they check, so that tests need no variables in their environment. Nobody else
// calls these functions.
#include <gtest/gtest.h>

#include <atomic>

namespace {

std::atomic<int> reports{0};

// ThreadSanitizer goes on after a report; the test that was running has failed.
class FailOnReport : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { reports = 0; }
  void OnTestEnd(const testing::TestInfo&) override {
    if (reports) ADD_FAILURE() << reports << " reports of the sanitizer, above";
  }
};
const bool listening = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new FailOnReport);
  return true;
}();

}  // namespace

extern "C" {
// An impossible allocation is an error of ours, OutOfMemoryError.
const char* __asan_default_options() { return "allocator_may_return_null=1:detect_stack_use_after_return=0"; }
const char* __ubsan_default_options() { return "print_stacktrace=1"; }
const char* __tsan_default_options() { return "allocator_may_return_null=1:second_deadlock_stack=1:die_after_fork=0"; }
void __tsan_on_report(void*) { ++reports; }
}
