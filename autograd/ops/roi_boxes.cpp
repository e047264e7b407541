#include <ordo/autograd/ops/roi_boxes.h>

#include <ordo/autograd/ops/operation.h>

namespace ordo::detail {

Tensor joined_boxes(const char* op, const Tensor& input, const TensorList& boxes) {
  expect_defined(op, input, "input");
  expect_floating(op, input);
  // Numbers of images stand beside the coordinates, in their dtype.
  const size_t most = input.dtype() == bfloat16 ? 1 << 8 : input.dtype() == float16 ? 1 << 11 : 1 << 24;
  ORDO_CHECK(boxes.size() <= most, ValueError, op, "takes at most {} lists of boxes in {}, not {}", most, input.dtype(),
             boxes.size());
  const NoGrad guard;
  TensorList rows;
  for (const Tensor& list : boxes) {
    expect_defined(op, list, "boxes");
    expect_same_device(op, input, list);
    ORDO_CHECK(list.dtype() == input.dtype(), DTypeError, op, "boxes must be {} as input, not {}", input.dtype(),
               list.dtype());
    ORDO_CHECK(list.dim() == 2 && list.size(1) == 4, ShapeError, op, "takes lists of boxes [L, 4], not of shape {}",
               list.sizes());
    rows.push_back(cat({full({list.size(0), 1}, int64_t(rows.size()), list.options()), list.detach()}, 1));
  }
  return rows.empty() ? zeros({0, 5}, input.options()) : cat(rows);
}

}  // namespace ordo::detail
