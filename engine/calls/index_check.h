// Out-of-range indices. A kernel skips them and records the first; the host raises IndexError:
//   [index_add] index[3] = 12 is out of range for dimension 0 of size 10
// On the CPU at once; on CUDA at the next call that waits for the device, or at once with ORDO_SYNC=1 in the
// environment.
#pragma once

#include <cstdint>

#include <ordo/engine/calls/index_record.h>
#include <ordo/engine/tensor/device.h>
#include <ordo/engine/tensor/host_device.h>
#ifdef __CUDACC__
#include <ordo/engine/cuda/index_record.cuh>
#endif

namespace ordo {

namespace detail {
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
  /// On the CPU: whether an index was bad so far.
  bool failed() const { return record_->ticket != detail::IndexRecord().ticket; }

 private:
  friend class IndexGuard;
  ORDO_HD void record(int64_t position, int64_t value) const {
#ifdef __CUDA_ARCH__
    cuda::record_bad_index(record_, ticket_, position, value);
#else
    detail::record_bad_index(record_, ticket_, position, value);
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
