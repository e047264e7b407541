// The loop of pow, which takes longest to compile.
#pragma once

#include <ordo/kernels/elementwise/device_loops.h>
#include <ordo/kernels/elementwise/function_fast_paths.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

void pow(const LoopArgs<2>& args) {
  dispatch_numeric("pow", args.dtype, [&]<class T>() { loop<T, T, T>(args, Pow()); });
}

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
