// softmax and log_softmax: kernels without autograd. Sums by rule 2 of docs/ordering.md.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// Along dimension `dim`.
Tensor softmax(const Tensor& t, int64_t dim);
Tensor log_softmax(const Tensor& t, int64_t dim);
/// From the gradient and the result: y (g - sum(g y)), and g - exp(y) sum(g).
Tensor softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim);
Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim);

/// Contiguous tensors of [outer, length, inner].
struct SoftmaxShape {
  int64_t outer = 1, length = 1, inner = 1;
};
ORDO_DEVICES(void, softmax, bool log, const SoftmaxShape& s, const Tensor& t, const Tensor& out)
ORDO_DEVICES(void, softmax_backward, bool log, const SoftmaxShape& s, const Tensor& grad, const Tensor& result,
             const Tensor& out)

}  // namespace ordo::kernels
