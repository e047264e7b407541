#pragma once

#include "lesson.h"

using Gradient = std::vector<float>;

inline constexpr int kShards =
    16;  ///< pieces of a batch, each with a gradient; 1, 2, 4, 8 or 16 ranks have equally many each

// What a rank does alone: the sum of the gradients of its shards, in consecutive order.
Gradient add_own_shards(const std::vector<Gradient>& shards);
// What the ranks do together: the sum of their sums, by rank.
Gradient add_ranks(const std::vector<Gradient>& ranks);
