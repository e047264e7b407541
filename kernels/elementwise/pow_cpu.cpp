#include <ordo/kernels/elementwise/arithmetic_loops.h>
#include <ordo/kernels/elementwise/loops_cpu.h>
#include <ordo/kernels/elementwise/pow_functor.h>

namespace ordo::kernels::cpu {

void pow(const BinaryArgs& args) {
  dispatch_numeric("pow", args.dtype, [&]<class T>() { binary_loop<T, T>(args, Pow()); });
}

}  // namespace ordo::kernels::cpu
