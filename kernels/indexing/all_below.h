// Whether indices are in range, on the CPU. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ordo::kernels::cpu {

/// Whether all are in [0, bound). Without a branch, and by signs, so that the loop vectorises everywhere.
template <class I>
bool all_below(const I* index, int64_t count, int64_t bound) {
  using Unsigned = std::make_unsigned_t<I>;
  const auto last = Unsigned(std::min<int64_t>(bound - 1, std::numeric_limits<I>::max()));
  Unsigned signs = 0;
  for (int64_t j = 0; j < count; ++j) signs |= Unsigned(index[j]) | (last - Unsigned(index[j]));
  return count == 0 || (bound > 0 && I(signs) >= 0);
}

}  // namespace ordo::kernels::cpu
