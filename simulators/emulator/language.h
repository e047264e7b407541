// CUDA's function qualifiers and vector types.
#pragma once

#include <cstddef>
#include <cstdint>

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static_assert(false, "write ORDO_SHARED(T, name, [N]) instead of __shared__");
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) alignas(n)
#define __grid_constant__

#define ORDO_EMULATOR_VECTORS(T, name)                               \
  struct alignas(2 * sizeof(T)) name##2 {                            \
    T x, y;                                                          \
  };                                                                 \
  struct name##3 {                                                   \
    T x, y, z;                                                       \
  };                                                                 \
  struct alignas(16) name##4 {                                       \
    T x, y, z, w;                                                    \
  };                                                                 \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

ORDO_EMULATOR_VECTORS(int, int)
ORDO_EMULATOR_VECTORS(unsigned, uint)
ORDO_EMULATOR_VECTORS(float, float)
ORDO_EMULATOR_VECTORS(double, double)
ORDO_EMULATOR_VECTORS(long long, longlong)
ORDO_EMULATOR_VECTORS(unsigned long long, ulonglong)
#undef ORDO_EMULATOR_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
