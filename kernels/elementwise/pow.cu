#include <ordo/kernels/elementwise/arithmetic_loops.h>
#include <ordo/kernels/elementwise/pow_functor.h>
#include <ordo/kernels/elementwise/loops_cuda.cuh>

namespace ordo::kernels::cuda {

void pow(const BinaryArgs& args) {
  dispatch_numeric("pow", args.dtype, [&]<class T>() { binary_loop<T, T>(args, Pow()); });
}

}  // namespace ordo::kernels::cuda
