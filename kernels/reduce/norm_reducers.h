// What norms sum up; shared by both devices.
#pragma once

#include <ordo/kernels/elementwise/math.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

template <class T>
struct SquareNorm : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  T* out;
  bool root;
  SquareNorm(const T* x, T* out, bool root) : x(x), out(out), root(root) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(x[offset]) * A(x[offset]); }
  ORDO_HD void store(int64_t o, A s) const { out[o] = T(root ? math::sqrt(s) : s); }
};

template <class T>
struct AbsoluteNorm : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  T* out;
  AbsoluteNorm(const T* x, T* out, double) : x(x), out(out) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return math::abs(A(x[offset])); }
  ORDO_HD void store(int64_t o, A s) const { out[o] = T(s); }
};

template <class T>
struct CountNorm : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  T* out;
  CountNorm(const T* x, T* out, double) : x(x), out(out) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(x[offset]) != A(0) ? A(1) : A(0); }
  ORDO_HD void store(int64_t o, A s) const { out[o] = T(s); }
};

template <class T>
struct PowerNorm : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  static constexpr int kLoadsAhead = 1;
  const T* x;
  T* out;
  A p, inverse;
  PowerNorm(const T* x, T* out, double p) : x(x), out(out), p(A(p)), inverse(A(1 / p)) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return math::pow(math::abs(A(x[offset])), p); }
  ORDO_HD void store(int64_t o, A s) const { out[o] = T(math::pow(s, inverse)); }
};

/// p = infinity and -infinity.
template <class T, bool kMax>
struct ExtremeNorm {
  using State = accumulate_t<T>;
  using Extremum = ExtremumReducer<State, kMax>;
  using Fold = Extremum;
  const T* x;
  T* out;
  ExtremeNorm(const T* x, T* out, double) : x(x), out(out) {}
  static ORDO_HD State identity() { return Extremum::identity(); }
  static ORDO_HD State empty() { return State(0); }
  static ORDO_HD State combine(State a, State b) { return Extremum::combine(a, b); }
  ORDO_HD State load(int64_t offset, int64_t, int64_t) const { return math::abs(State(x[offset])); }
  ORDO_HD void store(int64_t o, State s) const { out[o] = T(s); }
};

/// Calls f with the reducer for p; without `root`, which only p = 2 can do, with that of the squares' sum.
template <class T, class F>
void with_norm_reducer(const T* x, T* out, double p, bool root, const F& f) {
  if (p == 2) return f(SquareNorm<T>(x, out, root));
  if (p == 1) return f(AbsoluteNorm<T>(x, out, p));
  if (p == 0) return f(CountNorm<T>(x, out, p));
  if (p == HUGE_VAL) return f(ExtremeNorm<T, true>(x, out, p));
  if (p == -HUGE_VAL) return f(ExtremeNorm<T, false>(x, out, p));
  f(PowerNorm<T>(x, out, p));
}

}  // namespace ordo::kernels
