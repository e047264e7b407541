// The calling thread's stream on a device, and what belongs to it. Internal.
#pragma once

#include <vector>

#include <ordo/engine/calls/index_check.h>
#include <ordo/engine/cuda/cuda.h>

namespace ordo::cuda {

/// An operation that may record a bad index.
struct IndexedOperation {
  const char* op;
  const char* argument;
  int64_t dim, size;
};

class Stream {
 public:
  /// The calling thread's. Throws DeviceError when there is no such device.
  static Stream& current(int device);

  cudaStream_t handle() const { return handle_; }
  int device() const { return device_; }
  uintptr_t id() const { return reinterpret_cast<uintptr_t>(this); }

  /// Later work of this stream waits for everything queued so far on `other`.
  void wait_for(Stream& other);
  /// Waits, then throws IndexError when an operation since the last call recorded a bad index.
  void synchronize();

  uint64_t add_operation(const IndexedOperation& operation);
  detail::IndexRecord* index_record();

 private:
  friend class ThreadStreams;
  explicit Stream(int device);
  [[noreturn]] void throw_index_error();

  int device_;
  cudaStream_t handle_ = nullptr;
  cudaEvent_t event_ = nullptr;
  detail::IndexRecord* record_ = nullptr;  // on the device
  detail::IndexRecord* seen_ = nullptr;    // its copy, in pinned memory
  // Operations since the record was last read, the first of which has the number first_ticket_.
  std::vector<IndexedOperation> operations_;
  uint64_t first_ticket_ = 0;
};

}  // namespace ordo::cuda
