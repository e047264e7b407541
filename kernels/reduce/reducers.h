// A reducer says what a reduction computes; CPU loops and CUDA kernels share it. It has
//   State                              trivially copyable
//   identity(), combine(a, b)          combine(identity(), s) is s, bit for bit
//   empty()                            the state of a reduction over no values
//   load(offset, i, output)            value i of `output`, at `offset` elements from the tensor's first
//   store(output, state)
//   Fold                               optional: a reducer with the same State and combine(), all that is asked of it
//   kOneLine                           optional: the values of an output always lie side by side in memory
//   left(i), run(offset, output)       optional, for the CPU: a reducer for value i, at `offset`, and those after it in
//                                      memory, left(i) of them together
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/math/math.h>
#include <ordo/kernels/math/wrapping.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels {

/// Sums; integers wrap. The identity of IEEE addition is -0: with it, a lane without values takes no part in the
/// result.
template <class A>
struct Addition {
  using State = A;
  using Fold = Addition;  // one for all sums of A
  static ORDO_HD State identity() { return kNoValue<A>; }
  static ORDO_HD State empty() { return A(0); }
  static ORDO_HD State combine(State a, State b) { return wrapping_add(a, b); }
};

/// Sums of integers and bools are int64.
template <class T>
using sum_t = std::conditional_t<std::is_integral_v<T>, int64_t, T>;

/// Sums of elements; what derives from it stores them.
template <class T>
struct ElementSum : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  explicit ElementSum(const T* x) : x(x) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(x[offset]); }
};

template <class T>
struct SumReducer : ElementSum<T> {
  sum_t<T>* out;
  SumReducer(const T* x, sum_t<T>* out) : ElementSum<T>(x), out(out) {}
  ORDO_HD void store(int64_t o, accumulate_t<T> s) const { out[o] = sum_t<T>(s); }
};

template <class T, class Out = T>
struct MeanReducer : ElementSum<T> {
  using A = accumulate_t<T>;
  Out* out;
  A count;
  MeanReducer(const T* x, Out* out, int64_t count) : ElementSum<T>(x), out(out), count(A(count)) {}
  ORDO_HD void store(int64_t o, A s) const { out[o] = Out(s / count); }
};

/// Sums of (x - mean)^2, `mean` being every output's, unrounded.
template <class T>
struct CenteredSquares : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  const A* mean;
  CenteredSquares(const T* x, const A* mean) : x(x), mean(mean) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t o) const {
    const A d = A(x[offset]) - mean[o];
    return d * d;
  }
};

/// What elements are compared as.
template <class T>
using compare_t = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

/// Turns the order of values around where `least` is asked for: the greatest then is the least. A NaN stays one.
template <class V>
struct Turn {
  using Bits = std::conditional_t<std::is_same_v<V, float>, uint32_t,
                                  std::conditional_t<std::is_same_v<V, double>, uint64_t, V>>;
  Bits mask;
  explicit Turn(bool least) : mask(0) {
    if constexpr (std::is_floating_point_v<V>)
      mask = Bits(least) << (8 * sizeof(V) - 1);
    else if (least)
      mask = std::is_same_v<V, bool> ? Bits(1) : Bits(-1);
  }
  ORDO_HD V operator()(V v) const {
    if constexpr (std::is_same_v<V, float>)
      return math::detail::from_bits_float(math::detail::to_bits_float(v) ^ mask);
    else if constexpr (std::is_same_v<V, double>)
      return math::detail::from_bits(math::detail::to_bits(v) ^ mask);
    else
      return V(v ^ mask);
  }
};

/// The greatest value. A NaN beats every number.
template <class V>
struct Largest {
  using State = V;
  using Fold = Largest;
  static ORDO_HD State identity() {
    if constexpr (std::is_floating_point_v<State>)
      return State(-HUGE_VAL);
    else
      return std::numeric_limits<State>::lowest();
  }
  static ORDO_HD State empty() { return identity(); }
  static ORDO_HD State combine(State a, State b) { return b > a || b != b ? b : a; }
};

/// Of elements of that type.
template <class V>
struct LargestOf : Largest<V> {
  const V* x;
  explicit LargestOf(const V* x) : x(x) {}
  ORDO_HD V load(int64_t offset, int64_t, int64_t) const { return x[offset]; }
};

/// The greatest element, or the least.
template <class T>
struct ExtremumReducer : Largest<compare_t<T>> {
  const T* x;
  T* out;
  Turn<compare_t<T>> turn;
  ExtremumReducer(const T* x, T* out, bool least) : x(x), out(out), turn(least) {}
  ORDO_HD compare_t<T> load(int64_t offset, int64_t, int64_t) const { return turn(compare_t<T>(x[offset])); }
  ORDO_HD void store(int64_t o, compare_t<T> s) const { out[o] = T(turn(s)); }
};

template <class V>
struct ValueAt {
  V value;
  int64_t index;  // -1: none yet
};

/// The greatest value, or the least, and its first position. `values` may be null.
template <class T>
struct ArgExtremumReducer {
  using State = ValueAt<compare_t<T>>;
  using Fold = ArgExtremumReducer<compare_t<T>>;
  const T* x;
  T* values;
  int64_t* indices;
  bool least;
  Turn<compare_t<T>> turn{least};
  static ORDO_HD State identity() { return {compare_t<T>(0), -1}; }
  static ORDO_HD State empty() { return identity(); }
  static ORDO_HD State combine(State a, State b) {
    if (b.index < 0) return a;
    if (a.index < 0) return b;
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    const bool tie = a.value == b.value || (a_nan && b_nan);
    return (tie ? b.index < a.index : !a_nan && (b_nan || b.value > a.value)) ? b : a;
  }
  ORDO_HD State load(int64_t offset, int64_t i, int64_t) const { return {turn(compare_t<T>(x[offset])), i}; }
  ORDO_HD void store(int64_t o, State s) const {
    if (values) values[o] = T(turn(s.value));
    indices[o] = s.index;
  }
};

}  // namespace ordo::kernels
