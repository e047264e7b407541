#include <ordo/kernels/elementwise/activation_gradient_functors.h>
#include <ordo/kernels/elementwise/activation_gradient_loops.h>
#include <ordo/kernels/elementwise/loops_cpu.h>

namespace ordo::kernels::cpu {

ORDO_GRADIENT_LOOP(relu_backward, ReluGradient)
ORDO_GRADIENT_LOOP(tanh_backward, TanhGradient)
ORDO_GRADIENT_LOOP(sigmoid_backward, SigmoidGradient)

}  // namespace ordo::kernels::cpu
