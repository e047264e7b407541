// Built-in variables and functions of device code, except atomics.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>

#include <ordo/simulators/emulator/math.h>
#include <ordo/simulators/emulator/scheduler.h>

// Set by the scheduler whenever another thread goes on; one launch runs at a time.
inline uint3 threadIdx{}, blockIdx{};
inline dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

#define ORDO_EMULATOR_HERE ::ordo::cuda::emulator::Where here = {__builtin_FILE(), __builtin_LINE()}

inline void __syncthreads(ORDO_EMULATOR_HERE) {
  ordo::cuda::emulator::block_barrier(ordo::cuda::emulator::BarrierVote::none, 0, here);
}
inline int __syncthreads_count(int predicate, ORDO_EMULATOR_HERE) {
  return ordo::cuda::emulator::block_barrier(ordo::cuda::emulator::BarrierVote::count, predicate, here);
}
inline int __syncthreads_and(int predicate, ORDO_EMULATOR_HERE) {
  return ordo::cuda::emulator::block_barrier(ordo::cuda::emulator::BarrierVote::all, predicate, here);
}
inline int __syncthreads_or(int predicate, ORDO_EMULATOR_HERE) {
  return ordo::cuda::emulator::block_barrier(ordo::cuda::emulator::BarrierVote::any, predicate, here);
}

inline void __syncwarp(unsigned mask = ~0u, ORDO_EMULATOR_HERE) {
  ordo::cuda::emulator::warp_operation(ordo::cuda::emulator::WarpOp::sync, mask, 0, 0, here);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, ORDO_EMULATOR_HERE) {
  using namespace ordo::cuda::emulator;
  return unsigned(warp_operation(WarpOp::ballot, mask, predicate != 0, 0, here));
}
inline int __any_sync(unsigned mask, int predicate, ORDO_EMULATOR_HERE) {
  using namespace ordo::cuda::emulator;
  return int(warp_operation(WarpOp::any, mask, predicate != 0, 0, here));
}
inline int __all_sync(unsigned mask, int predicate, ORDO_EMULATOR_HERE) {
  using namespace ordo::cuda::emulator;
  return int(warp_operation(WarpOp::all, mask, predicate != 0, 0, here));
}

namespace ordo::cuda::emulator {
template <class T>
uint64_t to_bits(T v) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof v);
  return bits;
}
template <class T>
T shuffle(unsigned mask, T v, int source_lane, Where here) {
  const uint64_t bits = warp_operation(WarpOp::shuffle, mask, to_bits(v), source_lane, here);
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
template <class T>
concept WarpInteger = std::is_same_v<T, int> || std::is_same_v<T, unsigned>;
template <WarpInteger T>
T reduce(WarpOp op, unsigned mask, T v, Where here) {
  return T(unsigned(warp_operation(op, mask, uint64_t(int64_t(v)), 0, here)));
}
}  // namespace ordo::cuda::emulator

template <class T>
unsigned __match_any_sync(unsigned mask, T v, ORDO_EMULATOR_HERE) {
  using namespace ordo::cuda::emulator;
  return unsigned(warp_operation(WarpOp::match, mask, to_bits(v), 0, here));
}
template <class T>
T __shfl_sync(unsigned mask, T v, int source, int width = 32, ORDO_EMULATOR_HERE) {
  using namespace ordo::cuda::emulator;
  return shuffle(mask, v, (lane() & ~(width - 1)) | (source & (width - 1)), here);
}
template <class T>
T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, ORDO_EMULATOR_HERE) {
  using namespace ordo::cuda::emulator;
  return shuffle(mask, v, (lane() & (width - 1)) + int(delta) < width ? lane() + int(delta) : lane(), here);
}
template <class T>
T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, ORDO_EMULATOR_HERE) {
  using namespace ordo::cuda::emulator;
  return shuffle(mask, v, (lane() & (width - 1)) >= int(delta) ? lane() - int(delta) : lane(), here);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32, ORDO_EMULATOR_HERE) {
  using namespace ordo::cuda::emulator;
  const int source = lane() ^ lanes;
  return shuffle(mask, v, (source & ~(width - 1)) <= (lane() & ~(width - 1)) ? source : lane(), here);
}
template <ordo::cuda::emulator::WarpInteger T>
T __reduce_add_sync(unsigned mask, T v, ORDO_EMULATOR_HERE) {
  return ordo::cuda::emulator::reduce(ordo::cuda::emulator::WarpOp::add, mask, v, here);
}
template <ordo::cuda::emulator::WarpInteger T>
T __reduce_min_sync(unsigned mask, T v, ORDO_EMULATOR_HERE) {
  using enum ordo::cuda::emulator::WarpOp;
  return ordo::cuda::emulator::reduce(std::is_signed_v<T> ? min_signed : min, mask, v, here);
}
template <ordo::cuda::emulator::WarpInteger T>
T __reduce_max_sync(unsigned mask, T v, ORDO_EMULATOR_HERE) {
  using enum ordo::cuda::emulator::WarpOp;
  return ordo::cuda::emulator::reduce(std::is_signed_v<T> ? max_signed : max, mask, v, here);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned v, ORDO_EMULATOR_HERE) {
  return ordo::cuda::emulator::reduce(ordo::cuda::emulator::WarpOp::bit_and, mask, v, here);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned v, ORDO_EMULATOR_HERE) {
  return ordo::cuda::emulator::reduce(ordo::cuda::emulator::WarpOp::bit_or, mask, v, here);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned v, ORDO_EMULATOR_HERE) {
  return ordo::cuda::emulator::reduce(ordo::cuda::emulator::WarpOp::bit_xor, mask, v, here);
}
#undef ORDO_EMULATOR_HERE

inline void __threadfence() { ordo::cuda::emulator::fence(true); }
inline void __threadfence_block() { ordo::cuda::emulator::fence(false); }
inline void __threadfence_system() { ordo::cuda::emulator::fence(true); }
inline void __nanosleep(unsigned) { ordo::cuda::emulator::give_way(1.0); }

template <class T>
T __ldg(const T* p) {
  return *p;
}
inline int __popc(unsigned v) { return std::popcount(v); }
inline int __popcll(unsigned long long v) { return std::popcount(v); }
inline int __clz(int v) { return std::countl_zero(unsigned(v)); }
inline int __clzll(long long v) { return std::countl_zero(static_cast<unsigned long long>(v)); }
inline int __ffs(int v) { return v ? std::countr_zero(unsigned(v)) + 1 : 0; }
inline int __ffsll(long long v) { return v ? std::countr_zero(static_cast<unsigned long long>(v)) + 1 : 0; }
inline unsigned __float_as_uint(float v) { return std::bit_cast<unsigned>(v); }
inline int __float_as_int(float v) { return std::bit_cast<int>(v); }
inline float __uint_as_float(unsigned v) { return std::bit_cast<float>(v); }
inline float __int_as_float(int v) { return std::bit_cast<float>(v); }
inline long long __double_as_longlong(double v) { return std::bit_cast<long long>(v); }
inline double __longlong_as_double(long long v) { return std::bit_cast<double>(v); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fmaf_rn(float a, float b, float c) { return std::fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
