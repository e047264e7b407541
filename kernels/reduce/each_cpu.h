// Calls of a function for many numbers on the CPU's threads. A call writes what no other does.
#pragma once

#include <algorithm>

#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/device.h>
#include <ordo/engine/tensor/independent.h>

#define ORDO_TEAM

namespace ordo::kernels::cpu {

/// How many items of `cost` steps a thread takes at least. A step is about a read of an element.
inline int64_t row_grain(int64_t cost) { return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cost)); }

/// f(i) for i = 0..n-1.
template <class F>
void each(int64_t n, const F& f, Device = Device()) {
  parallel_for(0, n, row_grain(1), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) f(i);
  });
}

/// f(i) for i = 0..n-1, where f takes `cost` steps.
template <class F>
void each_of(int64_t cost, int64_t n, const F& f, Device = Device()) {
  // Not inlined: in this loop, the registers would not suffice for the loops inside.
  const auto one = [&](int64_t i) __attribute__((noinline)) { f(i); };
  parallel_for(0, n, row_grain(cost), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) one(i);
  });
}

/// The thread that has a call of each_team().
struct Team {
  /// g(k) for k = 0..n-1; each time the same thread has number k.
  template <class G>
  void each(int64_t n, const G& g) const {
    ORDO_INDEPENDENT
    for (int64_t k = 0; k < n; ++k) g(k);
  }
  /// Until all threads of the team are here.
  void wait() const {}
  bool first() const { return true; }
  /// Adds what each thread of the team counted.
  void add(int64_t* to, int64_t count) const { *to += count; }
};

/// f(i, team) for i = 0..n-1. f's call operator is an ORDO_TEAM function.
template <class F>
void each_team(int64_t n, int64_t /*width*/, const F& f, Device device, int64_t cost) {
  each_of(
      cost, n, [&f](int64_t i) { f(i, Team()); }, device);
}

}  // namespace ordo::kernels::cpu
