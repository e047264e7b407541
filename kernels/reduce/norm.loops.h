// Norms.
#pragma once

#include <ordo/kernels/elementwise/math.h>
#include <ordo/kernels/reduce/reduce.h>
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
  AbsoluteNorm(const T* x, T* out) : x(x), out(out) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return math::abs(A(x[offset])); }
  ORDO_HD void store(int64_t o, A s) const { out[o] = T(s); }
};

template <class T>
struct CountNorm : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  T* out;
  CountNorm(const T* x, T* out) : x(x), out(out) {}
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
  static ORDO_HD State identity() { return Extremum::identity(); }
  static ORDO_HD State empty() { return State(0); }
  static ORDO_HD State combine(State a, State b) { return Extremum::combine(a, b); }
  ORDO_HD State load(int64_t offset, int64_t, int64_t) const { return math::abs(State(x[offset])); }
  ORDO_HD void store(int64_t o, State s) const { out[o] = T(s); }
};

namespace ORDO_LOOPS_DEVICE {

void norm(const Tensor& t, const Tensor& out, const ReduceShape& g, double p) {
  dispatch_floating("norm", t.dtype(), [&]<class T>() {
    const auto by = [&](const auto& reducer) { reduce(reducer, g, t.device()); };
    const T* const x = t.data<T>();
    T* const to = out.data<T>();
    if (p == 2) return by(SquareNorm<T>(x, to, true));
    if (p == 1) return by(AbsoluteNorm<T>(x, to));
    if (p == 0) return by(CountNorm<T>(x, to));
    if (p == HUGE_VAL) return by(ExtremeNorm<T, true>{x, to});
    if (p == -HUGE_VAL) return by(ExtremeNorm<T, false>{x, to});
    by(PowerNorm<T>(x, to, p));
  });
}
void square_sum(const Tensor& t, const Tensor& out, const ReduceShape& g, double) {
  dispatch_floating("square_sum", t.dtype(),
                    [&]<class T>() { reduce(SquareNorm<T>(t.data<T>(), out.data<T>(), false), g, t.device()); });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
