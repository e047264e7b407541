// The C interface of the CUDA runtime, as far as Ordo and CUB use it, on the PTX machine: a library for the loader to
// put in the place of libcudart. Work waits on its stream (queues.h), as late as CUDA permits.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include <ordo/simulators/emulator/graphs.h>
#include "simulators/ptx/programs.h"

struct CUevent_st {
  int device;
  ordo::cuda::queues::Event mark{};
  std::shared_ptr<std::chrono::steady_clock::time_point> time{};  // when it was reached
};

namespace ordo::ptx {
namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};

// All have the same memory. A stream takes kernels, and its events, only while its device is the current one.
constexpr int kDevices = 2;
thread_local int current_device = 0;
bool exists(int device) { return device >= 0 && device < kDevices; }
bool takes_work(cudaStream_t stream) { return !stream || stream->device == current_device; }

thread_local cudaError_t last_error = cudaSuccess;
thread_local std::vector<Configuration> configurations;

/// What a call returns, which cudaGetLastError repeats. A kernel's fault stays for good.
cudaError_t give(cudaError_t status) {
  const cudaError_t fault = Runtime::get().fault;
  if (fault != cudaSuccess) status = fault;
  if (status != cudaSuccess) last_error = status;
  return status;
}

template <class F>
cudaError_t call(const F& f) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  if (runtime.fault != cudaSuccess) return give(runtime.fault);
  return give(f(runtime));
}

bool on_device(const Runtime& runtime, const void* data, size_t bytes) {
  const Memory::Piece* piece = runtime.device.memory.find(reinterpret_cast<uint64_t>(data));
  return piece && !piece->freed && piece->holds(reinterpret_cast<uint64_t>(data), bytes);
}

/// Host memory that CUDA does not know: a copy from there reads it before it returns, one to there waits.
bool is_pageable(const Runtime& runtime, const void* data) {
  return !runtime.device.memory.find(reinterpret_cast<uint64_t>(data));
}

struct ErrorText {
  cudaError_t status;
  const char *name, *text;
};
constexpr ErrorText kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidPtx, "cudaErrorInvalidPtx", "PTX that the machine does not know"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported", "not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated", "a call ended the capture"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation", "dependency on work that is not captured"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent", "not permitted on an event last recorded in a capturing stream"},
};
const ErrorText* find_error(cudaError_t status) {
  const auto* at =
      std::find_if(std::begin(kErrors), std::end(kErrors), [=](const ErrorText& e) { return e.status == status; });
  return at == std::end(kErrors) ? nullptr : at;
}

}  // namespace
}  // namespace ordo::ptx

using namespace ordo::ptx;
namespace queues = ordo::cuda::queues;

extern "C" {

// -- for tests and stand-ins --------------------------------------------------------------------------------------

void ordo_ptx_set_schedule(const char* order, unsigned long long seed, bool eager) {
  const std::lock_guard lock(Runtime::get().mutex);
  Runtime::get().set_schedule(order, seed, eager);
}

void ordo_ptx_restart_schedule() {
  const std::lock_guard lock(Runtime::get().mutex);
  Runtime::get().queues.restart();
  Runtime::get().device.launched = 0;
}
void ordo_ptx_counts(unsigned long long* launches, unsigned long long* float_atomics) {
  const std::lock_guard lock(Runtime::get().mutex);
  Runtime::get().queues.finish_all();
  *launches = Runtime::get().device.counts.launches;
  *float_atomics = Runtime::get().device.counts.float_atomics;
}
void ordo_ptx_start_counting() {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.queues.finish_all();
  for (auto& [stub, kernel] : runtime.kernels) kernel.counted = kernel.counts;
  runtime.fills = {};
  runtime.library_calls = 0;
  runtime.device.cache = std::make_unique<SectorCache>(kCacheBytes);
}
void ordo_ptx_kernel_counts(void (*visit)(void*, const char* kernel, const char* count, unsigned long long value),
                            void* context) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.queues.finish_all();
  const auto visit_counts = [&](const char* kernel, const Counts& counts) {
    if (counts.launches == 0) return;
    counts.for_each(
        [&](std::string_view name, uint64_t count) { visit(context, kernel, std::string(name).c_str(), count); });
  };
  for (const auto& [stub, kernel] : runtime.kernels) visit_counts(kernel.name.c_str(), kernel.counts - kernel.counted);
  visit_counts("cudaMemset", runtime.fills);
  if (runtime.library_calls > 0) visit(context, "cuBLAS and cuDNN", "library_calls", runtime.library_calls);
}
void ordo_ptx_queue_library_call(cudaStream_t stream, const char* name, void (*work)(void*), void (*destroy)(void*),
                                 void* context) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  // In a graph, the work may run any number of times.
  runtime.queue(stream, name, [held = std::shared_ptr<void>(context, destroy), work, &runtime] {
    work(held.get());
    ++runtime.library_calls;
  });
}
void ordo_ptx_reads(const void* data, size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(data);
  const Memory::Piece* piece = Runtime::get().device.memory.find(address);
  if (bytes == 0 || (piece && piece->is_written(address, bytes))) return;
  throw Fault(Fault::Kind::failure, "an operand has bytes that nobody has written");
}
void ordo_ptx_writes(const void* data, size_t bytes) { Runtime::get().device.memory.set_written(data, bytes); }
bool ordo_ptx_on_device(const void* data, size_t bytes) {
  const std::lock_guard lock(Runtime::get().mutex);
  return bytes == 0 || on_device(Runtime::get(), data, bytes);
}

// -- programs and kernels -----------------------------------------------------------------------------------------

void** __cudaRegisterFatBinary(void* wrapper) {
  struct Wrapper {
    int magic, version;
    const void* data;
    void* name;
  };
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  try {
    runtime.add_module(static_cast<const Wrapper*>(wrapper)->data);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "PTX machine: %s\n", e.what());
    std::abort();
  }
  return reinterpret_cast<void**>(runtime.modules.back().get());
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  Kernel& kernel = runtime.kernels[stub];
  kernel.module = reinterpret_cast<Module*>(handle);
  kernel.name = name;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorLaunchFailure;
  const Configuration c = configurations.back();
  configurations.pop_back();
  *grid = c.grid, *block = c.block, *shared = c.shared, *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(stub));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  return call([&](Runtime& r) {
    if (!takes_work(stream)) return cudaErrorInvalidResourceHandle;
    return r.launch(stub, grid, block, arguments, shared, stream);
  });
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                               cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
cudaError_t cudaFuncSetAttribute(const void* stub, cudaFuncAttribute attribute, int value) {
  return call([&](Runtime& r) {
    const auto at = r.kernels.find(stub);
    if (at == r.kernels.end()) return cudaErrorInvalidDeviceFunction;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || size_t(value) + r.decoded(at->second).shared_bytes > kSharedOptIn) return cudaErrorInvalidValue;
    at->second.most_dynamic_shared = size_t(value);
    return cudaSuccess;
  });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* stub) {
  return call([&](Runtime& r) {
    const auto at = r.kernels.find(stub);
    if (at == r.kernels.end()) return cudaErrorInvalidDeviceFunction;
    const Program& program = r.decoded(at->second);
    *attributes = {};
    attributes->sharedSizeBytes = program.shared_bytes;
    attributes->localSizeBytes = program.local_bytes;
    attributes->maxThreadsPerBlock = program.most_threads > 0 ? program.most_threads : int(kMostThreads);
    attributes->numRegs = int(Runtime::registers(at->second));
    attributes->ptxVersion = attributes->binaryVersion = kArchitecture;
    attributes->maxDynamicSharedSizeBytes = int(at->second.most_dynamic_shared);
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* stub, int threads, size_t,
                                                                   unsigned) {
  return call([&](Runtime& r) {
    if (r.kernels.count(stub) == 0) return cudaErrorInvalidDeviceFunction;
    *blocks = threads > 0 && threads <= int(kMostThreads) ? std::max(1, 2048 / std::max(threads, 256)) : 0;
    return cudaSuccess;
  });
}

// -- memory -------------------------------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** data, size_t bytes) {
  return call([&](Runtime& r) {
    if (queues::capturing_thread.forbids()) return cudaErrorStreamCaptureUnsupported;
    *data = bytes == 0 ? nullptr : r.allocate(bytes);
    return bytes == 0 || *data ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}
cudaError_t cudaFree(void* data) {
  return call([&](Runtime& r) {
    if (data && queues::capturing_thread.forbids()) return cudaErrorStreamCaptureUnsupported;
    return !data || r.free(data) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaMallocHost(void** data, size_t bytes) {
  return call([&](Runtime& r) {
    if (queues::capturing_thread.forbids()) return cudaErrorStreamCaptureUnsupported;
    *data = std::aligned_alloc(256, (std::max<size_t>(bytes, 1) + 255) / 256 * 256);
    if (!*data) return cudaErrorMemoryAllocation;
    r.device.memory.add(*data, bytes);
    return cudaSuccess;
  });
}
cudaError_t cudaFreeHost(void* data) {
  return call([&](Runtime& r) {
    if (queues::capturing_thread.forbids()) return cudaErrorStreamCaptureUnsupported;
    r.queues.finish_all();
    if (data && !r.device.memory.remove(data)) return cudaErrorInvalidValue;
    std::free(data);
    return cudaSuccess;
  });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* data) {
  return call([&](Runtime& r) {
    const Memory::Piece* piece = r.device.memory.find(reinterpret_cast<uint64_t>(data));
    *attributes = {};
    attributes->type = !piece || piece->freed ? cudaMemoryTypeUnregistered
                       : piece->pinned        ? cudaMemoryTypeHost
                                              : cudaMemoryTypeDevice;
    return cudaSuccess;
  });
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return call([&](Runtime& r) {
    *total = Memory::kTotal;
    r.queues.finish_all();
    *free = Memory::kTotal - r.device.memory.in_use();
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& r) {
    if (bytes == 0) return cudaSuccess;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if ((to_device && !on_device(r, to, bytes)) || (from_device && !on_device(r, from, bytes)))
      return cudaErrorInvalidValue;
    const bool waits = !to_device && is_pageable(r, to);
    if ((waits || (!from_device && is_pageable(r, from))) && queues::fails_capture(stream))
      return cudaErrorStreamCaptureUnsupported;
    if (waits) {
      r.queues.finish(stream);
      std::memmove(to, from, bytes);
    } else if (!from_device && is_pageable(r, from)) {
      const char* first = static_cast<const char*>(from);
      r.queue(
          stream, "cudaMemcpy",
          [&r, to, staged = std::vector<char>(first, first + bytes)] {
            r.device.memory.copy(to, staged.data(), staged.size());
          },
          bytes);
    } else {
      r.queue(stream, "cudaMemcpy", [&r, to, from, bytes] { r.device.memory.copy(to, from, bytes); });
    }
    return cudaSuccess;
  });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t stream) {
  return call([&](Runtime& r) {
    if (!takes_work(stream)) return cudaErrorInvalidResourceHandle;
    if (bytes != 0 && !on_device(r, data, bytes)) return cudaErrorInvalidValue;
    r.queue(stream, "cudaMemset", [&r, data, value, bytes] {
      std::memset(data, value, bytes);
      r.device.memory.set_written(data, bytes);
      ++r.fills.launches;
      const uint64_t first = reinterpret_cast<uint64_t>(data) / 32, sectors = (bytes + 31) / 32;
      r.fills.sectors += sectors;
      if (r.device.cache)
        for (uint64_t s = first; s < first + sectors; ++s)
          r.fills.dram_sectors += r.device.cache->use(s, SectorCache::Use::write);
    });
    return cudaSuccess;
  });
}

// -- the device ---------------------------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count) {
  *count = kDevices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* index) {
  *index = current_device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int index) {
  if (!exists(index)) return give(cudaErrorInvalidDevice);
  current_device = index;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!exists(device) || !exists(peer)) return give(cudaErrorInvalidDevice);
  *can = device != peer;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return give(flags == 0 && exists(peer) && peer != current_device ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaDeviceSynchronize() {
  return call([](Runtime& r) {
    if (queues::capturing_thread.forbids()) return cudaErrorStreamCaptureUnsupported;
    r.queues.finish_all();
    return cudaSuccess;
  });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  if (!exists(index)) return give(cudaErrorInvalidDevice);
  *properties = {};
  std::snprintf(properties->name, sizeof(properties->name), "PTX machine");
  const int32_t number[2] = {int32_t(getpid()), index};  // each process has devices of its own
  std::memcpy(properties->uuid.bytes, number, sizeof number);
  properties->totalGlobalMem = Memory::kTotal;
  properties->major = kArchitecture / 10;
  properties->minor = kArchitecture % 10;
  properties->multiProcessorCount = kMultiprocessors;
  properties->warpSize = kLanes;
  properties->maxThreadsPerBlock = int(kMostThreads);
  properties->sharedMemPerBlock = kSharedPerBlock;
  properties->sharedMemPerBlockOptin = kSharedOptIn;
  properties->regsPerBlock = int(kMostRegisters);
  properties->maxGridSize[0] = int(kMostGridX);
  properties->maxGridSize[1] = properties->maxGridSize[2] = int(kMostGridYZ);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index) {
  if (!exists(index)) return give(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = kMultiprocessors;
      break;
    case cudaDevAttrWarpSize:
      *value = kLanes;
      break;
    case cudaDevAttrMaxThreadsPerBlock:
      *value = int(kMostThreads);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = int(kSharedPerBlock);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = int(kSharedOptIn);
      break;
    case cudaDevAttrMaxGridDimX:
      *value = int(kMostGridX);
      break;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      *value = int(kMostGridYZ);
      break;
    case cudaDevAttrPageableMemoryAccess:
      *value = 0;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = kArchitecture / 10;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = kArchitecture % 10;
      break;
    default:
      return give(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

// -- errors -------------------------------------------------------------------------------------------------------

cudaError_t cudaGetLastError() {
  const cudaError_t status = Runtime::get().fault != cudaSuccess ? Runtime::get().fault : last_error;
  last_error = cudaSuccess;
  return status;
}
cudaError_t cudaPeekAtLastError() { return Runtime::get().fault != cudaSuccess ? Runtime::get().fault : last_error; }
const char* cudaGetErrorName(cudaError_t status) {
  const ErrorText* e = find_error(status);
  return e ? e->name : "cudaErrorUnknown";
}
const char* cudaGetErrorString(cudaError_t status) {
  const ErrorText* e = find_error(status);
  return e ? e->text : "unknown error";
}

// -- streams and events -------------------------------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return call([&](Runtime& r) {
    *stream = new CUstream_st{{.waits_for_null_stream = !(flags & cudaStreamNonBlocking)}, current_device};
    r.queues.add(*stream);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.queues.remove(stream);
    delete stream;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call([&](Runtime& r) {
    if (queues::fails_capture(stream)) return cudaErrorStreamCaptureUnsupported;
    r.queues.finish(stream);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call(
      [&](Runtime& r) { return r.queues.has_passed(r.queues.record(stream)) ? cudaSuccess : cudaErrorNotReady; });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call([&](Runtime& r) {
    if (!queues::Queues::may_wait(stream, event->mark)) {
      queues::fails_capture(stream);
      return cudaErrorStreamCaptureIsolation;
    }
    r.queues.wait(stream, event->mark);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return call(
      [&](Runtime&) { return queues::begin_capture(stream) ? cudaSuccess : cudaErrorStreamCaptureUnsupported; });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call([&](Runtime&) {
    *graph = queues::end_capture(stream).release();
    return *graph ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return call([&](Runtime& r) {
    if (!takes_work(stream)) return cudaErrorInvalidResourceHandle;
    for (const auto& work : *executable->work) r.queues.queue(stream, [list = executable->work, &work] { work(); });
    return cudaSuccess;
  });
}
#include <ordo/simulators/emulator/runtime_calls.h>
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st{current_device};
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call([&](Runtime& r) {
    if (stream && stream->device != event->device) return cudaErrorInvalidResourceHandle;
    event->time = std::make_shared<std::chrono::steady_clock::time_point>();
    r.queue(stream, "cudaEventRecord", [time = event->time] { *time = std::chrono::steady_clock::now(); });
    event->mark = r.queues.record(stream);
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call([&](Runtime& r) {
    if (event->mark && event->mark->capture) return cudaErrorCapturedEvent;
    r.queues.finish(event->mark);
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call([&](Runtime& r) {
    if (event->mark && event->mark->capture) return cudaErrorCapturedEvent;
    return r.queues.has_passed(event->mark) ? cudaSuccess : cudaErrorNotReady;
  });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t last) {
  return call([&](Runtime&) {
    if (!first->mark || !last->mark) return cudaErrorInvalidResourceHandle;
    if (!first->mark->reached || !last->mark->reached) return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(*last->time - *first->time).count();
    return cudaSuccess;
  });
}

}  // extern "C"
