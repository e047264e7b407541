// seed_everything: given and drawn seeds, ranks, and the level.
#include <cstdlib>
#include <set>

#include "tests/support/op_samples.h"

namespace ordo::test::randomness_test {
namespace {

class SeedEverything : public testing::Test {
 protected:
  SeedEverything() { clear(); }
  ~SeedEverything() override {
    clear();
    default_generator().set_state(before_);
    set_determinism(level_);
  }
  static void clear() {
    ::unsetenv("OMPI_COMM_WORLD_RANK");
    ::unsetenv("PMI_RANK");
  }

 private:
  const GeneratorState before_ = default_generator().state();
  const Determinism level_ = determinism();
};

TEST_F(SeedEverything, repeats_what_follows) {
  const Randomness used = seed_everything({.seed = 3, .deterministic = Determinism::device_to_device});
  EXPECT_EQ(used.seed, 3u);
  EXPECT_EQ(used.rank_seed, 3u);
  EXPECT_EQ(used.level, Determinism::device_to_device);
  EXPECT_EQ(determinism(), Determinism::device_to_device);
  const auto first = bytes_of(rand({8}));
  EXPECT_EQ(seed_everything({.seed = 3}).level, Determinism::device_to_device) << "left as it was";
  EXPECT_EQ(bytes_of(rand({8})), first);
  manual_seed(3);
  EXPECT_EQ(bytes_of(rand({8})), first);
  seed_everything({.seed = 4});
  EXPECT_NE(bytes_of(rand({8})), first);
}

TEST_F(SeedEverything, reports_the_seed_that_the_system_drew) {
  const uint64_t one = seed_everything().seed;
  const auto first = bytes_of(rand({8}));
  EXPECT_NE(seed_everything().seed, one);
  seed_everything({.seed = one});
  EXPECT_EQ(bytes_of(rand({8})), first);
}

TEST_F(SeedEverything, ranks_differ_when_asked) {
  ::setenv("PMI_RANK", "2", 1);
  EXPECT_EQ(seed_everything({.seed = 3}).rank_seed, 3u) << "nobody asked";
  const Randomness second = seed_everything({.seed = 3, .diff_rank_seed = true});
  EXPECT_EQ(second.rank, 2);
  EXPECT_EQ(second.seed, 3u);
  EXPECT_EQ(default_generator().state(), (GeneratorState{second.rank_seed, 0, 0}));
  EXPECT_EQ(seed_everything({.seed = 3, .diff_rank_seed = true, .rank = 2}).rank_seed, second.rank_seed);
  ::setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  EXPECT_EQ(seed_everything({.seed = 3, .diff_rank_seed = true}).rank, 1);
  EXPECT_EQ(seed_everything({.seed = 3, .diff_rank_seed = true, .rank = 5}).rank, 5);
  clear();
  EXPECT_EQ(seed_everything({.seed = 3, .diff_rank_seed = true}).rank_seed, 3u);

  std::set<uint64_t> all;
  for (uint64_t seed = 0; seed < 10; ++seed)
    for (int64_t rank = 0; rank < 10; ++rank)
      all.insert(seed_everything({.seed = seed, .diff_rank_seed = true, .rank = rank}).rank_seed);
  EXPECT_EQ(all.size(), 100u) << "neighbouring seeds and ranks share none";
}

TEST_F(SeedEverything, what_is_no_rank) {
  manual_seed(9);
  EXPECT_ORDO_ERROR(seed_everything({.rank = -1}), ValueError, "[seed_everything] needs a rank of at least 0, not -1");
  for (const char* text : {"", "x", "-1", "1x", "99999999999999999999"}) {
    ::setenv("PMI_RANK", text, 1);
    EXPECT_ORDO_ERROR(seed_everything({.diff_rank_seed = true}), ValueError, "PMI_RANK must be a rank");
  }
  EXPECT_EQ(default_generator().state(), (GeneratorState{9, 0, 0})) << "nothing has changed";
}

}  // namespace
}  // namespace ordo::test::randomness_test
