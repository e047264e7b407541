// A reducer says what a reduction computes; CPU loops and CUDA kernels share it. It has
//   State                              trivially copyable
//   identity(), combine(a, b)          combine(identity(), s) is s, bit for bit
//   empty()                            the state of a reduction over no values
//   load(offset, i, output)            value i of `output`, at `offset` elements from the tensor's first
//   store(output, state)
#pragma once

#include <type_traits>

#include <ordo/engine/dtype.h>
#include <ordo/engine/host_device.h>

namespace ordo::kernels {

/// Sums. The identity of IEEE addition is -0: with it, a lane without values takes no part in the result.
template <class A>
struct Addition {
  using State = A;
  static ORDO_HD State identity() {
    if constexpr (std::is_floating_point_v<A>) return A(-0.0);
    return A(0);
  }
  static ORDO_HD State empty() { return A(0); }
  static ORDO_HD State combine(State a, State b) { return a + b; }
};

/// Sums of integers and bools are int64.
template <class T>
using sum_t = std::conditional_t<std::is_integral_v<T>, int64_t, T>;

template <class T>
struct SumReducer : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  sum_t<T>* out;
  SumReducer(const T* x, sum_t<T>* out) : x(x), out(out) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(x[offset]); }
  ORDO_HD void store(int64_t o, A s) const { out[o] = sum_t<T>(s); }
};

template <class T>
struct MeanReducer : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  T* out;
  A count;
  MeanReducer(const T* x, T* out, int64_t count) : x(x), out(out), count(A(count)) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(x[offset]); }
  ORDO_HD void store(int64_t o, A s) const { out[o] = T(s / count); }
};

}  // namespace ordo::kernels
