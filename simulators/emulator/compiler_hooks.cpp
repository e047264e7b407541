// What the compiler calls in files compiled with -fsanitize=thread: the emulator's checker in place of
// ThreadSanitizer's own library. Host code of those files calls these too; outside of kernels they do only what was
// asked.
#if ORDO_RACE_CHECKER
#include <ordo/simulators/emulator/checker.h>

using ordo::cuda::emulator::checker::access;
using ordo::cuda::emulator::checker::Kind;
using ordo::cuda::emulator::checker::volatile_access;

#define ORDO_ACCESS_HOOKS(N)                                                                          \
  void __tsan_read##N(void* p) { access(p, N, Kind::read, ORDO_CALLER); }                             \
  void __tsan_write##N(void* p) { access(p, N, Kind::write, ORDO_CALLER); }                           \
  void __tsan_unaligned_read##N(void* p) { access(p, N, Kind::read, ORDO_CALLER); }                   \
  void __tsan_unaligned_write##N(void* p) { access(p, N, Kind::write, ORDO_CALLER); }                 \
  /* PTX: volatile accesses are relaxed atomic ones. */                                               \
  void __tsan_volatile_read##N(void* p) { volatile_access(p, N, ORDO_CALLER, Kind::read); }           \
  void __tsan_volatile_write##N(void* p) { volatile_access(p, N, ORDO_CALLER, Kind::write); }         \
  void __tsan_unaligned_volatile_read##N(void* p) { volatile_access(p, N, ORDO_CALLER, Kind::read); } \
  void __tsan_unaligned_volatile_write##N(void* p) { volatile_access(p, N, ORDO_CALLER, Kind::write); }

// std::atomic and the reference counts of host code.
#define ORDO_ATOMIC_HOOKS(BITS, T)                                                                                  \
  T __tsan_atomic##BITS##_load(const volatile T* p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }           \
  void __tsan_atomic##BITS##_store(volatile T* p, T v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }           \
  T __tsan_atomic##BITS##_exchange(volatile T* p, T v, int) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); } \
  T __tsan_atomic##BITS##_fetch_add(volatile T* p, T v, int) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); } \
  T __tsan_atomic##BITS##_fetch_sub(volatile T* p, T v, int) { return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST); } \
  T __tsan_atomic##BITS##_fetch_and(volatile T* p, T v, int) { return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST); } \
  T __tsan_atomic##BITS##_fetch_or(volatile T* p, T v, int) { return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST); }   \
  T __tsan_atomic##BITS##_fetch_xor(volatile T* p, T v, int) { return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST); } \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* p, T* e, T v, int, int) {                           \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                         \
  }                                                                                                                 \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* p, T* e, T v, int, int) {                             \
    return __atomic_compare_exchange_n(p, e, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                          \
  }

extern "C" {
ORDO_ACCESS_HOOKS(1)
ORDO_ACCESS_HOOKS(2)
ORDO_ACCESS_HOOKS(4)
ORDO_ACCESS_HOOKS(8)
ORDO_ACCESS_HOOKS(16)
void __tsan_read_range(void* p, unsigned long n) { access(p, n, Kind::read, ORDO_CALLER); }
void __tsan_write_range(void* p, unsigned long n) { access(p, n, Kind::write, ORDO_CALLER); }
ORDO_ATOMIC_HOOKS(8, unsigned char)
ORDO_ATOMIC_HOOKS(16, unsigned short)
ORDO_ATOMIC_HOOKS(32, unsigned)
ORDO_ATOMIC_HOOKS(64, unsigned long)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
}
#endif
