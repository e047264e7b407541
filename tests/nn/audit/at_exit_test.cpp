// What ORDO_TRACE leaves when a process ends.
#include <gtest/gtest.h>

#include <ordo/ordo.h>
#include "tests/support/child_process.h"
#include "tests/support/folder_test_base.h"

namespace ordo::test {
namespace {

class TraceAtExit : public FolderTest {};

/// The header is written when the process ends then, and names the seed of a generator that nobody has used.
TEST_F(TraceAtExit, a_trace_in_which_nothing_happened_is_whole) {
  const std::string file = path("empty.trace");
  // What is used after it was freed shows.
  const Ended ended = run_this_program({"--gtest_filter=none"}, {"ORDO_TRACE=" + file, "MALLOC_PERTURB_=165"});
  EXPECT_TRUE(ended.in_time);
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.errors, "");
  const audit::Trace trace = audit::read(file);
  EXPECT_EQ(trace.incomplete, "");
  EXPECT_EQ(trace.header.seed, 0u);
  EXPECT_EQ(trace.records.size(), 0u);
}

}  // namespace
}  // namespace ordo::test
