// Products: kernels without autograd. Rule 2 of docs/ordering.md at every level, with multiplications.
#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

struct ReduceShape;

/// Over `dims` (none: all). Integers and bools give int64, which wraps. No values: 1.
Tensor prod(const Tensor& t, const Dims& dims = {}, bool keepdim = false);

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

namespace cpu {
void prod(const Tensor& t, const Tensor& out, const ReduceShape& g);
}
namespace cuda {
void prod(const Tensor& t, const Tensor& out, const ReduceShape& g);
}

}  // namespace ordo::kernels
