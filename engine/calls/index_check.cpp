#include <ordo/engine/calls/index_check.h>

#include <cstdlib>
#include <mutex>
#include <string_view>

#include <ordo/engine/calls/check.h>
#if ORDO_HAS_CUDA
#include <ordo/engine/cuda/backend.h>
#endif
#if ORDO_EMULATED
#include <ordo/simulators/emulator/emulator.h>
#endif

namespace ordo {

namespace detail {
void throw_index_error(const char* op, const char* argument, int64_t dim, int64_t size, int64_t position,
                       int64_t value) {
  // On CUDA the error comes up within a later operation: `op` is the one to name, as IndexGuard found it.
  throw IndexError(fmt::format("[{}] {}[{}] = {} is out of range for dimension {} of size {}", op, argument, position,
                               value, dim, size));
}

void record_bad_index(IndexRecord* r, uint64_t ticket, int64_t position, int64_t value) {
#if ORDO_EMULATED
  if (cuda::emulator::in_kernel()) return cuda::emulator::record_bad_index(r, ticket, position, value);
#endif
  static std::mutex mutex;  // only errors come here
  std::lock_guard lock(mutex);
  if (r->ticket < ticket || (r->ticket == ticket && r->position <= position)) return;
  r->ticket = ticket;
  r->position = position;
  r->value = value;
}

bool sync_every_operation() {
  static const bool on = [] {
    const char* text = std::getenv("ORDO_SYNC");
    return text && std::string_view(text) == "1";
  }();
  return on;
}
}  // namespace detail

IndexGuard::IndexGuard(const char* op, const char* argument, int64_t dim, int64_t size, Device device)
    : op_(detail::operation_in_force ? detail::operation_in_force : op),
      argument_(argument),
      dim_(dim),
      size_(size),
      device_(device) {
  check_.record_ = &host_record_;
#if ORDO_HAS_CUDA
  if (device.is_cuda()) {
    const auto ticket = cuda::backend::index_ticket(op_, argument, dim, size, device.index());
    check_.record_ = ticket.record;
    check_.ticket_ = ticket.number;
  }
#endif
}

void IndexGuard::finish() const {
  if (device_.is_cpu()) {
    if (host_record_.ticket != ~uint64_t(0))
      detail::throw_index_error(op_, argument_, dim_, size_, host_record_.position, host_record_.value);
    return;
  }
#if ORDO_HAS_CUDA
  if (detail::sync_every_operation()) cuda::backend::synchronize(device_.index());
#endif
}

}  // namespace ordo
