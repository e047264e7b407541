// What the engine asks of a device, in plain types: the same declarations for a real GPU and the emulator. Internal.
// Functions that take a device make it current for their own calls only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <ordo/engine/calls/index_check.h>
#include <ordo/engine/tensor/device.h>
#include <ordo/engine/tensor/dtype.h>

namespace ordo::cuda::backend {

struct MemoryInfo {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
};

struct DeviceProperties {
  std::string name;
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  size_t total_bytes = 0;
};

/// 0 without a GPU or a usable driver; never throws.
int device_count();
/// What the runtime said when it found none; else empty.
std::string_view why_no_device();

/// 256-byte aligned device memory, or null when there is none left. Other failures throw CudaError.
void* allocate_raw(size_t bytes, int device);
/// Returns memory to the driver. The caller has made sure that no work uses it any more.
void free_raw(void* data, int device) noexcept;

/// Host memory that the device copies by itself, or null when there is none left.
void* allocate_pinned(size_t bytes, int device);
void free_pinned(void* data) noexcept;  ///< as free_raw

/// Names the calling thread's stream on `device`; never 0. After a thread has ended, its stream, idle, serves another.
uintptr_t current_stream_id(int device);
/// Lets later work of the stream `later` wait for everything queued so far on `earlier`; both are streams of `device`.
void let_wait(uintptr_t later, uintptr_t earlier, int device);

/// Whose freed memory the calling thread may have: its stream's, or while it captures that of the graph's pool.
uintptr_t memory_pool_id(int device);
/// From now on the calling thread's work on `device` is kept (engine/run/graph.h), and memory is the pool's.
void begin_capture(int device, uintptr_t pool);
struct CapturedGraph;
CapturedGraph* end_capture(int device);  ///< CudaError when something ended it in failure
void abandon_capture(int device) noexcept;
void launch_graph(CapturedGraph* graph);
void destroy_graph(CapturedGraph* graph) noexcept;

/// A point in the work of a stream (engine/run/event.h). DeviceError when there is no such device.
void* create_event(int device);
void destroy_event(void* event) noexcept;
void record_event(void* event, int device);              ///< on the calling thread's stream
void record_event_on(void* event, uintptr_t stream_id);  ///< on that one
void wait_for_event(void* event, int device);            ///< the calling thread's stream waits
void synchronize_event(void* event);                     ///< the host waits
bool has_passed(void* event);

/// Copies between any two devices in the order of the calling thread's streams. Host memory that takes part may be
/// reused on return; a copy to the host also raises an index error that was recorded.
void copy(void* to, Device to_device, const void* from, Device from_device, size_t bytes);
/// From pinned memory, on the calling thread's stream; that memory must stay as it is until the copy has ended.
void queue_copy(void* to, const void* pinned, size_t bytes, int device);
/// NaN for floating types, the maximum for integers, true for bool.
void fill_pattern(void* data, int64_t numel, DType dtype, int device);
void fill_bytes(void* data, int value, size_t bytes, int device);

/// Waits for the calling thread's stream, then raises an index error that its kernels recorded.
void synchronize(int device);
/// Waits for all streams of the device; raises nothing. For freeing memory.
void wait_for_device(int device) noexcept;

MemoryInfo memory_info(int device);
DeviceProperties device_properties(int device);
/// The device's name among all in the world, as "GPU-12345678-1234-1234-1234-123456789abc".
std::string uuid(int device);
/// As "13.0"; empty when there is none.
std::string driver_version();
std::string runtime_version();

/// What IndexGuard needs: where the calling thread's stream records bad indices, and a number for this operation.
struct IndexTicket {
  ordo::detail::IndexRecord* record;
  uint64_t number;
};
IndexTicket index_ticket(const char* op, const char* argument, int64_t dim, int64_t size, int device);

}  // namespace ordo::cuda::backend
