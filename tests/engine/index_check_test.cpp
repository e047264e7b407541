#include <ordo/engine/calls/index_check.h>

#include "tests/support/op_samples.h"

namespace ordo {
namespace {

TEST(IndexCheckTest, accepts_the_whole_range) {
  IndexGuard guard("gather", "index", 1, 4, cpu);
  for (int64_t i = 0; i < 4; ++i) EXPECT_TRUE(guard.check().ok(i, i, 4));
  guard.finish();
}

TEST(IndexCheckTest, names_what_is_wrong) {
  IndexGuard guard("gather", "index", 1, 4, cpu);
  EXPECT_FALSE(guard.check().ok(5, 4, 4));
  EXPECT_FALSE(guard.check().ok(2, -3, 4));
  EXPECT_ORDO_ERROR(guard.finish(), IndexError, "[gather] index[2] = -3 is out of range for dimension 1 of size 4");
}

TEST(IndexCheckTest, nothing_is_in_range_of_an_empty_dimension) {
  IndexGuard guard("gather", "index", 0, 0, cpu);
  EXPECT_FALSE(guard.check().ok(0, 0, 0));
  EXPECT_ORDO_ERROR(guard.finish(), IndexError, "index[0] = 0 is out of range for dimension 0 of size 0");
}

TEST(IndexCheckTest, first_position_whatever_the_threads_do) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    IndexGuard guard("scatter_add", "index", 0, 10, cpu);
    const IndexCheck check = guard.check();
    parallel_for(0, 10000, 100, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) check.ok(i, i < 123 ? 0 : i, 10);
    });
    EXPECT_ORDO_ERROR(guard.finish(), IndexError, "index[123] = 123");
  }
}

}  // namespace
}  // namespace ordo
