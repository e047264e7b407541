// Drawn data sets, for programs that should run without a download. Image i depends on (seed, i) only: the same bits on
// every machine and with any thread count, whatever `count` is.
#pragma once

#include <cstdint>

#include <ordo/nn/data/dataset.h>

namespace ordo::data {

/// Handwriting-like digits [count, 1, 28, 28]: strokes with random bends, slant, size, place, thickness and noise.
ImageDataset synthetic_digits(int64_t count, uint64_t seed = 0);

/// Colour images [count, 3, 32, 32] in ten classes: disc, square, triangle, ring, plus, horizontal, vertical and
/// diagonal stripes, checkerboard, X; in random colours, places and sizes, with noise.
ImageDataset synthetic_cifar10(int64_t count, uint64_t seed = 0);

}  // namespace ordo::data
