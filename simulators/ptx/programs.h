// What stands behind the C interface of the CUDA runtime: the program's kernels, their launches and counts. Internal to
// runtime.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <cuda_runtime_api.h>

#include <ordo/simulators/emulator/queues.h>

#include "simulators/ptx/decode.h"
#include "simulators/ptx/machine.h"

namespace ordo::ptx {

inline constexpr int kArchitecture = 90, kMultiprocessors = 8;
// NVIDIA, CUDA C++ Programming Guide, compute capabilities.
inline constexpr uint32_t kMostThreads = 1024, kMostDepth = 64, kMostGridX = 0x7fffffff, kMostGridYZ = 65535;
inline constexpr uint32_t kMostRegisters = 65536, kRegisterUnit = 256;  // of a block; a warp gets a multiple of these
inline constexpr size_t kCacheBytes = size_t(50) << 20;                 // second-level, of an H100
// As little shared memory as sm_86 and sm_89 give a block; sm_80 gives 163 KiB and sm_90 227.
inline constexpr size_t kSharedPerBlock = 48 * 1024, kSharedOptIn = 99 * 1024, kMostParameters = 32764;

struct Module {
  std::unique_ptr<ModuleText> text;
  std::map<std::string, uint64_t> globals;
  std::map<std::string, uint32_t> registers;  // of a thread, as ptxas gave them
};

/// A kernel of the program, by the address of its stub.
struct Kernel {
  Module* module;
  std::string name;
  std::unique_ptr<Program> program;  // decoded when it is first asked for
  Counts counts, counted;            // of its launches; of those before ordo_ptx_start_counting()
  std::vector<size_t> offsets;       // of parameters
  std::vector<size_t> sizes;
  size_t most_dynamic_shared = kSharedPerBlock;
};

class Runtime {
 public:
  static Runtime& get() {
    static auto* runtime = new Runtime;  // programs launch until their very end
    return *runtime;
  }

  Device device;
  bool eager = false;
  cuda::queues::Queues queues{[] {
    return cuda::queues::Turns{get().device.schedule.order, get().device.schedule.seed, get().eager};
  }};
  std::recursive_mutex mutex;
  cudaError_t fault = cudaSuccess;  // a kernel's; stays
  double seconds = 0;               // of launches
  Counts fills;                     // of cudaMemset, and
  uint64_t library_calls = 0;       // calls that computed, since ordo_ptx_start_counting()
  std::unordered_map<const void*, Kernel> kernels;
  std::vector<std::unique_ptr<Module>> modules;

  /// A fat binary that nvcc put into the program.
  void add_module(const void* fat_binary);
  /// Checks a launch, and queues it.
  cudaError_t launch(const void* stub, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream);
  /// After a fault nothing is done any more. What `work` throws is a fault of `what`.
  void queue(cudaStream_t stream, const std::string& what, std::function<void()> work, size_t bytes = 0);
  /// Memory is freed when everything has run that was queued before; nothing waits for it.
  bool free(void* data);
  void* allocate(size_t bytes);
  /// Of a thread; 0 where there is no machine code.
  static uint32_t registers(const Kernel& kernel);
  const Program& decoded(Kernel& kernel);
  void set_schedule(const char* order, uint64_t seed, bool eager);

 private:
  Runtime();
  /// A line for every kernel that ran, in one piece: several processes may write to the file.
  void record_kernels(const char* path) const;
  /// {"kernels": {name: {count: number, ...}, ...}}, as JSON.
  void record_counts(const char* path) const;
  void report() const;
  void at_end();
  void free_what_is_due();

  struct Freed {
    void* data;
    uint64_t number;  // of the first task that may not use it
  };
  std::vector<Freed> freed_;
};

}  // namespace ordo::ptx

struct CUstream_st : ordo::cuda::queues::Stream {
  int device = 0;
};
