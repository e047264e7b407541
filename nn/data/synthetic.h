// Drawn data sets, for programs that should run without a download.
#pragma once

#include <cstdint>

#include <ordo/nn/data/dataset.h>

namespace ordo::data {

/// Handwriting-like digits: strokes with random bends, slant, size, place, thickness and noise.
///
/// Shapes: images [count, 1, 28, 28], labels [count].
/// Throws: ValueError when count is negative.
/// Determinism: image i depends on (seed, i) only: the same bits on every machine and with any thread count, whatever
/// `count` is.
ImageDataset synthetic_digits(int64_t count, uint64_t seed = 0);

/// Colour images in ten classes: disc, square, triangle, ring, plus, horizontal, vertical and diagonal stripes,
/// checkerboard, X; in random colours, places and sizes, with noise.
///
/// Shapes: images [count, 3, 32, 32], labels [count].
/// Throws, Determinism: as synthetic_digits.
ImageDataset synthetic_cifar10(int64_t count, uint64_t seed = 0);

}  // namespace ordo::data
