#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/device_check.h>
#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/cuda/stream.h>
#include <ordo/engine/run/graph.h>
#if ORDO_EMULATED
#include <ordo/simulators/emulator/streams.h>
#endif

namespace ordo::cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) [[likely]]
    return;
  cudaGetLastError();  // a failed call must not be reported again by the next check
#if ORDO_EMULATED
  if (status == cudaErrorLaunchFailure) emulator::throw_failure();
#endif
  ordo::detail::fail<CudaError>("cuda", "{}: {} ({})", what, cudaGetErrorString(status), cudaGetErrorName(status));
}

cudaStream_t current_stream(Device device) { return Stream::current(device.index()).handle(); }

DeviceScope::DeviceScope(Device device) {
  check(cudaGetDevice(&previous_), "current device");
  if (device.index() == previous_) {
    previous_ = -1;
    return;
  }
  ordo::detail::check_device("cuda", device);
  check(cudaSetDevice(device.index()), "set device");
}
DeviceScope::DeviceScope(Device device, std::nothrow_t) noexcept {
  if (cudaGetDevice(&previous_) != cudaSuccess || previous_ == device.index())
    previous_ = -1;
  else
    cudaSetDevice(device.index());
}
DeviceScope::~DeviceScope() {
  if (previous_ >= 0) cudaSetDevice(previous_);
}

std::string_view build() {
#if ORDO_EMULATED
  return "emulated";
#else
  return "cuda";
#endif
}

void synchronize(Device device) {
  if (device.is_cuda()) Stream::current(device.index()).synchronize();
}

namespace backend {

namespace {
DeviceScope on(int device) { return DeviceScope(Device(Device::Type::cuda, device)); }

// Whether a copy to the device has read its source when the call returns: if that is pageable, and the device does not
// read the host's page tables (as with Grace and HMM). Pinned memory is read later.
bool is_read_at_once(const void* source, int device) {
  int reads_pageable = 0;
  check(cudaDeviceGetAttribute(&reads_pageable, cudaDevAttrPageableMemoryAccess, device), "device attribute");
  if (reads_pageable) return false;
  cudaPointerAttributes attributes;
  check(cudaPointerGetAttributes(&attributes, source), "pointer attributes");
  return attributes.type == cudaMemoryTypeUnregistered;
}

// Copies between two devices go directly where the one can reach the other's memory, else through the host. Asked for
// once for each pair.
void reach(int device, int peer) {
  static std::mutex mutex;
  static std::set<std::pair<int, int>> asked;
  const std::lock_guard lock(mutex);
  if (!asked.emplace(device, peer).second) return;
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device, peer), "peer access");
  if (!can) return;
  const DeviceScope scope = on(device);
  const cudaError_t status = cudaDeviceEnablePeerAccess(peer, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();  // by the program
  else
    check(status, "peer access");
}

std::string version_text(cudaError_t status, int version) {  // 13000 is 13.0
  if (status != cudaSuccess || version == 0) return {};
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}
}  // namespace

namespace {
struct Devices {
  int count = 0;
  std::string why_none;
};
const Devices& devices() {
  static const Devices found = [] {
    Devices d;
    const cudaError_t status = cudaGetDeviceCount(&d.count);
    if (status == cudaSuccess && d.count > 0) return d;
    cudaGetLastError();
    return Devices{0, status == cudaSuccess ? "no CUDA-capable device is detected" : cudaGetErrorString(status)};
  }();
  return found;
}
}  // namespace

int device_count() { return devices().count; }
std::string_view why_no_device() { return devices().why_none; }

/// Null where there is no memory left.
template <class Function>
static void* allocate_by(Function allocate, const char* what, size_t bytes, int device) {
  const DeviceScope scope = on(device);
  void* data = nullptr;
  const cudaError_t status = allocate(&data, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(status, what);
  return data;
}

void* allocate_raw(size_t bytes, int device) {
  const RelaxedCapture scope;
  return allocate_by([](void** data, size_t n) { return cudaMalloc(data, n); }, "cudaMalloc", bytes, device);
}

void free_raw(void* data, int) noexcept {
  cudaFree(data);  // finds the device by the address; fails harmlessly while the process ends
  cudaGetLastError();
}

void* allocate_pinned(size_t bytes, int device) {
  return allocate_by([](void** data, size_t n) { return cudaMallocHost(data, n); }, "cudaMallocHost", bytes, device);
}
void free_pinned(void* data) noexcept {
  cudaFreeHost(data);
  cudaGetLastError();
}

uintptr_t current_stream_id(int device) { return Stream::current(device).id(); }
void let_wait(uintptr_t later, uintptr_t earlier, int) {
  reinterpret_cast<Stream*>(later)->wait_for(*reinterpret_cast<Stream*>(earlier));
}

uintptr_t memory_pool_id(int device) { return Stream::current(device).memory_pool(); }
void begin_capture(int device, uintptr_t pool) { Stream::current(device).begin_capture(pool); }
CapturedGraph* end_capture(int device) {
  auto captured = std::make_unique<CapturedGraph>();
  captured->device = device;
  cudaGraph_t graph = Stream::current(device).end_capture(captured->pinned);
  const cudaError_t status = cudaGraphInstantiateWithFlags(&captured->work, graph, 0);
  cudaGraphDestroy(graph);
  check(status, "graph");
  return captured.release();
}
void abandon_capture(int device) noexcept {
  CapturedGraph nothing{.device = device};
  try {
    cudaGraphDestroy(Stream::current(device).end_capture(nothing.pinned));
  } catch (const std::exception&) {  // it had failed
  }
}
void launch_graph(CapturedGraph* graph) {
  const DeviceScope scope = on(graph->device);
  check(cudaGraphLaunch(graph->work, Stream::current(graph->device).handle()), "graph");
  Stream::current(graph->device).has_replayed();
  if (graph->pinned.empty()) return;
  if (!graph->replayed) check(cudaEventCreateWithFlags(&graph->replayed, cudaEventDisableTiming), "event");
  check(cudaEventRecord(graph->replayed, Stream::current(graph->device).handle()), "event");
}
void destroy_graph(CapturedGraph* graph) noexcept { delete graph; }

void* create_event(int device) {
  Stream::current(device);  // says so when there is no such device
  const DeviceScope scope(Device(Device::Type::cuda, device));
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  return event;
}
void destroy_event(void* event) noexcept { cudaEventDestroy(static_cast<cudaEvent_t>(event)); }
void record_event(void* event, int device) {
  const DeviceScope scope(Device(Device::Type::cuda, device));
  check(cudaEventRecord(static_cast<cudaEvent_t>(event), Stream::current(device).handle()), "event");
}
void record_event_on(void* event, uintptr_t stream_id) {
  const Stream& stream = *reinterpret_cast<Stream*>(stream_id);
  const DeviceScope scope(Device(Device::Type::cuda, stream.device()));
  check(cudaEventRecord(static_cast<cudaEvent_t>(event), stream.handle()), "event");
}
void wait_for_event(void* event, int device) {
  check(cudaStreamWaitEvent(Stream::current(device).handle(), static_cast<cudaEvent_t>(event), 0), "event");
}
void synchronize_event(void* event) { check(cudaEventSynchronize(static_cast<cudaEvent_t>(event)), "event"); }
bool has_passed(void* event) {
  const cudaError_t status = cudaEventQuery(static_cast<cudaEvent_t>(event));
  if (status == cudaErrorNotReady) {
    cudaGetLastError();  // it counts as one
    return false;
  }
  check(status, "event");
  return true;
}

void copy(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  if (bytes == 0) return;
  if (to_device.is_cpu() && from_device.is_cpu()) {
    std::memcpy(to, from, bytes);
  } else if (from_device.is_cpu()) {
    Stream& s = Stream::current(to_device.index());
    if (s.captures()) from = s.keep_for_graph(from, bytes);
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, s.handle()), "copy to the device");
    if (s.captures()) return;
    // The caller may change the source as soon as this returns.
    if (!is_read_at_once(from, to_device.index())) check(cudaStreamSynchronize(s.handle()), "copy to the device");
  } else if (to_device.is_cpu()) {
    ordo::detail::expect_no_capture("a wait for the device");
    Stream& s = Stream::current(from_device.index());
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, s.handle()), "copy to the host");
    s.synchronize();
  } else if (to_device == from_device) {
    Stream& s = Stream::current(to_device.index());
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, s.handle()), "copy on the device");
  } else {
    ordo::detail::expect_no_capture("a copy between devices");
    Stream &source = Stream::current(from_device.index()), &target = Stream::current(to_device.index());
    source.wait_for(target);
    reach(from_device.index(), to_device.index());
    check(cudaMemcpyPeerAsync(to, to_device.index(), from, from_device.index(), bytes, source.handle()),
          "copy between devices");
    target.wait_for(source);
  }
}

void queue_copy(void* to, const void* pinned, size_t bytes, int device) {
  ordo::detail::expect_no_capture("a copy from the host");
  check(cudaMemcpyAsync(to, pinned, bytes, cudaMemcpyHostToDevice, Stream::current(device).handle()),
        "copy to the device");
}

void fill_bytes(void* data, int value, size_t bytes, int device) {
  const DeviceScope scope = on(device);
  if (bytes) check(cudaMemsetAsync(data, value, bytes, Stream::current(device).handle()), "memset");
}

void synchronize(int device) { Stream::current(device).synchronize(); }

void wait_for_device(int device) noexcept {
  const DeviceScope scope(Device(Device::Type::cuda, device), std::nothrow);
  cudaDeviceSynchronize();
  cudaGetLastError();
}

MemoryInfo memory_info(int device) {
  const DeviceScope scope = on(device);
  MemoryInfo info;
  check(cudaMemGetInfo(&info.free_bytes, &info.total_bytes), "memory information");
  return info;
}

DeviceProperties device_properties(int device) {
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, device), "device properties");
  return {p.name, p.major, p.minor, p.multiProcessorCount, p.totalGlobalMem};
}

std::string uuid(int device) {
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, device), "device properties");
  std::string text = "GPU";
  for (size_t i = 0; i < sizeof p.uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(p.uuid.bytes[i]);
    text += {"0123456789abcdef"[byte / 16], "0123456789abcdef"[byte % 16]};
  }
  return text;
}

std::string driver_version() {
  int version = 0;
  const cudaError_t status = cudaDriverGetVersion(&version);
  return version_text(status, version);
}
std::string runtime_version() {
  int version = 0;
  const cudaError_t status = cudaRuntimeGetVersion(&version);
  return version_text(status, version);
}

IndexTicket index_ticket(const char* op, const char* argument, int64_t dim, int64_t size, int device) {
  Stream& s = Stream::current(device);
  detail::IndexRecord* const record = s.index_record();  // first: there may be no memory for it
  return {record, s.add_operation({op, argument, dim, size})};
}

}  // namespace backend
}  // namespace ordo::cuda
