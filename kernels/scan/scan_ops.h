// What scans compute; CPU loops and CUDA kernels share it. An operation has
//   State                   trivially copyable
//   combine(a, b)           a stands before b
//   load(offset, i)         value i of a line, at `offset` elements from the tensor's first
//   store(offset, state)
//   stays(a, b)             optional: true only if combine(a, b) is a, and cheaper
//   kBlock                  how many values are combined left to right; a chunk is kChunkBlocks of these blocks
//   kExact                  combine() is associative to the bit: blocks do not show
// Internal.
#pragma once

#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/scan/scan.h>

namespace ordo::kernels {

// Rule 6 of docs/ordering.md.
inline constexpr int kScanBlock = 64;
inline constexpr int kChunkBlocks = 64;

}  // namespace ordo::kernels
