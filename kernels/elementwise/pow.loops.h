// The loop of pow, which takes longest to compile.
#pragma once

#include <ordo/kernels/elementwise/arithmetic_loops.h>
#include <ordo/kernels/elementwise/pow_functor.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

void pow(const BinaryArgs& args) {
  dispatch_numeric("pow", args.dtype, [&]<class T>() { binary_loop<T, T>(args, Pow()); });
}

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
