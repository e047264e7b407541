// How two members' values become one: a formula that CPU loops and CUDA kernels share. Internal.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ordo/engine/distributed/distributed.h>
#include <ordo/engine/half.h>
#include <ordo/engine/host_device.h>

namespace ordo::kernels {

template <class T>
struct Wide {
  using type = T;
};
template <>
struct Wide<Half> {
  using type = float;
};
template <>
struct Wide<BFloat16> {
  using type = float;
};

/// Sums and products of integers wrap. A NaN is the least value and the greatest.
template <distributed::ReduceOp kOp, class T>
ORDO_HD T combined(T left, T right) {
  using distributed::ReduceOp;
  using W = typename Wide<T>::type;
  const W a = W(left), b = W(right);
  if constexpr (kOp == ReduceOp::product && std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) * std::make_unsigned_t<T>(b));
  else if constexpr (kOp == ReduceOp::product)
    return T(a * b);
  else if constexpr (kOp == ReduceOp::min)
    return a < b || a != a ? left : right;
  else if constexpr (kOp == ReduceOp::max)
    return a > b || a != a ? left : right;
  else if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  else
    return T(a + b);
}

template <class F>
void with_op(distributed::ReduceOp op, F&& f) {
  using distributed::ReduceOp;
  switch (op) {
    case ReduceOp::product:
      return f.template operator()<ReduceOp::product>();
    case ReduceOp::min:
      return f.template operator()<ReduceOp::min>();
    case ReduceOp::max:
      return f.template operator()<ReduceOp::max>();
    default:
      return f.template operator()<ReduceOp::sum>();
  }
}

}  // namespace ordo::kernels
