// Items of a table: a destination and a row of values each; and how destinations may be spread.
#pragma once

#include <cstdint>

#include <ordo/kernels/accumulate/accumulate.h>
#include "tests/kernels/samples.h"

namespace ordo::test {

template <class T>
struct TableItems {
  using value_type = T;
  int64_t count;
  const int64_t* destinations;
  const T* values;  // [outer, count, inner]
  int64_t columns;  // inner
  ORDO_HD int64_t destination(int64_t item) const { return destinations[item]; }
  ORDO_HD accumulate_t<T> value(int64_t item, int64_t outer, int64_t inner) const {
    return accumulate_t<T>(values[(outer * count + item) * columns + inner]);
  }
};

enum class Spread { uniform, half_to_one, all_to_one, sorted, skips, most_to_one /* three quarters */, descending };
/// What tests of every form go through.
inline constexpr Spread kSpreads[] = {Spread::uniform, Spread::half_to_one, Spread::all_to_one, Spread::sorted,
                                      Spread::skips};

inline std::vector<int64_t> destinations(int64_t m, int64_t n, Spread spread) {
  auto to = test_indices({m}, n, 21).to_vector<int64_t>();
  const auto chance = test_indices({m}, 2, 22).to_vector<int64_t>();
  const auto quarter = test_indices({m}, 4, 8).to_vector<int64_t>();
  for (int64_t i = 0; i < m; ++i) {
    int64_t& d = to[size_t(i)];
    if (spread == Spread::half_to_one && chance[size_t(i)]) d = n / 2;
    if (spread == Spread::all_to_one) d = n - 1;
    if (spread == Spread::sorted) d = i * n / m;
    if (spread == Spread::skips && chance[size_t(i)]) d = -1;
    if (spread == Spread::most_to_one && quarter[size_t(i)]) d = n / 2;
    if (spread == Spread::descending) d = n - 1 - i * n / m;
  }
  return to;
}

}  // namespace ordo::test
