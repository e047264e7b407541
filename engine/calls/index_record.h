// Where bad indices are recorded. Internal to index_check.h.
#pragma once

#include <cstdint>

namespace ordo::detail {

/// The smallest (ticket, position) so far of a stream's bad indices, and its value. `lock` guards a change.
struct IndexRecord {
  unsigned lock = 0;
  uint64_t ticket = ~uint64_t(0);
  int64_t position = 0;
  int64_t value = 0;
};

/// Records when no earlier one is there. For CPU code and for emulated kernels; nvcc compiles
/// cuda::record_bad_index in its place.
void record_bad_index(IndexRecord* record, uint64_t ticket, int64_t position, int64_t value);

}  // namespace ordo::detail
