#include <cmath>

#include "check.h"
#include "exercise.h"

void lesson::check() {
  constexpr size_t kSize = 50;
  std::vector<Gradient> shards;
  for (int s = 0; s < kShards; ++s) shards.push_back(random_floats(kSize, 20 + uint64_t(s)));
  std::vector<Gradient> results;
  for (int ranks : {1, 2, 4, 8, 16}) {
    std::vector<Gradient> sums;
    for (int r = 0; r < ranks; ++r) {
      const auto first = shards.begin() + r * (kShards / ranks);
      sums.push_back(add_own_shards(std::vector<Gradient>(first, first + kShards / ranks)));
    }
    results.push_back(add_ranks(sums));
    say("Ranks: " + std::to_string(ranks) + ". The first element is " + bits_text(results.back().at(0)) + ".");
    for (size_t i = 0; i < kSize; ++i) {
      double sum = 0, size = 0;
      for (const Gradient& shard : shards) {
        sum += double(shard[i]);
        size += std::abs(double(shard[i]));
      }
      if (results.back().size() != kSize ||
          !(std::abs(double(results.back()[i]) - sum) <= size * kShards * std::ldexp(1.0, -24)))
        fail("WRONG RESULT", LESSON_PLACE(add_ranks) + ", after " + LESSON_PLACE(add_own_shards) + ", with " +
                                 std::to_string(ranks) + " ranks: element " + std::to_string(i) +
                                 " is not the sum over all shards, " + bits_text(float(sum)) + ".");
    }
  }
  for (size_t k = 1; k < results.size(); ++k)
    for (size_t i = 0; i < kSize; ++i)
      if (results[k][i] != results[0][i])
        fail("ORDER", LESSON_PLACE(add_own_shards) + " and " + LESSON_PLACE(add_ranks) +
                          ": the bits depend on the number of ranks. Element " + std::to_string(i) + " is " +
                          bits_text(results[0][i]) + " with 1 rank and " + bits_text(results[k][i]) + " with " +
                          std::to_string(1 << k) + ".");
}
