#include <ordo/simulators/emulator/context.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include <ordo/engine/memory/memory_annotations.h>
#if ORDO_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace ordo::cuda::emulator {

#if defined(__EMSCRIPTEN__)

namespace {
constexpr size_t kLocals = 8 << 10;
}
void allocate_stack(Context& context, size_t bytes, unsigned) {
  context.stack = static_cast<char*>(std::aligned_alloc(16, (bytes + kLocals + 15) / 16 * 16));
  if (!context.stack) throw std::bad_alloc();
  context.stack_bytes = bytes;
  context.locals = context.stack + bytes;
}
void free_stack(Context& context) noexcept { std::free(std::exchange(context.stack, nullptr)); }
void prepare(Context& context, void (*entry)()) {
  emscripten_fiber_init(
      &context.fiber, [](void* f) { reinterpret_cast<void (*)()>(f)(); }, reinterpret_cast<void*>(entry), context.stack,
      context.stack_bytes, context.locals, kLocals);
}
void switch_context(Context& from, Context& to, bool) {
  if (!from.locals) {
    from.locals = new char[kLocals];
    emscripten_fiber_init_from_current_context(&from.fiber, from.locals, kLocals);
  }
  emscripten_fiber_swap(&from.fiber, &to.fiber);
}
void entered(Context*) {}
void forget_frames(Context&) {}

#else

namespace {
constexpr size_t kPage = 4096;

#if defined(__x86_64__)
// Saves the six registers that a call preserves, and exchanges the stack pointer.
[[gnu::naked, gnu::noinline]] void exchange_stacks(void** /* rdi: saved */, void* /* rsi: next */) {
  asm("pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
      "movq %rsp, (%rdi)\n movq %rsi, %rsp\n"
      "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret");
}
#endif

void resumed([[maybe_unused]] void* fake_stack, [[maybe_unused]] Context* unknown_origin) {
#if ORDO_ADDRESS_SANITIZER
  const void* from;
  size_t bytes;
  __sanitizer_finish_switch_fiber(fake_stack, &from, &bytes);
  if (unknown_origin) {
    unknown_origin->stack = static_cast<char*>(const_cast<void*>(from));
    unknown_origin->stack_bytes = bytes;
  }
#endif
}
}  // namespace

void allocate_stack(Context& context, size_t bytes, unsigned number) {
  bytes = (bytes + kPage - 1) / kPage * kPage;
  void* p = mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  mprotect(p, kPage, PROT_NONE);
  context.stack = static_cast<char*>(p) + kPage;
  context.stack_bytes = bytes - number % 32 * 64;  // spreads the stack tops over the cache's sets
}

void free_stack(Context& context) noexcept {
  if (!context.stack) return;
  munmap(context.stack - kPage, (context.stack_bytes + kPage - 1) / kPage * kPage + kPage);
  context.stack = nullptr;
}

void prepare(Context& context, void (*entry)()) {
  forget_frames(context);
#if defined(__x86_64__)
  void** top = reinterpret_cast<void**>(context.stack + context.stack_bytes) - 10;
  std::fill(top, top + 10, nullptr);  // six registers, the entry, and zeros that end a backtrace
  top[6] = reinterpret_cast<void*>(entry);
  context.stack_pointer = top;
#else
  getcontext(&context.machine);
  context.machine.uc_stack.ss_sp = context.stack;
  context.machine.uc_stack.ss_size = context.stack_bytes;
  context.machine.uc_link = nullptr;
  makecontext(&context.machine, entry, 0);
#endif
}

void switch_context(Context& from, Context& to, [[maybe_unused]] bool dies) {
#if ORDO_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(dies ? nullptr : &from.fake_stack, to.stack, to.stack_bytes);
#endif
#if defined(__x86_64__)
  exchange_stacks(&from.stack_pointer, to.stack_pointer);
#else
  swapcontext(&from.machine, &to.machine);
#endif
  resumed(from.fake_stack, nullptr);
}

void entered(Context* unknown_origin) { resumed(nullptr, unknown_origin); }

void forget_frames([[maybe_unused]] Context& context) {
#if ORDO_ADDRESS_SANITIZER
  ASAN_UNPOISON_MEMORY_REGION(context.stack, context.stack_bytes);
#endif
}

#endif

}  // namespace ordo::cuda::emulator
