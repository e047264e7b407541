#include <ordo/kernels/elementwise/function_functors.h>
#include <ordo/kernels/elementwise/function_loops.h>
#include <ordo/kernels/elementwise/loops_cuda.cuh>

namespace ordo::kernels::cuda {

ORDO_FLOATING_LOOP(exp, Exp)
ORDO_FLOATING_LOOP(expm1, Expm1)
ORDO_FLOATING_LOOP(tanh, Tanh)
ORDO_FLOATING_LOOP(sigmoid, Sigmoid)
ORDO_FLOATING_LOOP(log, Log)
ORDO_FLOATING_LOOP(log1p, Log1p)

}  // namespace ordo::kernels::cuda
