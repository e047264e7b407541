#include <ordo/engine/cuda/stream.h>

#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/device_check.h>
#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/graph.h>

namespace ordo::cuda {

namespace {
// Streams of threads that have ended, to be used again. Streams live as long as the process, because memory freed on
// one is known by its id. Never destroyed: threads may end after static objects have.
struct Pool {
  std::mutex mutex;
  std::vector<Stream*> idle;
};
Pool& pool() {
  static Pool* p = new Pool;
  return *p;
}
// The record is read at the latest after so many operations, which bounds the list of them.
constexpr size_t kMaxOperations = 1 << 14;
}  // namespace

/// The streams of one thread, by device.
class ThreadStreams {
 public:
  Stream& on(int device) {
    if (size_t(device) < streams_.size() && streams_[size_t(device)]) return *streams_[size_t(device)];
    ordo::detail::check_device("cuda", Device(Device::Type::cuda, device));
    if (streams_.size() <= size_t(device)) streams_.resize(size_t(device) + 1);
    return *(streams_[size_t(device)] = take(device));
  }

  ~ThreadStreams() {
    for (Stream* s : streams_) {
      if (!s) continue;
      cudaStreamSynchronize(s->handle_);
      s->first_ticket_ += s->operations_.size();  // errors that nobody waited for
      s->operations_.clear();
      std::lock_guard lock(pool().mutex);
      pool().idle.push_back(s);
    }
  }

 private:
  static Stream* take(int device) {
    {
      std::lock_guard lock(pool().mutex);
      auto& idle = pool().idle;
      for (size_t i = 0; i < idle.size(); ++i) {
        if (idle[i]->device() != device) continue;
        Stream* s = idle[i];
        idle.erase(idle.begin() + ptrdiff_t(i));
        if (s->record_) {
          *s->seen_ = {};
          check(cudaMemcpyAsync(s->record_, s->seen_, sizeof *s->seen_, cudaMemcpyHostToDevice, s->handle_),
                "index record");
        }
        return s;
      }
    }
    return new Stream(device);
  }

  std::vector<Stream*> streams_;
};

Stream& Stream::current(int device) {
  thread_local ThreadStreams streams;
  return streams.on(device);
}

Stream::Stream(int device) : device_(device) {
  DeviceScope scope(Device(Device::Type::cuda, device));
  check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "stream");
  check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event");
}

void Stream::wait_for(Stream& other) {
  if (this == &other) return;
  const std::scoped_lock lock(capturing_, other.capturing_);
  if (other.captures()) return;  // what it had to do before is done, and the rest comes with replays
  if (captures()) {              // a graph has no edges to what is beside it, so the host waits
    const RelaxedCapture scope;
    return check(cudaStreamSynchronize(other.handle_), "synchronize");
  }
  {
    const DeviceScope scope(Device(Device::Type::cuda, other.device_));
    check(cudaEventRecord(other.event_, other.handle_), "event");
  }
  check(cudaStreamWaitEvent(handle_, other.event_, 0), "event");
}

void Stream::synchronize() {
  ordo::detail::expect_no_capture("a wait for the device");
  if (operations_.empty() && !replayed_) return check(cudaStreamSynchronize(handle_), "synchronize");
  check(cudaMemcpyAsync(seen_, record_, sizeof *seen_, cudaMemcpyDeviceToHost, handle_), "index record");
  check(cudaStreamSynchronize(handle_), "synchronize");
  if (seen_->ticket != ~uint64_t(0)) throw_index_error();
  replayed_ = false;
  first_ticket_ += operations_.size();
  operations_.clear();
}

void Stream::begin_capture(uintptr_t pool) {
  index_record();
  const std::lock_guard lock(capturing_);
  const DeviceScope scope(Device(Device::Type::cuda, device_));
  check(cudaStreamBeginCapture(handle_, cudaStreamCaptureModeThreadLocal), "graph");
  pool_ = pool;
}

const void* Stream::keep_for_graph(const void* data, size_t bytes) {
  const std::string_view op = detail::named_operation("");
  if (op.empty() || op == "to" || op == "copy_" || op == "from_vector" || op == "tensor")
    detail::expect_no_capture("a copy from the host");
  const RelaxedCapture scope;
  pinned_.push_back(nullptr);
  check(cudaMallocHost(&pinned_.back(), bytes), "graph");
  std::memcpy(pinned_.back(), data, bytes);
  return pinned_.back();
}

backend::CapturedGraph::~CapturedGraph() {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;  // another graph may be captured
  cudaThreadExchangeStreamCaptureMode(&mode);
  if (replayed) {
    cudaEventSynchronize(replayed);
    cudaEventDestroy(replayed);
  }
  for (void* data : pinned) cudaFreeHost(data);
  if (work) cudaGraphExecDestroy(work);
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaGetLastError();
}

cudaGraph_t Stream::end_capture(std::vector<void*>& pinned) {
  pinned = std::exchange(pinned_, {});
  cudaGraph_t graph = nullptr;
  {
    const std::lock_guard lock(capturing_);
    pool_ = 0;
    check(cudaStreamEndCapture(handle_, &graph), "graph");
  }
  for (size_t i = 0; i < operations_.size(); ++i) captured_.emplace(first_ticket_ + i, operations_[i]);
  first_ticket_ += operations_.size();
  operations_.clear();
  return graph;
}

void Stream::throw_index_error() {
  const detail::IndexRecord bad = *seen_;
  const auto captured = captured_.find(bad.ticket);
  const IndexedOperation operation =
      captured != captured_.end() ? captured->second : operations_[bad.ticket - first_ticket_];
  replayed_ = false;
  first_ticket_ += operations_.size();
  operations_.clear();
  *seen_ = {};
  check(cudaMemcpyAsync(record_, seen_, sizeof *seen_, cudaMemcpyHostToDevice, handle_), "index record");
  detail::throw_index_error(operation.op, operation.argument, operation.dim, operation.size, bad.position, bad.value);
}

uint64_t Stream::add_operation(const IndexedOperation& operation) {
  if (operations_.size() >= kMaxOperations && !captures()) synchronize();
  operations_.push_back(operation);
  return first_ticket_ + operations_.size() - 1;
}

detail::IndexRecord* Stream::index_record() {
  if (!record_) {
    DeviceScope scope(Device(Device::Type::cuda, device_));
    if (!seen_) check(cudaMallocHost(reinterpret_cast<void**>(&seen_), sizeof *seen_), "index record");
    void* record = nullptr;
    if (cudaMalloc(&record, sizeof *record_) != cudaSuccess) {
      cudaGetLastError();
      empty_cache(Device(Device::Type::cuda, device_));
      check(cudaMalloc(&record, sizeof *record_), "index record");
    }
    record_ = static_cast<detail::IndexRecord*>(record);
    *seen_ = {};
    check(cudaMemcpyAsync(record_, seen_, sizeof *seen_, cudaMemcpyHostToDevice, handle_), "index record");
  }
  return record_;
}

}  // namespace ordo::cuda
