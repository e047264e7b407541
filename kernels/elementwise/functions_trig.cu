#include <ordo/kernels/elementwise/function_functors.h>
#include <ordo/kernels/elementwise/function_loops.h>
#include <ordo/kernels/elementwise/loops_cuda.cuh>

namespace ordo::kernels::cuda {

ORDO_FLOATING_LOOP(sin, Sin)
ORDO_FLOATING_LOOP(cos, Cos)

}  // namespace ordo::kernels::cuda
