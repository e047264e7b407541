// CUDA's mathematical functions that C++ has not, or has elsewhere: those that a kernel calls without including a
// header. Approximate ones (__expf) are the exact ones' values here.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

// As in CUDA's headers these are functions, and no templates: min(a, 1) of an unsigned a is one of them.
#define ORDO_EMULATOR_MIN_MAX(A, B)                                                                  \
  inline std::common_type_t<A, B> min(A a, B b) { return std::min<std::common_type_t<A, B>>(a, b); } \
  inline std::common_type_t<A, B> max(A a, B b) { return std::max<std::common_type_t<A, B>>(a, b); }
ORDO_EMULATOR_MIN_MAX(int, int)
ORDO_EMULATOR_MIN_MAX(int, unsigned)
ORDO_EMULATOR_MIN_MAX(unsigned, int)
ORDO_EMULATOR_MIN_MAX(unsigned, unsigned)
ORDO_EMULATOR_MIN_MAX(long, long)
ORDO_EMULATOR_MIN_MAX(long, unsigned long)
ORDO_EMULATOR_MIN_MAX(unsigned long, long)
ORDO_EMULATOR_MIN_MAX(unsigned long, unsigned long)
ORDO_EMULATOR_MIN_MAX(long long, long long)
ORDO_EMULATOR_MIN_MAX(long long, unsigned long long)
ORDO_EMULATOR_MIN_MAX(unsigned long long, long long)
ORDO_EMULATOR_MIN_MAX(unsigned long long, unsigned long long)
#undef ORDO_EMULATOR_MIN_MAX
// Of a number and a NaN: the number.
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }
inline double min(float a, double b) { return std::fmin(double(a), b); }
inline double max(float a, double b) { return std::fmax(double(a), b); }
inline double min(double a, float b) { return std::fmin(a, double(b)); }
inline double max(double a, float b) { return std::fmax(a, double(b)); }
using std::abs;

inline float rsqrtf(float x) noexcept { return float(1 / std::sqrt(double(x))); }
inline double rsqrt(double x) noexcept { return 1 / std::sqrt(x); }
inline float fdividef(float a, float b) { return a / b; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return std::fmin(std::fmax(x, 0.f), 1.f); }
inline float __expf(float x) { return std::exp(x); }
inline float __exp10f(float x) { return float(std::pow(10., double(x))); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __frcp_rn(float x) { return 1 / x; }
namespace ordo::cuda::emulator {
/// As cvt.s32: the nearest integer there is, and 0 of a NaN.
inline int saturated(float x) { return x != x ? 0 : x >= 0x1p31f ? INT32_MAX : x < -0x1p31f ? INT32_MIN : int(x); }
}  // namespace ordo::cuda::emulator
inline int __float2int_rn(float x) { return ordo::cuda::emulator::saturated(std::nearbyint(x)); }
inline int __float2int_rz(float x) { return ordo::cuda::emulator::saturated(x); }
inline int __float2int_rd(float x) { return ordo::cuda::emulator::saturated(std::floor(x)); }
inline int __float2int_ru(float x) { return ordo::cuda::emulator::saturated(std::ceil(x)); }
inline float __int2float_rn(int x) { return float(x); }
inline float __uint2float_rn(unsigned x) { return float(x); }

inline int __mulhi(int a, int b) { return int(int64_t(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned(uint64_t(a) * b >> 32); }
inline unsigned __brev(unsigned v) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (v >> i & 1) << (31 - i);
  return reversed;
}
inline long long clock64() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
