// Stacks to run CUDA threads on, and the switch from one to another. Internal to the emulator.
#pragma once

#include <cstddef>

#if defined(__EMSCRIPTEN__)
#include <emscripten/fiber.h>
#elif !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace ordo::cuda::emulator {

/// Where a flow of control goes on: a stack of its own, or the caller's for the one that launches.
struct Context {
  char* stack = nullptr;  // lowest address
  size_t stack_bytes = 0;
  void* fake_stack = nullptr;  // AddressSanitizer's, while switched out
#if defined(__EMSCRIPTEN__)
  emscripten_fiber_t fiber{};
  char* locals = nullptr;  // where its WebAssembly frames are kept, while switched out
#elif defined(__x86_64__)
  void* stack_pointer = nullptr;
#else
  ucontext_t machine;
#endif
};

/// Maps a stack with a guard page below it.
void allocate_stack(Context& context, size_t bytes, unsigned number);
void free_stack(Context& context) noexcept;
/// The next switch to `context` calls entry(), which must not return.
void prepare(Context& context, void (*entry)());
/// Goes on in `to`; returns when somebody switches back to `from`. `dies`: nobody will.
void switch_context(Context& from, Context& to, bool dies = false);
/// The first thing entry() does. Learns the bounds of the stack it came from, when that is not one of ours.
void entered(Context* unknown_origin);
/// After a launch that was abandoned: the stack may be used again.
void forget_frames(Context& context);

}  // namespace ordo::cuda::emulator
