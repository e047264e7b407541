// What the checker remembers of each word of memory: the last accesses of a launch. Internal to the checker.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ordo/engine/cuda/emulator/checker.h>

namespace ordo::cuda::emulator::checker {

/// An access of a thread, and how far its block, warp and fences had come.
struct Access {
  uint32_t block = 0, epoch = 0, clock = 0, fences = 0;
  uint16_t thread = 0;
  Kind kind = Kind::none;
  uint8_t bytes = 0;  // which of the word's four
  const void* code = nullptr;
};

/// Four bytes. Two reads are kept, because neither need be ordered before the other.
struct Cell {
  Access write, read, other_read;
  uint64_t launch = 0;  // whose accesses these are
  uint8_t written = 0;  // which bytes somebody wrote
};

/// The cell of the word at address a (a multiple of four), empty at first in every launch.
Cell& cell_at(uintptr_t a, uint64_t launch);
void forget_accesses(const void* p, size_t bytes);
/// Gives memory back when much was used.
void trim_cells();

}  // namespace ordo::cuda::emulator::checker
