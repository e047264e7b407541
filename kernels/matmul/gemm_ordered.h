// What the CPU and CUDA versions of rule 3 share. Internal.
#pragma once

#include <cstdint>

#include <ordo/engine/half.h>

namespace ordo::kernels {

/// The type that products of T are summed in. Sums of integers wrap around, which unsigned arithmetic defines.
template <class T>
struct ProductSum {
  using type = uint64_t;
};
template <>
struct ProductSum<Half> {
  using type = float;
};
template <>
struct ProductSum<BFloat16> {
  using type = float;
};
template <>
struct ProductSum<float> {
  using type = float;
};
template <>
struct ProductSum<double> {
  using type = double;
};
template <class T>
using product_sum_t = typename ProductSum<T>::type;

}  // namespace ordo::kernels
