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

#include <ordo/engine/memory/memory_annotations.h>
#include <ordo/simulators/emulator/checker.h>
#include <ordo/simulators/emulator/scheduler.h>
#include <ordo/simulators/emulator/streams.h>

namespace checker = ordo::cuda::emulator::checker;

namespace {
std::mutex g_mutex;
using Sizes = std::map<const char*, size_t>;  // by address; never destroyed, because destructors of static objects free
Sizes& device_memory() {
  static auto* sizes = new Sizes;
  return *sizes;
}
Sizes& pinned_memory() {
  static auto* sizes = new Sizes;
  return *sizes;
}
bool contains(const Sizes& sizes, const void* p) {
  const char* address = static_cast<const char*>(p);
  const auto next = sizes.upper_bound(address);
  return next != sizes.begin() && address < std::prev(next)->first + std::prev(next)->second;
}
// Host memory that CUDA does not know: a copy from there reads it before it returns, one to there waits.
bool is_pageable(const void* p, bool known_to_be_on_device) {
  const std::lock_guard lock(g_mutex);
  return !known_to_be_on_device && !contains(device_memory(), p) && !contains(pinned_memory(), p);
}
size_t g_allocated = 0;
std::atomic<uint64_t> g_bytes_to_host = 0;
size_t block_size(size_t bytes) { return (bytes + 255) / 256 * 256; }
thread_local cudaError_t t_last_error = cudaSuccess;
}  // namespace

cudaError_t ordo::cuda::emulator::result(cudaError_t status) {
  if (status != cudaSuccess) t_last_error = status;
  return status;
}
using ordo::cuda::emulator::result;

uint64_t ordo::cuda::emulator::bytes_copied_to_host() { return g_bytes_to_host; }
bool ordo::cuda::emulator::is_device_memory(const void* data, size_t bytes) {
  const std::lock_guard lock(g_mutex);
  const char* const first = static_cast<const char*>(data);
  return bytes == 0 || (contains(device_memory(), first) && contains(device_memory(), first + bytes - 1));
}

const char* cudaGetErrorName(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorCudartUnloading:
      return "cudaErrorCudartUnloading";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInsufficientDriver:
      return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
  }
  return "unknown";
}
const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    default:
      return cudaGetErrorName(status);
  }
}
cudaError_t cudaGetLastError() {
  const cudaError_t status = t_last_error;
  t_last_error = cudaSuccess;
  return status;
}
cudaError_t cudaPeekAtLastError() { return t_last_error; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return result(cudaErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "emulated on the CPU");
  properties->totalGlobalMem = ordo::cuda::emulator::options().memory_bytes;
  properties->major = 9;
  properties->multiProcessorCount = ordo::cuda::emulator::multiprocessors();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return result(cudaErrorInvalidDevice);
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
cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  if (device != 0 || size < 13) return result(cudaErrorInvalidDevice);
  const char* const named = std::getenv("ORDO_EMULATOR_BUS_ID");
  const unsigned process = unsigned(getpid());
  if (named)
    std::snprintf(text, size_t(size), "%s", named);
  else
    std::snprintf(text, size_t(size), "%04x:%02x:%02x.0", process >> 16, process >> 8 & 255, process & 255);
  return cudaSuccess;
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
  std::lock_guard lock(g_mutex);
  if (bytes > ordo::cuda::emulator::options().memory_bytes -
                  std::min(g_allocated, ordo::cuda::emulator::options().memory_bytes))
    return result(cudaErrorMemoryAllocation);
  void* p = std::aligned_alloc(256, block_size(bytes) + 2 * checker::kRedZone);
  if (!p) return result(cudaErrorMemoryAllocation);
  p = static_cast<char*>(p) + checker::kRedZone;
  checker::device_memory(p, block_size(bytes));
  std::memset(p, 0xcb, bytes);  // nobody may rely on zeros
  ordo::detail::note_allocated(p, bytes, block_size(bytes));
  g_allocated += bytes;
  device_memory()[static_cast<char*>(p)] = bytes;
  *data = p;
  return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
  if (!data) return cudaSuccess;
  ordo::cuda::emulator::finish();
  std::lock_guard lock(g_mutex);
  const auto found = device_memory().find(static_cast<char*>(data));
  if (found == device_memory().end()) return result(cudaErrorInvalidValue);
  g_allocated -= found->second;
  ordo::detail::note_freed(data, block_size(found->second));
  checker::forget_memory(data, block_size(found->second));
  device_memory().erase(found);
  std::free(static_cast<char*>(data) - checker::kRedZone);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** data, size_t bytes) {
  *data = std::malloc(bytes);
  if (!*data) return result(cudaErrorMemoryAllocation);
  std::lock_guard lock(g_mutex);
  pinned_memory()[static_cast<char*>(*data)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
  if (!data) return cudaSuccess;
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
  *free_bytes = *total_bytes - std::min(g_allocated, *total_bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  using namespace ordo::cuda::emulator;
  if (bytes == 0) return cudaSuccess;
  const bool on_device = kind == cudaMemcpyDeviceToDevice;
  if (kind == cudaMemcpyDeviceToHost) g_bytes_to_host += bytes;
  if (is_pageable(to, on_device || kind == cudaMemcpyHostToDevice)) {
    const cudaError_t status = synchronize(stream);
    std::memmove(to, from, bytes);
    return result(status);
  }
  if (stream && !options().reads_pageable && is_pageable(from, on_device || kind == cudaMemcpyDeviceToHost)) {
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
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemset(void* data, int value, size_t bytes) { return cudaMemsetAsync(data, value, bytes, nullptr); }
cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t stream) {
  if (bytes) ordo::cuda::emulator::queue_task(stream, [=] { std::memset(data, value, bytes); });
  return cudaSuccess;
}
