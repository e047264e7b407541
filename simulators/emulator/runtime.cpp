#include <ordo/simulators/emulator/runtime.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/memory/memory_annotations.h>
#include <ordo/simulators/emulator/checker.h>
#include <ordo/simulators/emulator/graphs.h>
#include <ordo/simulators/emulator/scheduler.h>
#include <ordo/simulators/emulator/streams.h>

namespace checker = ordo::cuda::emulator::checker;

namespace {
std::mutex g_mutex;
struct Piece {
  size_t bytes;
  int device;
};
using Pieces = std::map<const char*, Piece>;  // by address; never destroyed, because destructors of static objects free
Pieces& device_memory() {
  static auto* pieces = new Pieces;
  return *pieces;
}
Pieces& pinned_memory() {
  static auto* pieces = new Pieces;
  return *pieces;
}
/// The piece that p points into, or null.
const Piece* find(const Pieces& pieces, const void* p) {
  const char* address = static_cast<const char*>(p);
  const auto next = pieces.upper_bound(address);
  if (next == pieces.begin()) return nullptr;
  const auto& [begin, piece] = *std::prev(next);
  return address < begin + piece.bytes ? &piece : nullptr;
}
bool contains(const Pieces& pieces, const void* p) { return find(pieces, p) != nullptr; }
// Host memory that CUDA does not know: a copy from there reads it before it returns, one to there waits.
bool is_pageable(const void* p, bool known_to_be_on_device) {
  const std::lock_guard lock(g_mutex);
  return !known_to_be_on_device && !contains(device_memory(), p) && !contains(pinned_memory(), p);
}
constexpr int kDevices = 2;
thread_local int t_device = 0;
size_t g_allocated[kDevices] = {};
std::atomic<bool> g_second_used = false;  // some thread has made the second device its own
std::atomic<bool> g_peers[kDevices][kDevices] = {};
std::atomic<uint64_t> g_bytes_to_host = 0, g_bytes_across = 0;
bool exists(int device) { return device >= 0 && device < kDevices; }
size_t block_size(size_t bytes) { return (bytes + 255) / 256 * 256; }
thread_local cudaError_t t_last_error = cudaSuccess;

struct ErrorText {
  cudaError_t status;
  const char *name, *text = nullptr;  // null: the name
};
constexpr ErrorText kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorCudartUnloading, "cudaErrorCudartUnloading"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver"},
    {cudaErrorNoDevice, "cudaErrorNoDevice"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent"},
};
const ErrorText* find_error(cudaError_t status) {
  const auto* at =
      std::find_if(std::begin(kErrors), std::end(kErrors), [=](const ErrorText& e) { return e.status == status; });
  return at == std::end(kErrors) ? nullptr : at;
}
}  // namespace

cudaError_t ordo::cuda::emulator::result(cudaError_t status) {
  if (status != cudaSuccess) t_last_error = status;
  return status;
}
using ordo::cuda::emulator::result;

int ordo::cuda::emulator::current_device() { return t_device; }
void ordo::cuda::emulator::expect_memory_of_current_device(const void* parameters, size_t bytes) {
  if (!g_second_used) return;
  const std::lock_guard lock(g_mutex);
  const char* const first = static_cast<const char*>(parameters);
  bool other = false;
  for (size_t at = 0; at + sizeof(void*) <= bytes; at += sizeof(void*)) {
    const void* p = nullptr;
    std::memcpy(&p, first + at, sizeof p);
    const Piece* const piece = find(device_memory(), p);
    if (piece && piece->device == t_device) return;
    other = other || piece;
  }
  if (other) throw CudaError("[emulator] a kernel's parameters point to memory of another device than the current one");
}

uint64_t ordo::cuda::emulator::bytes_copied_to_host() { return g_bytes_to_host; }
uint64_t ordo::cuda::emulator::bytes_between_devices_by_the_host() { return g_bytes_across; }
bool ordo::cuda::emulator::is_device_memory(const void* data, size_t bytes) {
  const std::lock_guard lock(g_mutex);
  const char* const first = static_cast<const char*>(data);
  return bytes == 0 || (contains(device_memory(), first) && contains(device_memory(), first + bytes - 1));
}

const char* cudaGetErrorName(cudaError_t status) {
  const ErrorText* e = find_error(status);
  return e ? e->name : "unknown";
}
const char* cudaGetErrorString(cudaError_t status) {
  const ErrorText* e = find_error(status);
  return e && e->text ? e->text : cudaGetErrorName(status);
}
cudaError_t cudaGetLastError() {
  const cudaError_t status = t_last_error;
  t_last_error = cudaSuccess;
  return status;
}
cudaError_t cudaPeekAtLastError() { return t_last_error; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = kDevices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = t_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (!exists(device)) return result(cudaErrorInvalidDevice);
  t_device = device;
  g_second_used = g_second_used || device != 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!exists(device)) return result(cudaErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "emulated on the CPU");
  const char* const named = std::getenv("ORDO_EMULATOR_UUID");
  const int32_t number[2] = {named ? std::atoi(named) : int32_t(getpid()), named ? 0 : device};
  std::memcpy(properties->uuid.bytes, number, sizeof number);
  properties->totalGlobalMem = ordo::cuda::emulator::options().memory_bytes;
  properties->major = 9;
  properties->multiProcessorCount = ordo::cuda::emulator::multiprocessors();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!exists(device)) return result(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = 1024;
      return cudaSuccess;
    case cudaDevAttrWarpSize:
      *value = 32;
      return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = ordo::cuda::emulator::multiprocessors();
      return cudaSuccess;
    case cudaDevAttrPageableMemoryAccess:
      *value = ordo::cuda::emulator::options().reads_pageable;
      return cudaSuccess;
  }
  return result(cudaErrorInvalidValue);
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!exists(device) || !exists(peer)) return result(cudaErrorInvalidDevice);
  *can = device != peer;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (!exists(peer) || peer == t_device) return result(cudaErrorInvalidDevice);
  if (flags != 0) return result(cudaErrorInvalidValue);
  return result(g_peers[t_device][peer].exchange(true) ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess);
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 0;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 0;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, size_t bytes) {
  *data = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (ordo::cuda::queues::capturing_thread.forbids()) return result(cudaErrorStreamCaptureUnsupported);
  std::lock_guard lock(g_mutex);
  if (bytes > ordo::cuda::emulator::options().memory_bytes -
                  std::min<uint64_t>(g_allocated[t_device], ordo::cuda::emulator::options().memory_bytes))
    return result(cudaErrorMemoryAllocation);
  void* p = std::aligned_alloc(256, block_size(bytes) + 2 * checker::kRedZone);
  if (!p) return result(cudaErrorMemoryAllocation);
  p = static_cast<char*>(p) + checker::kRedZone;
  checker::device_memory(p, block_size(bytes));
  std::memset(p, 0xcb, bytes);  // nobody may rely on zeros
  ordo::detail::note_allocated(p, bytes, block_size(bytes));
  g_allocated[t_device] += bytes;
  device_memory()[static_cast<char*>(p)] = {bytes, t_device};
  *data = p;
  return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
  if (!data) return cudaSuccess;
  if (ordo::cuda::queues::capturing_thread.forbids()) return result(cudaErrorStreamCaptureUnsupported);
  ordo::cuda::emulator::finish();
  std::lock_guard lock(g_mutex);
  const auto found = device_memory().find(static_cast<char*>(data));
  if (found == device_memory().end()) return result(cudaErrorInvalidValue);
  const Piece piece = found->second;
  g_allocated[piece.device] -= piece.bytes;
  ordo::detail::note_freed(data, block_size(piece.bytes));
  checker::forget_memory(data, block_size(piece.bytes));
  device_memory().erase(found);
  std::free(static_cast<char*>(data) - checker::kRedZone);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** data, size_t bytes) {
  if (ordo::cuda::queues::capturing_thread.forbids()) return result(cudaErrorStreamCaptureUnsupported);
  *data = std::malloc(bytes);
  if (!*data) return result(cudaErrorMemoryAllocation);
  std::lock_guard lock(g_mutex);
  pinned_memory()[static_cast<char*>(*data)] = {bytes, t_device};
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
  if (!data) return cudaSuccess;
  if (ordo::cuda::queues::capturing_thread.forbids()) return result(cudaErrorStreamCaptureUnsupported);
  ordo::cuda::emulator::finish();
  std::lock_guard lock(g_mutex);
  if (!pinned_memory().erase(static_cast<char*>(data))) return result(cudaErrorInvalidValue);
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* data) {
  const std::lock_guard lock(g_mutex);
  attributes->type = contains(device_memory(), data)   ? cudaMemoryTypeDevice
                     : contains(pinned_memory(), data) ? cudaMemoryTypeHost
                                                       : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  std::lock_guard lock(g_mutex);
  *total_bytes = ordo::cuda::emulator::options().memory_bytes;
  *free_bytes = *total_bytes - std::min(g_allocated[t_device], *total_bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  using namespace ordo::cuda::emulator;
  if (bytes == 0) return cudaSuccess;
  const bool on_device = kind == cudaMemcpyDeviceToDevice;
  if (kind == cudaMemcpyDeviceToHost) g_bytes_to_host += bytes;
  const bool waits = is_pageable(to, on_device || kind == cudaMemcpyHostToDevice);
  const bool reads_pageable_memory = is_pageable(from, on_device || kind == cudaMemcpyDeviceToHost);
  // A graph would read again what is no longer there.
  if ((waits || reads_pageable_memory) && fails_capture(stream)) return result(cudaErrorStreamCaptureUnsupported);
  if (waits) {
    const cudaError_t status = synchronize(stream);
    std::memmove(to, from, bytes);
    return result(status);
  }
  if (stream && !options().reads_pageable && reads_pageable_memory) {
    const char* first = static_cast<const char*>(from);
    queue_task(
        stream,
        [to, staged = std::vector<char>(first, first + bytes)] { std::memcpy(to, staged.data(), staged.size()); },
        bytes);
  } else {
    queue_task(stream, [=] { std::memmove(to, from, bytes); });
  }
  return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  {
    const std::lock_guard lock(g_mutex);
    const Piece *const target = find(device_memory(), to), *const source = find(device_memory(), from);
    if (!target || target->device != to_device || !source || source->device != from_device)
      return result(cudaErrorInvalidValue);
  }
  if (!g_peers[from_device][to_device] && !g_peers[to_device][from_device]) g_bytes_across += bytes;
  ordo::cuda::emulator::queue_task(stream, [=] { std::memmove(to, from, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t stream) {
  if (!ordo::cuda::emulator::is_of_current_device(stream)) return result(cudaErrorInvalidResourceHandle);
  if (bytes) ordo::cuda::emulator::queue_task(stream, [=] { std::memset(data, value, bytes); });
  return cudaSuccess;
}
