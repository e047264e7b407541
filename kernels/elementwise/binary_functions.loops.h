// Loops of binary_functions.def.
#pragma once

#include <ordo/kernels/elementwise/device_loops.h>
#include <ordo/kernels/elementwise/function_fast_paths.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

#define ORDO_DISPATCH_number dispatch_numeric
#define ORDO_DISPATCH_floating dispatch_floating
#define ORDO_DISPATCH_integral dispatch_integral
#define ORDO_FUNCTION2(name, kind, ...)                                                                 \
  void name(const LoopArgs<2>& args) {                                                                  \
    ORDO_DISPATCH_##kind(#name, args.dtype, [&]<class T>() { loop<T, T, T>(args, functors::name()); }); \
  }
#define ORDO_FUNCTION2_LOOP(name, ...) ORDO_FUNCTION2(name, floating)
#include <ordo/kernels/elementwise/binary_functions.def>

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
