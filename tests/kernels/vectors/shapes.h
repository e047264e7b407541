// Products and convolutions whose bits must not depend on the instruction set.
#pragma once

#include <cstdint>

namespace ordo::test {

struct ProductShape {
  int64_t batch, m, n, k;
};
/// One element, rows, columns, a few of them, tails of tiles, batches, more than one slice of k, nothing to add.
inline constexpr ProductShape kVectorProducts[] = {
    {1, 1, 1, 1},         {1, 1, 70, 300}, {1, 70, 1, 300}, {1, 13, 37, 65},  {1, 100, 90, 257}, {3, 7, 33, 20},
    {1, 2, 3, 16384 + 5}, {1, 300, 5, 70}, {2, 5, 4, 0},    {1, 3, 200, 133}, {2, 4, 150, 300},  {1, 150, 3, 300}};

/// 3 x 3 kernels of kFilters filters over kSamples images of kHeight x kWidth, with a border of one.
inline constexpr int64_t kSamples = 3, kFilters = 21, kHeight = 11, kWidth = 14;
inline constexpr int64_t kVectorChannels[] = {1, 9, 30};

}  // namespace ordo::test
