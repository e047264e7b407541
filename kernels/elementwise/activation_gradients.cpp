#include <ordo/kernels/elementwise/activation_gradients.h>

#include <ordo/kernels/elementwise/activation_gradient_loops.h>

namespace ordo::kernels {

#define ORDO_DEFINE_GRADIENT(op, function)                              \
  Tensor function(const Tensor& grad, const Tensor& t) {                \
    return ORDO_BINARY_OP(op, function)(grad, t, t.dtype(), t.dtype()); \
  }
ORDO_DEFINE_GRADIENT("relu", relu_backward)
ORDO_DEFINE_GRADIENT("tanh", tanh_backward)
ORDO_DEFINE_GRADIENT("sigmoid", sigmoid_backward)
ORDO_DEFINE_GRADIENT("gelu", gelu_backward)
ORDO_DEFINE_GRADIENT("gelu", gelu_tanh_backward)

}  // namespace ordo::kernels
