#include <ordo/kernels/elementwise/comparison_functors.h>
#include <ordo/kernels/elementwise/comparison_loops.h>
#include <ordo/kernels/elementwise/loops_cpu.h>

namespace ordo::kernels::cpu {

void eq(const BinaryArgs& args) {
  dispatch_all("eq", args.dtype, [&]<class T>() { binary_loop<bool, T>(args, Equal()); });
}

void ne(const BinaryArgs& args) {
  dispatch_all("ne", args.dtype, [&]<class T>() { binary_loop<bool, T>(args, NotEqual()); });
}

void logical_and(const BinaryArgs& args) { binary_loop<bool, bool>(args, And()); }
void logical_or(const BinaryArgs& args) { binary_loop<bool, bool>(args, Or()); }

}  // namespace ordo::kernels::cpu
