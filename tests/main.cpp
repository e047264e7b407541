#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include <ordo/engine/run/about.h>
#include <ordo/engine/run/emulation.h>
#include "tests/bits/bits.h"
#include "tests/fuzz/fuzz.h"
#include "tests/nn/train/kill.h"
#include "tests/peers/record.h"
#include "tests/support/mpi_jobs.h"

namespace ordo::test {
namespace {

/// On the emulated device a test that runs alone has the schedules that it has among others, and one that fails says
/// how to bring them about.
class Replay : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    cuda::restart_schedule();
    at_start_ = at_failure_ = cuda::schedule();
    failed_ = false;
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed() || failed_) return;
    failed_ = true;
    at_failure_ = cuda::schedule();
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    try {
      cuda::finish_queued_work();
    } catch (const std::exception& e) {
      ADD_FAILURE() << "a kernel failed and the test did not wait for it: " << e.what();
    }
    const std::string variables = cuda::schedule_text(at_start_);
    if (!failed_ || variables.empty()) return;
    std::printf("replay: %s ordo_tests --gtest_filter=%s.%s\n", variables.c_str(), test.test_suite_name(), test.name());
    if (!(at_failure_ == at_start_))
      std::printf("        (at its first failure the test had set %s)\n", cuda::schedule_text(at_failure_).c_str());
    std::fflush(stdout);
  }

  cuda::Schedule at_start_, at_failure_;
  bool failed_ = false;
};

}  // namespace
}  // namespace ordo::test

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "bits") return ordo::test::bits_command({argv + 2, argv + argc});
  if (argc > 1 && std::string(argv[1]) == "fuzz") return ordo::test::fuzz_command({argv + 2, argv + argc});
  if (argc > 1 && std::string(argv[1]) == "record") return ordo::test::record_command({argv + 2, argv + argc});
  if (argc > 1 && std::string(argv[1]) == "kill") return ordo::test::kill_command({argv + 2, argv + argc});
  if (argc > 1 && std::string(argv[1]) == "job") return ordo::test::job_command({argv + 2, argv + argc});
  if (std::getenv("ORDO_TEST_NEEDS_CUDA") && !ordo::cuda::is_available()) {
    std::fprintf(stderr, "ORDO_TEST_NEEDS_CUDA is set, and there is no CUDA device: %s\n",
                 ordo::why_no_cuda_device().c_str());
    return 1;
  }
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new ordo::test::Replay);
  return RUN_ALL_TESTS();
}
