#include <ordo/kernels/elementwise/function_functors.h>
#include <ordo/kernels/elementwise/function_loops.h>
#include <ordo/kernels/elementwise/loops_cuda.cuh>

namespace ordo::kernels::cuda {

ORDO_FLOATING_LOOP(erf, Erf)
ORDO_FLOATING_LOOP(gelu, Gelu)
ORDO_FLOATING_LOOP(gelu_tanh, GeluTanh)

}  // namespace ordo::kernels::cuda
