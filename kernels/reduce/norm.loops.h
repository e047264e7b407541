// Norms.
#pragma once

#include <ordo/kernels/math/math.h>
#include <ordo/kernels/reduce/reduce.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

template <class T>
struct SquareNorm : SumReducer<T> {
  using A = accumulate_t<T>;
  bool root;
  SquareNorm(const T* x, T* out, bool root) : SumReducer<T>(x, out), root(root) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(this->x[offset]) * A(this->x[offset]); }
  ORDO_HD void store(int64_t o, A s) const { this->out[o] = T(root ? math::sqrt(s) : s); }
};

template <class T>
struct AbsoluteNorm : SumReducer<T> {
  using A = accumulate_t<T>;
  using SumReducer<T>::SumReducer;
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return math::abs(A(this->x[offset])); }
};

template <class T>
struct CountNorm : SumReducer<T> {
  using A = accumulate_t<T>;
  using SumReducer<T>::SumReducer;
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(this->x[offset]) != A(0) ? A(1) : A(0); }
};

template <class T>
struct PowerNorm : SumReducer<T> {
  using A = accumulate_t<T>;
  static constexpr int kLoadsAhead = 1;
  A p, inverse;
  PowerNorm(const T* x, T* out, double p) : SumReducer<T>(x, out), p(A(p)), inverse(A(1 / p)) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return math::pow(math::abs(A(this->x[offset])), p); }
  ORDO_HD void store(int64_t o, A s) const { this->out[o] = T(math::pow(s, inverse)); }
};

/// p = infinity and -infinity.
template <class T>
struct ExtremeNorm : ExtremumReducer<T> {
  using A = accumulate_t<T>;
  using ExtremumReducer<T>::ExtremumReducer;
  static ORDO_HD A empty() { return A(0); }
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return this->turn(math::abs(A(this->x[offset]))); }
  ORDO_HD void store(int64_t o, A s) const { this->out[o] = T(math::abs(s)); }
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
    if (std::isinf(p)) return by(ExtremeNorm<T>(x, to, p < 0));
    by(PowerNorm<T>(x, to, p));
  });
}
void square_sum(const Tensor& t, const Tensor& out, const ReduceShape& g, double) {
  dispatch_floating("square_sum", t.dtype(),
                    [&]<class T>() { reduce(SquareNorm<T>(t.data<T>(), out.data<T>(), false), g, t.device()); });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
