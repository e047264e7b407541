// The calling thread's stream on a device, and what belongs to it. Internal.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include <ordo/engine/calls/index_check.h>
#include <ordo/engine/cuda/cuda.h>

namespace ordo::cuda {

/// While a graph is captured, CUDA refuses calls such as cudaMalloc unless the thread says that it knows.
struct RelaxedCapture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  RelaxedCapture() { check(cudaThreadExchangeStreamCaptureMode(&mode), "capture mode"); }
  ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
};

/// An operation that may record a bad index.
struct IndexedOperation {
  const char* op;
  const char* argument;
  int64_t dim, size;
};

namespace backend {
/// Work that has been captured (engine/run/graph.h), and the host memory that it reads.
struct CapturedGraph {
  int device = 0;
  cudaGraphExec_t work = nullptr;
  std::vector<void*> pinned = {};
  cudaEvent_t replayed = nullptr;  // the end of the last replay, where memory is pinned
  ~CapturedGraph();
};
}  // namespace backend

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

  /// Graphs (engine/run/graph.h).
  void begin_capture(uintptr_t pool);
  /// Gives the memory that keep_for_graph() has pinned, too, when it throws as well.
  cudaGraph_t end_capture(std::vector<void*>& pinned);
  /// A copy of host memory, from which each replay copies. CudaError where the program asks for the copy: it might expect
  /// that replays see what it has become.
  const void* keep_for_graph(const void* data, size_t bytes);
  bool captures() const { return pool_ != 0; }
  uintptr_t memory_pool() const { return captures() ? pool_.load() : id(); }
  void has_replayed() { replayed_ = true; }

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
  /// Operations that graphs queue again, by their numbers, for good: a replay may be the next thing that fails.
  std::map<uint64_t, IndexedOperation> captured_;
  std::mutex capturing_;             // held while the next begins or ends
  std::atomic<uintptr_t> pool_ = 0;  // of the memory, while a graph is captured
  bool replayed_ = false;            // since the record was last read
  std::vector<void*> pinned_;
};

}  // namespace ordo::cuda
