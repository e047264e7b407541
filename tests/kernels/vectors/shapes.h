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

/// 3 x 3 kernels over images with a border of one. Lanes have pixels or, of small images, filters.
struct ConvolutionShape {
  int64_t samples, channels, filters, height, width, stride;
};
inline constexpr ConvolutionShape kVectorConvolutions[] = {
    {3, 1, 21, 11, 14, 1}, {3, 9, 21, 11, 14, 1}, {3, 30, 21, 11, 14, 1}, {9, 35, 70, 4, 4, 1},
    {2, 33, 70, 9, 7, 2},  {3, 17, 250, 5, 5, 1}, {3, 5, 9, 12, 19, 2}};

}  // namespace ordo::test
