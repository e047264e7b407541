// The gradient of relu in one pass. Plain: no autograd.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

/// grad where result > 0, else 0: both floating, of one shape, dtype and device.
Tensor relu_backward(const Tensor& grad, const Tensor& result);

}  // namespace ordo::kernels
