#include <ordo/kernels/elementwise/activation_gradient_functors.h>
#include <ordo/kernels/elementwise/activation_gradient_loops.h>
#include <ordo/kernels/elementwise/loops_cpu.h>

namespace ordo::kernels::cpu {

ORDO_GRADIENT_LOOP(gelu_backward, GeluGradient)
ORDO_GRADIENT_LOOP(gelu_tanh_backward, GeluTanhGradient)

}  // namespace ordo::kernels::cpu
