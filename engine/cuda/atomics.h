// atomic_add for every element type that kernels add into. The order of arrival decides floating-point results.
#pragma once

#include <bit>
#include <cstring>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/tensor/half.h>

namespace ordo::cuda {

__device__ inline float atomic_add(float* p, float v) { return atomicAdd(p, v); }
__device__ inline double atomic_add(double* p, double v) { return atomicAdd(p, v); }
__device__ inline int32_t atomic_add(int32_t* p, int32_t v) { return atomicAdd(p, v); }
__device__ inline uint32_t atomic_add(uint32_t* p, uint32_t v) { return atomicAdd(p, v); }
__device__ inline uint64_t atomic_add(uint64_t* p, uint64_t v) {
  return atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(v));
}
/// Wraps around, as unsigned addition does.
__device__ inline int64_t atomic_add(int64_t* p, int64_t v) {
  return int64_t(atomic_add(reinterpret_cast<uint64_t*>(p), uint64_t(v)));
}

/// Adds, and returns what was there before: who uses that knows what the addition has rounded away, so that nothing
/// need depend on the order (docs/accumulate.md). order_dependent_operations() does not count it.
__device__ inline double fetch_add(double* p, double v) {
#if ORDO_EMULATED
  return emulator::read_change_write(p, [v](double old) { return old + v; });
#else
  return atomicAdd(p, v);
#endif
}

namespace detail {
/// Adds in float and rounds once, by compare-and-swap on the 16 bits.
template <class T>
__device__ void atomic_add_16(T* p, T v) {
  static_assert(sizeof(T) == sizeof(unsigned short));
#if ORDO_EMULATED
  emulator::count_float_atomic();
#endif
  unsigned short* word = reinterpret_cast<unsigned short*>(p);
  unsigned short seen = *reinterpret_cast<volatile unsigned short*>(word);
  for (;;) {
    T old;
    old.bits = seen;
    const T sum(float(old) + float(v));
    const unsigned short before = atomicCAS(word, seen, static_cast<unsigned short>(sum.bits));
    if (before == seen) return;
    seen = before;
  }
}
}  // namespace detail

__device__ inline void atomic_add(Half* p, Half v) {
#if defined(__CUDA_ARCH__)
  asm volatile("red.global.add.noftz.f16 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "h"(v.bits) : "memory");
#else
  detail::atomic_add_16(p, v);
#endif
}

__device__ inline void atomic_add(BFloat16* p, BFloat16 v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.noftz.bf16 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "h"(v.bits) : "memory");
#else
  detail::atomic_add_16(p, v);
#endif
}

/// Two neighbours at a 4-byte aligned address in global memory; each element is one addition.
__device__ inline void atomic_add2(Half* p, Half first, Half second) {
#if defined(__CUDA_ARCH__)
  const uint32_t both = uint32_t(second.bits) << 16 | first.bits;
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(both) : "memory");
#else
  atomic_add(p, first);
  atomic_add(p + 1, second);
#endif
}
__device__ inline void atomic_add2(BFloat16* p, BFloat16 first, BFloat16 second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const uint32_t both = uint32_t(second.bits) << 16 | first.bits;
  asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(both) : "memory");
#else
  atomic_add(p, first);
  atomic_add(p + 1, second);
#endif
}

/// Four neighbours at a 16-byte aligned address in global memory; each element is one addition.
__device__ inline void atomic_add4(float* p, float4 v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), "f"(v.x), "f"(v.y),
               "f"(v.z), "f"(v.w)
               : "memory");
#else
  atomicAdd(p, v.x);
  atomicAdd(p + 1, v.y);
  atomicAdd(p + 2, v.z);
  atomicAdd(p + 3, v.w);
#endif
}

}  // namespace ordo::cuda
