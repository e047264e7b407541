// Loops of functions.def: what takes a few instructions. And clamp and nan_to_num.
#pragma once

#define ORDO_GROUP_simple(...) __VA_ARGS__
#define ORDO_GROUP_LOOP short_loop
#include <ordo/kernels/elementwise/function_group.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

void clamp(const LoopArgs<1>& args) {
  dispatch_numeric("clamp", args.dtype, [&]<class T>() {
    short_loop<T, T>(args, Clamp<math_t<T>>{scalar_as<T>(args.numbers.p), scalar_as<T>(args.numbers.q)});
  });
}

void nan_to_num(const LoopArgs<1>& args) {
  dispatch_floating("nan_to_num", args.dtype, [&]<class T>() {
    short_loop<T, T>(args, NanToNum<math_t<T>>{scalar_as<T>(args.numbers.p), scalar_as<T>(args.numbers.q),
                                               scalar_as<T>(args.numbers.r)});
  });
}

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
