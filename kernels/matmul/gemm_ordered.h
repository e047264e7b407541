// What products of all types on both devices share. Internal.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ordo/engine/tensor/convert.h>
#include <ordo/kernels/matmul/gemm.h>

namespace ordo::kernels {

/// The type that products of T are summed in. Sums of integers wrap around, which unsigned arithmetic defines.
template <class T>
using product_sum_t = std::conditional_t<std::is_integral_v<T>, uint64_t, math_t<T>>;

/// Writes element (i, j) of C from its sum of products.
template <class T, class C>
ORDO_HD void store_sum(const Gemm& g, int64_t batch, int64_t i, int64_t j, product_sum_t<T> sum) {
  using A = product_sum_t<T>;
  C* const out = const_cast<C*>(g.c.template at<C>(batch, i, j));
  if (g.bias) sum = sum + A(static_cast<const T*>(g.bias)[g.bias_per_row ? i : j]);
  *out = C(sum);
}

}  // namespace ordo::kernels
