// Reductions of two passes: var, std and logsumexp.
#pragma once

#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/reduce/reduce.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

template <class T>
struct VarReducer : CenteredSquares<T> {
  using A = accumulate_t<T>;
  T* out;
  A divisor;
  bool root;
  VarReducer(const T* x, const A* mean, T* out, int64_t count, double correction, bool root)
      : CenteredSquares<T>(x, mean),
        out(out),
        divisor(A(double(count) > correction ? double(count) - correction : 0)),
        root(root) {}
  ORDO_HD void store(int64_t o, A s) const {
    const A v = s / divisor;
    out[o] = T(root ? math::sqrt(v) : v);
  }
};

/// The first pass of logsumexp: the maximum, in accumulation type.
template <class T>
struct WideMaximum : Largest<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  A* out;
  static ORDO_HD A empty() { return A(0); }
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(x[offset]); }
  ORDO_HD void store(int64_t o, A s) const { out[o] = s - s == A(0) || s != s ? s : A(0); }
};

/// The second pass.
template <class T>
struct LogSumExpReducer : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  static constexpr int kLoadsAhead = 1;
  const T* x;
  const A* max;
  T* out;
  ORDO_HD A load(int64_t offset, int64_t, int64_t o) const { return math::exp(A(x[offset]) - max[o]); }
  ORDO_HD void store(int64_t o, A s) const { out[o] = T(math::log(s) + max[o]); }
};

namespace ORDO_LOOPS_DEVICE {
namespace {

void variance(const Tensor& t, const Tensor& out, const ReduceShape& g, double correction, bool root) {
  dispatch_floating("var", t.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const Scratch<A> mean(g.outputs, t.device());
    reduce(MeanReducer<T, A>(t.data<T>(), mean, g.length), g, t.device());
    reduce(VarReducer<T>(t.data<T>(), mean, out.data<T>(), g.length, correction, root), g, t.device());
  });
}

}  // namespace

void var(const Tensor& t, const Tensor& out, const ReduceShape& g, double correction) {
  variance(t, out, g, correction, false);
}
void deviation(const Tensor& t, const Tensor& out, const ReduceShape& g, double correction) {
  variance(t, out, g, correction, true);
}
void logsumexp(const Tensor& t, const Tensor& out, const ReduceShape& g, double) {
  dispatch_floating("logsumexp", t.dtype(), [&]<class T>() {
    const Scratch<accumulate_t<T>> max(g.outputs, t.device());
    reduce(WideMaximum<T>{{}, t.data<T>(), max}, g, t.device());
    reduce(LogSumExpReducer<T>{{}, t.data<T>(), max, out.data<T>()}, g, t.device());
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
