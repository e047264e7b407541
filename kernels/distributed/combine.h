// How two members' values become one: a formula that CPU loops and CUDA kernels share. Internal.
#pragma once

#include <ordo/engine/distributed/distributed.h>
#include <ordo/engine/tensor/convert.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/math/wrapping.h>

namespace ordo::kernels {

/// Sums and products of integers wrap. A NaN is the least value and the greatest.
template <distributed::ReduceOp kOp, class T>
ORDO_HD T combined(T left, T right) {
  using distributed::ReduceOp;
  const auto a = math_t<T>(left), b = math_t<T>(right);
  if constexpr (kOp == ReduceOp::product)
    return T(wrapping_mul(a, b));
  else if constexpr (kOp == ReduceOp::min)
    return a < b || a != a ? left : right;
  else if constexpr (kOp == ReduceOp::max)
    return a > b || a != a ? left : right;
  else
    return T(wrapping_add(a, b));
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
