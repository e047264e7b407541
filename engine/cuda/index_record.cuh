// Recording a bad index in a kernel. Internal to index_check.h.
#pragma once

#include <ordo/engine/calls/index_record.h>
#include <ordo/engine/cuda/cuda.h>

namespace ordo::cuda {

/// Records when no earlier one is there. Reached only on an error. Who waits for the lock leaves as soon as an earlier
/// one has been recorded, so few threads ever hold it.
__device__ inline void record_bad_index(ordo::detail::IndexRecord* record, uint64_t ticket, int64_t position,
                                        int64_t value) {
  volatile ordo::detail::IndexRecord* r = record;
  for (;;) {
    const uint64_t seen = r->ticket;
    __threadfence();  // the position is at least as new as the ticket
    if (seen < ticket || (seen == ticket && r->position <= position)) return;
    if (atomicCAS(&record->lock, 0u, 1u) == 0u) break;
    __nanosleep(64);
  }
  __threadfence();
  if (r->ticket > ticket || (r->ticket == ticket && r->position > position)) {
    r->position = position;
    r->value = value;
    __threadfence();
    r->ticket = ticket;
  }
  __threadfence();
  atomicExch(&record->lock, 0u);
}

}  // namespace ordo::cuda
