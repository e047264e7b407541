// Products by the accumulate engine: numbers whose sum is the product.
#pragma once

#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/math/wrapping.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels {

/// With items of such values `sorted` multiplies, in the groups of ordering rule 1. T is float, double or int64_t; the
/// memory of the output is one of T.
template <class T>
struct Factor {
  T value;
  Factor() = default;
  ORDO_HD constexpr explicit Factor(T v) : value(v) {}
  friend ORDO_HD Factor operator+(Factor a, Factor b) { return Factor(wrapping_mul(a.value, b.value)); }
  ORDO_HD Factor& operator+=(Factor b) { return *this = *this + b; }
};
template <class T>
inline constexpr Factor<T> kNoValue<Factor<T>> = Factor<T>(T(1));

/// Calls f with the type in which products of such a tensor are computed.
template <class F>
void dispatch_product(DType t, F&& f) {
  if (t == float32) return f.template operator()<float>();
  if (t == float64) return f.template operator()<double>();
  f.template operator()<int64_t>();
}

}  // namespace ordo::kernels
