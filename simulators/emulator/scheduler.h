// Runs the threads of a launch as fibers of the calling thread, in an order drawn from a seed. A thread gives way at
// barriers, warp operations, atomics and fences; several blocks are in flight together. What CUDA leaves undefined is
// made visible: shared memory starts as garbage, and deadlock, divergent barriers and warp operations that do not match
// are errors with file and line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <ordo/engine/calls/index_record.h>
#include <ordo/simulators/emulator/language.h>
#include <ordo/simulators/emulator/runtime.h>
#include <ordo/simulators/emulator/turns.h>

namespace ordo::cuda::emulator {

struct Options {
  uint64_t seed = 1;                   ///< ORDO_EMULATOR_SEED
  Order order = Order::random;         ///< ORDO_EMULATOR_ORDER: random, forward or reverse
  double yield = 0.3;                  ///< ORDO_EMULATOR_YIELD: chance of giving way at an atomic or a fence
  unsigned resident = 4;               ///< blocks in flight together; 0: 1 to 8, drawn from the seed
  size_t stack_bytes = 64 << 10;       ///< of each suspended CUDA thread
  uint64_t max_steps = 1ull << 34;     ///< of one launch, before it is reported as a livelock
  double preempt = 0.05;               ///< with ORDO_SANITIZE=race: chance of giving way at any access
  bool host_memory = false;            ///< with ORDO_SANITIZE=race: kernels may use memory of the host
  uint64_t memory_bytes = 8ull << 30;  ///< of the device
  int multiprocessors = 0;             ///< ORDO_EMULATOR_MULTIPROCESSORS: of the device; 0: drawn from the seed
  bool reads_pageable = false;         ///< the device reads the host's pages itself, and when a copy runs, not before
  bool eager = false;                  ///< ORDO_EMULATOR_EAGER: streams run at once, in program order
};
/// They start from the environment. A launch has those in force when it is queued.
Options& options();
/// What the device says it has.
int multiprocessors();

struct Stats {
  uint64_t launches = 0;
  uint64_t threads = 0;
  uint64_t switches = 0;           ///< of stacks
  uint64_t host_waits = 0;         ///< of the host, for a stream, an event or the device
  uint64_t float_atomics = 0;      ///< atomic additions of floating-point numbers: their order decides bits
  uint64_t float_collectives = 0;  ///< calls of CUB that add floating-point numbers in an order of its own
};
/// Of all work queued so far, which is run first.
Stats& stats();

/// A launch; the parameters are copied bytewise.
struct LaunchCall {
  dim3 grid, block;
  size_t shared_bytes;
  void (*body)(void* parameters);  // of each thread
  void* parameters;
  size_t parameter_bytes;
  const void* kernel;  // the function, for the record
};
/// Queues a launch on a stream. `pointers` are those parameters that are pointers. Throws CudaError for a grid or block
/// that no device takes, and for memory of another device than the current one.
void queue_launch(const LaunchCall& call, cudaStream_t stream, std::span<const void* const> pointers);

template <class T>
const void* if_pointer(const T& parameter) {
  if constexpr (std::is_pointer_v<T>)
    return const_cast<const void*>(static_cast<const volatile void*>(parameter));
  else
    return nullptr;
}

/// As kernel<<<grid, block, shared_bytes, stream>>>(args...). A grid without blocks is no work, not an error.
template <class... P>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
            std::type_identity_t<P>... args) {
  static_assert((std::is_trivially_copyable_v<P> && ...), "kernel parameters are copied bytewise");
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  auto call = [kernel, args...] { kernel(args...); };
  using Call = decltype(call);
  static_assert(std::is_trivially_copyable_v<Call> && alignof(Call) <= alignof(std::max_align_t));
  const auto body = [](void* p) { (*static_cast<const Call*>(p))(); };
  const std::array<const void*, sizeof...(P)> pointers = {if_pointer<P>(args)...};
  queue_launch({grid, block, shared_bytes, body, &call, sizeof call, reinterpret_cast<const void*>(kernel)}, stream,
               pointers);
}

/// Whether the calling thread runs a kernel.
bool in_kernel();
/// The text of index_record.cuh, for index_check.cpp.
void record_bad_index(ordo::detail::IndexRecord* record, uint64_t ticket, int64_t position, int64_t value);

// -- for the intrinsics ---------------------------------------------------------------------------------------------
/// The place of a call in a kernel.
struct Where {
  const char* file;
  int line;
};
enum class BarrierVote : uint8_t { none, count, all, any };
enum class WarpOp : uint8_t {
  sync,
  shuffle,
  ballot,
  any,
  all,
  match,
  add,
  min_signed,
  max_signed,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor
};

int block_barrier(BarrierVote vote, int predicate, Where where);
uint64_t warp_operation(WarpOp op, unsigned mask, uint64_t value, int source_lane, Where where);
/// Lets another thread run, with that chance.
void give_way(double chance);
void give_way_at_atomic();
/// The thread waits in a loop for another one, as for a lock.
void give_way_to_others();
/// __threadfence, or __threadfence_block.
void fence(bool whole_device);
void count_float_atomic();
int lane();
void* shared_variable(const void* tag, size_t bytes, size_t alignment);
void* dynamic_shared();
/// Fills memory with bytes drawn from the seed, so that reading before writing shows.
void fill_garbage(void* data, size_t bytes, uint64_t seed);

}  // namespace ordo::cuda::emulator
