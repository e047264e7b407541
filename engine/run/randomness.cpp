#include <ordo/engine/run/randomness.h>

#include <charconv>
#include <cstdlib>
#include <random>
#include <string_view>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/run/generator.h>
#include <ordo/engine/run/philox.h>

namespace ordo {
namespace {

constexpr uint64_t kRankStream = 0x5eed000000000000u;  // shares no numbers with streams that programs number from 0

uint64_t drawn_by_the_system() {
  std::random_device device;
  return uint64_t(device()) << 32 | device();
}

int64_t rank_of_environment() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    const char* text = std::getenv(variable);
    if (!text) continue;
    const std::string_view digits = text;
    int64_t rank = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    ORDO_CHECK(error == std::errc() && end == digits.data() + digits.size() && rank >= 0, ValueError, "seed_everything",
               "{} must be a rank, a number of at least 0, not '{}'", variable, digits);
    return rank;
  }
  return 0;
}

uint64_t seed_of_rank(uint64_t seed, int64_t rank) {
  if (rank == 0) return seed;
  const PhiloxBlock block = philox(seed, kRankStream, uint64_t(rank));
  return uint64_t(block.v[0]) << 32 | block.v[1];
}

}  // namespace

Randomness seed_everything(const RandomnessOptions& options) {
  ORDO_CHECK(options.rank.value_or(0) >= 0, ValueError, "seed_everything", "needs a rank of at least 0, not {}",
             *options.rank);
  Randomness used;
  if (options.diff_rank_seed) used.rank = options.rank ? *options.rank : rank_of_environment();
  used.seed = options.seed ? *options.seed : drawn_by_the_system();
  used.rank_seed = seed_of_rank(used.seed, used.rank);
  if (options.deterministic) set_determinism(*options.deterministic, determinism_warn_only());
  manual_seed(used.rank_seed);
  used.level = determinism();
  return used;
}

}  // namespace ordo
