#include <ordo/engine/cuda/index_record.cuh>

#if ORDO_EMULATED
namespace ordo::cuda::emulator {

void record_bad_index(ordo::detail::IndexRecord* record, uint64_t ticket, int64_t position, int64_t value) {
  ordo::cuda::record_bad_index(record, ticket, position, value);
}

}  // namespace ordo::cuda::emulator
#endif
