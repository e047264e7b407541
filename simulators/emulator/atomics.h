// CUDA's atomic functions. A fiber cannot be interrupted, so reading, changing and writing in one go is atomic.
#pragma once

#include <type_traits>

#include <ordo/simulators/emulator/checker.h>
#include <ordo/simulators/emulator/recording.h>
#include <ordo/simulators/emulator/scheduler.h>

namespace ordo::cuda::emulator {
template <class T>
concept AtomicInteger = std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, unsigned long long>;
template <class T>
concept AtomicNumber = AtomicInteger<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
concept AtomicWord = AtomicInteger<T> || std::is_same_v<T, unsigned short>;

// Not inlined with the checker, which wants the place of the call, and not the two accesses in here.
#if ORDO_RACE_CHECKER
#define ORDO_EMULATOR_ATOMIC __attribute__((noinline, no_sanitize("thread")))
#else
#define ORDO_EMULATOR_ATOMIC
#endif
enum class Use : uint8_t { change, exchange, compare };  // whoever changes nothing by one of the last two, spins
template <Use kUse = Use::change, class T, class F>
ORDO_EMULATOR_ATOMIC T read_change_write(T* p, F change) {
  const void* const caller = ORDO_CALLER;
  give_way_at_atomic();
  checker::atomic(p, sizeof(T), caller, {.compares = kUse == Use::compare});
  const T old = *p;
  *p = change(old);
  if (recording::on) [[unlikely]]
    recording::atomic(p, double(old), double(*p));
  if constexpr (kUse != Use::change)
    if (*p == old) give_way_to_others();
  return old;
}
}  // namespace ordo::cuda::emulator

// Always inlined, so that the checker's place of the call is the kernel's line.
template <ordo::cuda::emulator::AtomicNumber T>
__forceinline__ T atomicAdd(T* p, std::type_identity_t<T> v) {
  if constexpr (std::is_floating_point_v<T>) ordo::cuda::emulator::count_float_atomic();
  return ordo::cuda::emulator::read_change_write(p, [v](T old) {
    if constexpr (std::is_same_v<T, int>)
      return int(unsigned(old) + unsigned(v));
    else
      return T(old + v);
  });
}
template <ordo::cuda::emulator::AtomicInteger T>
__forceinline__ T atomicSub(T* p, std::type_identity_t<T> v) {
  return ordo::cuda::emulator::read_change_write(p, [v](T old) { return T(old - v); });
}
template <ordo::cuda::emulator::AtomicInteger T>
__forceinline__ T atomicMax(T* p, std::type_identity_t<T> v) {
  return ordo::cuda::emulator::read_change_write(p, [v](T old) { return old < v ? v : old; });
}
template <ordo::cuda::emulator::AtomicInteger T>
__forceinline__ T atomicMin(T* p, std::type_identity_t<T> v) {
  return ordo::cuda::emulator::read_change_write(p, [v](T old) { return v < old ? v : old; });
}
template <ordo::cuda::emulator::AtomicInteger T>
__forceinline__ T atomicAnd(T* p, std::type_identity_t<T> v) {
  return ordo::cuda::emulator::read_change_write(p, [v](T old) { return old & v; });
}
template <ordo::cuda::emulator::AtomicInteger T>
__forceinline__ T atomicOr(T* p, std::type_identity_t<T> v) {
  return ordo::cuda::emulator::read_change_write(p, [v](T old) { return old | v; });
}
template <ordo::cuda::emulator::AtomicInteger T>
__forceinline__ T atomicXor(T* p, std::type_identity_t<T> v) {
  return ordo::cuda::emulator::read_change_write(p, [v](T old) { return old ^ v; });
}
template <class T>
requires(ordo::cuda::emulator::AtomicInteger<T> || std::is_same_v<T, float>) __forceinline__ T
    atomicExch(T* p, std::type_identity_t<T> v) {
  using namespace ordo::cuda::emulator;
  return read_change_write<Use::exchange>(p, [v](T) { return v; });
}
template <ordo::cuda::emulator::AtomicWord T>
__forceinline__ T atomicCAS(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> v) {
  using namespace ordo::cuda::emulator;
  return read_change_write<Use::compare>(p, [=](T old) { return old == expected ? v : old; });
}
