// Out-of-range indices. A kernel skips them and records the first; the host raises IndexError:
//   [index_add] index[3] = 12 is out of range for dimension 0 of size 10
// On the CPU at once; on CUDA at the next call that waits for the device, or at once with ORDO_SYNC=1 in the
// environment.
#pragma once

#include <cstdint>

#include <ordo/engine/device.h>
#include <ordo/engine/host_device.h>

namespace ordo {

namespace detail {
/// The smallest (ticket, position) so far of a stream's bad indices, and its value. `lock` guards a change.
struct IndexRecord {
  unsigned lock = 0;
  uint64_t ticket = ~uint64_t(0);
  int64_t position = 0;
  int64_t value = 0;
};
/// Throws the IndexError.
[[noreturn]] void throw_index_error(const char* op, const char* argument, int64_t dim, int64_t size, int64_t position,
                                    int64_t value);
/// ORDO_SYNC=1: errors of CUDA kernels are raised where they happen.
bool sync_every_operation();
}  // namespace detail

/// Given to kernels by value.
class IndexCheck {
 public:
  /// True when 0 <= value < size; otherwise records `value` at the flat row-major `position` of the index tensor.
  ORDO_HD bool ok(int64_t position, int64_t value, int64_t size) const {
    if (uint64_t(value) < uint64_t(size)) return true;
    record(position, value);
    return false;
  }

 private:
  friend class IndexGuard;
  // Out of line in spirit: reached only on an error, and then by few threads, those with an earlier position.
#ifdef __CUDACC__
  __host__ __device__
#endif
      void
      record(int64_t position, int64_t value) const {
#ifdef __CUDA_ARCH__
    volatile detail::IndexRecord* r = record_;
    if (r->ticket < ticket_ || (r->ticket == ticket_ && r->position <= position)) return;
    while (atomicCAS(&record_->lock, 0u, 1u) != 0u) __nanosleep(64);
    __threadfence();
    if (r->ticket > ticket_ || (r->ticket == ticket_ && r->position > position)) {
      r->position = position;
      r->value = value;
      r->ticket = ticket_;
    }
    __threadfence();
    atomicExch(&record_->lock, 0u);
#else
    detail::IndexRecord* r = record_;
    if (__atomic_load_n(&r->ticket, __ATOMIC_ACQUIRE) == ticket_ &&
        __atomic_load_n(&r->position, __ATOMIC_RELAXED) <= position)
      return;
    while (__atomic_exchange_n(&r->lock, 1u, __ATOMIC_ACQUIRE)) {
    }
    if (r->ticket > ticket_ || (r->ticket == ticket_ && r->position > position)) {
      __atomic_store_n(&r->position, position, __ATOMIC_RELAXED);
      r->value = value;
      __atomic_store_n(&r->ticket, ticket_, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&r->lock, 0u, __ATOMIC_RELEASE);
#endif
  }

  detail::IndexRecord* record_ = nullptr;
  uint64_t ticket_ = 0;
};

/// The host's side of one operation.
class IndexGuard {
 public:
  /// The names are literals; `size` is that of dimension `dim`, on `device`.
  IndexGuard(const char* op, const char* argument, int64_t dim, int64_t size, Device device);
  IndexGuard(const IndexGuard&) = delete;
  IndexGuard& operator=(const IndexGuard&) = delete;
  IndexCheck check() const { return check_; }
  /// After the operation. CPU: throws IndexError when an index was bad. CUDA: only with ORDO_SYNC=1, after waiting.
  void finish() const;

 private:
  const char* op_;
  const char* argument_;
  int64_t dim_, size_;
  Device device_;
  detail::IndexRecord host_record_;
  IndexCheck check_;
};

}  // namespace ordo
