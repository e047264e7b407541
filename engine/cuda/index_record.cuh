// Recording a bad index in a kernel. Internal to index_check.h.
#pragma once

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/index_record.h>

namespace ordo::cuda {

/// Records when no earlier one is there. Reached only on an error, and past the first line by few threads.
__device__ inline void record_bad_index(ordo::detail::IndexRecord* record, uint64_t ticket, int64_t position,
                                        int64_t value) {
  volatile ordo::detail::IndexRecord* r = record;
  const uint64_t seen = r->ticket;
  __threadfence();  // the position is at least as new as the ticket
  if (seen < ticket || (seen == ticket && r->position <= position)) return;
  while (atomicCAS(&record->lock, 0u, 1u) != 0u) __nanosleep(64);
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
