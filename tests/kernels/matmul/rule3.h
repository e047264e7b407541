// Ordering rule 3 as docs/ordering.md states it, in plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/kernels/ordering/rule1.h"

namespace ordo::test {

/// The sum of the factors' products; there is at least one.
inline float rule3(const std::vector<std::pair<float, float>>& factors) {
  std::vector<float> blocks;
  for (size_t k0 = 0; k0 < factors.size(); k0 += 256) {
    float block = factors[k0].first * factors[k0].second;
    for (size_t k = k0 + 1; k < std::min(factors.size(), k0 + 256); ++k)
      block = std::fma(factors[k].first, factors[k].second, block);
    blocks.push_back(block);
  }
  return rule1(blocks);
}

}  // namespace ordo::test
