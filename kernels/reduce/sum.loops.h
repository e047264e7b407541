// Sums, means and products.
#pragma once

#include <ordo/kernels/reduce/reduce.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

/// Products; integers wrap. 1 times a value is that value, so a lane without values takes no part in the result.
template <class A>
struct Multiplication {
  using State = A;
  using Fold = Multiplication;  // one for all products of A
  static ORDO_HD State identity() { return A(1); }
  static ORDO_HD State empty() { return A(1); }
  static ORDO_HD State combine(State a, State b) { return wrapping_mul(a, b); }
};

template <class T>
struct ProdReducer : Multiplication<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  sum_t<T>* out;
  ProdReducer(const T* x, sum_t<T>* out) : x(x), out(out) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(x[offset]); }
  ORDO_HD void store(int64_t o, A s) const { out[o] = sum_t<T>(s); }
};

/// Of floating-point numbers; a NaN counts as 0.
template <class T>
struct NanSumReducer : SumReducer<T> {
  using A = accumulate_t<T>;
  using SumReducer<T>::SumReducer;
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const {
    const A v(this->x[offset]);
    return v == v ? v : A(0);
  }
};

/// Of floating-point products, each rounded.
template <class T>
struct DotReducer : SumReducer<T> {
  using A = accumulate_t<T>;
  static constexpr bool kOneLine = true;
  const T* y;
  DotReducer(const T* x, const T* y, T* out) : SumReducer<T>(x, out), y(y) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(this->x[offset]) * A(y[offset]); }
};

namespace ORDO_LOOPS_DEVICE {

void sum(const Tensor& t, const Tensor& out, const ReduceShape& g, double) {
  dispatch_all("sum", t.dtype(),
               [&]<class T>() { reduce_or_short(SumReducer<T>(t.data<T>(), out.data<sum_t<T>>()), g, t.device()); });
}
void nansum(const Tensor& t, const Tensor& out, const ReduceShape& g, double) {
  dispatch_floating("nansum", t.dtype(),
                    [&]<class T>() { reduce_or_short(NanSumReducer<T>(t.data<T>(), out.data<T>()), g, t.device()); });
}
void mean(const Tensor& t, const Tensor& out, const ReduceShape& g, double) {
  dispatch_floating("mean", t.dtype(), [&]<class T>() {
    reduce_or_short(MeanReducer<T>(t.data<T>(), out.data<T>(), g.length), g, t.device());
  });
}
void dot(const Tensor& a, const Tensor& b, const Tensor& out) {
  dispatch_floating("dot", a.dtype(), [&]<class T>() {
    reduce(DotReducer<T>(a.data<T>(), b.data<T>(), out.data<T>()), reduce_line(a.numel()), a.device());
  });
}
void prod(const Tensor& t, const Tensor& out, const ReduceShape& g, double) {
  dispatch_all("prod", t.dtype(),
               [&]<class T>() { reduce(ProdReducer<T>(t.data<T>(), out.data<sum_t<T>>()), g, t.device()); });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
