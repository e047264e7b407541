// The gradients of activation functions in one pass. Plain: no autograd. Both operands are floating, of one shape,
// dtype and device; the result is grad times the derivative, in terms of x, the input, or y, the result.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

Tensor relu_backward(const Tensor& grad, const Tensor& y);     ///< 1 where y > 0, else 0
Tensor tanh_backward(const Tensor& grad, const Tensor& y);     ///< 1 - y^2
Tensor sigmoid_backward(const Tensor& grad, const Tensor& y);  ///< y (1 - y)
Tensor gelu_backward(const Tensor& grad, const Tensor& x);     ///< Phi(x) + x phi(x)
Tensor gelu_tanh_backward(const Tensor& grad, const Tensor& x);

}  // namespace ordo::kernels
