// Rows of a tensor as work for the CPU's threads. Internal.
#pragma once

#include <cstdint>

#include <ordo/kernels/reduce/each_cpu.h>

namespace ordo::kernels::cpu {

/// Row r of a [volumes, depth, height, width] tensor, taken apart.
struct VolumeRow {
  int64_t number, volume, d = 0, h;
  VolumeRow(int64_t r, int64_t depth, int64_t height)
      : number(r), volume(r / (depth * height)), h(r % (depth * height)) {
    if (depth == 1) return;
    d = h / height;
    h %= height;
  }
  void advance(int64_t depth, int64_t height) {
    ++number;
    if (++h < height) return;
    h = 0;
    if (++d < depth) return;
    d = 0;
    ++volume;
  }
};

}  // namespace ordo::kernels::cpu
