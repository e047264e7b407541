// One call that makes a program's random numbers, and the bits of its sums, repeat.
//
//   const Randomness used = seed_everything({.seed = 3, .deterministic = Determinism::run_to_run});
//
// A program that gives no seed gets one of the system's and can print it, so that any run can be repeated:
//
//   std::printf("seed %llu\n", (unsigned long long)seed_everything().seed);
#pragma once

#include <cstdint>
#include <optional>

#include <ordo/engine/run/determinism.h>

namespace ordo {

struct RandomnessOptions {
  std::optional<uint64_t> seed = {};  ///< none: the system draws one, another one in each process
  /// Every rank of a program that runs in several processes gets a seed of its own, derived from `seed` and its rank.
  /// Rank 0 keeps `seed`. Without it all ranks draw the same numbers, if they are given a seed.
  bool diff_rank_seed = false;
  /// None: OMPI_COMM_WORLD_RANK or PMI_RANK, which mpirun sets, or else 0. Only diff_rank_seed looks at it.
  std::optional<int64_t> rank = {};
  std::optional<Determinism> deterministic = {};  ///< the process's level; none: left as it is
};

/// What seed_everything() chose.
struct Randomness {
  uint64_t seed = 0;       ///< the given one, or the system's
  uint64_t rank_seed = 0;  ///< of default_generator(); `seed` but for diff_rank_seed
  int64_t rank = 0;
  Determinism level = Determinism::not_guaranteed;  ///< in force from here on
};

/// Seeds default_generator(), and so everything that draws from it: initialisers, dropout, random tensors, loaders
/// without a generator of their own.
/// Throws: ValueError when a rank is below 0, or the environment's, where it is asked for, is no such number.
Randomness seed_everything(const RandomnessOptions& options = {});

}  // namespace ordo
