// Rows of equal length that become one, element by element, in an order that the caller gives. Internal.
#pragma once

#include <vector>

#include <ordo/engine/distributed/distributed.h>
#include <ordo/engine/tensor/device.h>
#include <ordo/engine/tensor/dtype.h>

namespace ordo::kernels {

/// rows[left] = rows[left] op rows[right].
struct FoldStep {
  size_t left, right;
};

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
