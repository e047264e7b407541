// Walks what an index names along a dimension by rows: one division a row instead of one an element. Internal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/indexing/gather.h>

namespace ordo::kernels::cpu {

/// Neighbouring elements first, first + 1, ... of the index; element j with index v stands for place base + j step + v
/// stride.
struct IndexRow {
  int64_t first, count, base, step, stride;
};

/// Calls f(row) for the rows of an index of `count` elements.
template <class F>
void each_row(const GatherShape& s, int64_t count, const F& f) {
  const int last = s.rank - 1;
  if (s.rank == 0) return f(IndexRow{0, count, 0, 0, 0});
  const int64_t n = s.sizes[last], stride = s.strides[s.dim], step = s.dim == last ? 0 : s.strides[last];
  parallel_for(0, count / n, std::max<int64_t>(1, 16384 / n), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t base = 0, rest = row;
      for (int d = last - 1; d >= 0; --d) {
        const int64_t q = rest / s.sizes[d];
        if (d != s.dim) base += (rest - q * s.sizes[d]) * s.strides[d];
        rest = q;
      }
      f(IndexRow{row * n, n, base, step, stride});
    }
  });
}

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
