// Logarithms of sums of exponentials: kernels without autograd.
#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

struct ReduceShape;

/// log(sum(exp(x - m))) + m over `dims` (none: all), m being the maximum, or 0 where that is infinite. The sum goes by
/// rule 2 of docs/ordering.md; m and the sum are carried unrounded.
Tensor logsumexp(const Tensor& t, const Dims& dims = {}, bool keepdim = false);

/// The first pass: the maximum, in accumulation type.
template <class T>
struct WideMaximum {
  using A = accumulate_t<T>;
  using State = A;
  using Extremum = ExtremumReducer<A, true>;
  using Fold = Extremum;
  const T* x;
  A* out;
  static ORDO_HD State identity() { return Extremum::identity(); }
  static ORDO_HD State empty() { return State(0); }
  static ORDO_HD State combine(State a, State b) { return Extremum::combine(a, b); }
  ORDO_HD State load(int64_t offset, int64_t, int64_t) const { return State(x[offset]); }
  ORDO_HD void store(int64_t o, State s) const { out[o] = s - s == State(0) || s != s ? s : State(0); }
};

/// The second pass.
template <class T>
struct LogSumExpReducer : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  static constexpr int kLoadsAhead = 1;
  const T* x;
  const A* max;
  T* out;
  LogSumExpReducer(const T* x, const A* max, T* out) : x(x), max(max), out(out) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t o) const { return math::exp(A(x[offset]) - max[o]); }
  ORDO_HD void store(int64_t o, A s) const { out[o] = T(math::log(s) + max[o]); }
};

namespace cpu {
void logsumexp(const Tensor& t, const Tensor& out, const ReduceShape& g);
}
namespace cuda {
void logsumexp(const Tensor& t, const Tensor& out, const ReduceShape& g);
}

}  // namespace ordo::kernels
