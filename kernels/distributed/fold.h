// Rows of equal length that become one, element by element, in an order that the caller gives. Internal.
#pragma once

#include <vector>

#include <ordo/engine/distributed/distributed.h>
#include <ordo/engine/tensor/convert.h>
#include <ordo/engine/tensor/device.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/math/wrapping.h>

namespace ordo::kernels {

/// rows[left] = rows[left] op rows[right].
struct FoldStep {
  size_t left, right;
};

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
  if (op == ReduceOp::product) return f.template operator()<ReduceOp::product>();
  if (op == ReduceOp::min) return f.template operator()<ReduceOp::min>();
  if (op == ReduceOp::max) return f.template operator()<ReduceOp::max>();
  f.template operator()<ReduceOp::sum>();
}

namespace cpu {
/// All steps, in their order; the last one's values go to `result`, which may be a row. Rows are changed.
void fold(distributed::ReduceOp op, DType dtype, const std::vector<FoldStep>& steps, const std::vector<char*>& rows,
          void* result, int64_t count);
}  // namespace cpu
namespace cuda {
/// All steps on a device, where row i begins i * `stride` elements after `rows`. At least one step, fewer than 2^16
/// rows.
void fold(distributed::ReduceOp op, DType dtype, const std::vector<FoldStep>& steps, void* rows, int64_t stride,
          void* result, int64_t count, Device device);
}  // namespace cuda

}  // namespace ordo::kernels
