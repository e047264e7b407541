#include <ordo/kernels/elementwise/activation_gradient_functors.h>
#include <ordo/kernels/elementwise/activation_gradient_loops.h>
#include <ordo/kernels/elementwise/loops_cuda.cuh>

namespace ordo::kernels::cuda {

ORDO_GRADIENT_LOOP(relu_backward, ReluGradient)
ORDO_GRADIENT_LOOP(tanh_backward, TanhGradient)
ORDO_GRADIENT_LOOP(sigmoid_backward, SigmoidGradient)
ORDO_GRADIENT_LOOP(gelu_backward, GeluGradient)
ORDO_GRADIENT_LOOP(gelu_tanh_backward, GeluTanhGradient)

}  // namespace ordo::kernels::cuda
