// The checker of ORDO_SANITIZE=race: data races, accesses outside of device and shared memory, and reads of shared
// memory that nobody wrote, each with the lines of the kernels. Internal to the emulator; without the option all of
// this is empty.
//
// The compiler reports every access of a .cu file (compiler_hooks.cpp). Which of them race is in races.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ordo/simulators/emulator/races.h>

/// The place in the program that called the function that says so. In a web page there are no addresses of code: there
/// it is the number of a line, which the caller has stored (docs/site/live/lines.py).
#if defined(__EMSCRIPTEN__)
extern "C" int ordo_line;
#define ORDO_CALLER reinterpret_cast<const void*>(ordo_line)
#else
#define ORDO_CALLER __builtin_return_address(0)
#endif

namespace ordo::cuda::emulator {

struct Block;

namespace checker {

using races::Kind;

#if ORDO_RACE_CHECKER

/// True while the calling thread of the operating system runs a kernel's own code.
extern thread_local bool t_in_kernel __attribute__((tls_model("initial-exec")));

/// The emulator at work: its accesses are not the kernel's.
class Pause {
 public:
  Pause() : before_(t_in_kernel) { t_in_kernel = false; }
  ~Pause() { t_in_kernel = before_; }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  bool before_;
};
inline void enter_kernel() { t_in_kernel = true; }
inline void leave_kernel() { t_in_kernel = false; }

void begin_launch();
/// What was found since begin_launch(), a line each; empty when all is well. `kernel`: the function that was launched;
/// `well`: all threads have come to their end.
std::string end_launch(const void* kernel, bool well);
/// What was found since begin_launch(), for callers that cannot wait for the end of the launch.
const std::string& found_so_far();
void block_starts(const Block& block);
/// All threads of the block have come to a barrier.
void barrier(const Block& block);
/// The lanes of `mask` in the warp that begins with thread `first` have come to a __syncwarp.
void warp_barrier(const Block& block, unsigned first, unsigned mask);
/// __threadfence, or __threadfence_block.
void fence(bool whole_device);
using Atomic = races::Detector::Atomic;
/// An atomic operation of the current thread; `code` is its place in the program.
void atomic(const void* p, size_t bytes, const void* code, Atomic is = {});
/// A load or a store of a volatile word, which PTX treats as a relaxed atomic one.
void volatile_access(const void* p, size_t bytes, const void* code, Kind kind);
/// Of memory that begins anew.
void forget_accesses(const void* p, size_t bytes);
/// An atomic addition of a floating-point number at this place in the program.
void float_atomic(const void* code);
/// The places of all so far.
std::vector<const void*> float_atomics();
/// The place in the program that last wrote a word of device memory; null where that is not known.
const void* last_writer(const void* p);
/// Any other access.
void access(const void* p, size_t bytes, Kind kind, const void* code);

/// How much of the work one thread does alone.
struct Work {
  uint64_t in_a_row = 0;     ///< accesses to memory of each launch's busiest thread, added
  uint64_t busiest = 0;      ///< those of the busiest of all
  const void* at = nullptr;  ///< where that one has most of them
};
/// Of the launches since the last call.
Work take_work();

/// Calls this where host code of a file that is compiled for the checker uses memory of the device.
extern void (*g_host_uses_device)(Kind kind, const void* code);

/// Shared memory of a block that starts, with room on both sides that nobody may touch.
void shared_memory(const void* p, size_t bytes);
/// New device memory.
void device_memory(const void* p, size_t bytes);
/// Of a block of device memory the first `bytes` may be used from now on, the rest may not. Other blocks are ignored.
void device_block(const void* p, size_t bytes, size_t block_bytes);
/// No longer memory of the device.
void forget_memory(const void* p, size_t bytes);

/// Bytes beside each piece of memory that belong to nobody.
inline constexpr size_t kRedZone = 1 << 16;

#else

struct [[maybe_unused]] Pause {};
inline void enter_kernel() {}
inline void leave_kernel() {}
inline void begin_launch() {}
inline std::string end_launch(const void*, bool) { return {}; }
inline void block_starts(const Block&) {}
inline void barrier(const Block&) {}
inline void warp_barrier(const Block&, unsigned, unsigned) {}
inline void fence(bool) {}
struct Atomic {
  bool reads = true, writes = true, compares = false;
};
inline void atomic(const void*, size_t, const void*, Atomic = {}) {}
inline void float_atomic(const void*) {}
inline void shared_memory(const void*, size_t) {}
inline void device_memory(const void*, size_t) {}
inline void forget_memory(const void*, size_t) {}
inline constexpr size_t kRedZone = 0;

#endif

}  // namespace checker
}  // namespace ordo::cuda::emulator
