#include <ordo/kernels/elementwise/comparison_functors.h>
#include <ordo/kernels/elementwise/comparison_loops.h>
#include <ordo/kernels/elementwise/loops_cpu.h>

namespace ordo::kernels::cpu {

void lt(const BinaryArgs& args) {
  dispatch_all("lt", args.dtype, [&]<class T>() { binary_loop<bool, T>(args, Less()); });
}

void le(const BinaryArgs& args) {
  dispatch_all("le", args.dtype, [&]<class T>() { binary_loop<bool, T>(args, LessEqual()); });
}

}  // namespace ordo::kernels::cpu
