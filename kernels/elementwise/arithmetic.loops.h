// Loops of arithmetic.cpp.
#pragma once

#include <ordo/kernels/elementwise/device_loops.h>
#include <ordo/kernels/math/arithmetic_functors.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

#define ORDO_ARITHMETIC(name, dtypes, functor)                                                      \
  void name(const LoopArgs<2>& args) {                                                              \
    dispatch_##dtypes(#name, args.dtype, [&]<class T>() { short_loop<T, T, T>(args, functor()); }); \
  }
ORDO_ARITHMETIC(add, all, Add)
ORDO_ARITHMETIC(sub, numeric, Sub)
ORDO_ARITHMETIC(mul, all, Mul)
ORDO_ARITHMETIC(div, floating, Div)
ORDO_ARITHMETIC(minimum, all, Minimum)
ORDO_ARITHMETIC(maximum, all, Maximum)

void add_scaled(const LoopArgs<2>& args) {
  dispatch_numeric("add", args.dtype,
                   [&]<class T>() { short_loop<T, T, T>(args, AddScaled<math_t<T>>{scalar_as<T>(args.numbers.p)}); });
}

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
