// softmax and log_softmax: kernels without autograd. Sums by rule 2 of docs/ordering.md.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/reduce/axis_shape.h>

namespace ordo::kernels {

/// Along dimension `dim`.
Tensor softmax(const Tensor& t, int64_t dim);
Tensor log_softmax(const Tensor& t, int64_t dim);
/// From the gradient and the result: y (g - sum(g y)), and g - exp(y) sum(g).
Tensor softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim);
Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim);

/// Contiguous tensors; with a defined `grad`, the gradient of what gave `t`.
ORDO_DEVICES(void, softmax, bool log, const AxisShape& s, const Tensor& grad, const Tensor& t, const Tensor& out)

}  // namespace ordo::kernels
