// Loops of functions.def: what takes a few instructions. And clamp and nan_to_num.
#pragma once

#define ORDO_GROUP_simple(...) __VA_ARGS__
#include <ordo/kernels/elementwise/function_group.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

void clamp(const UnaryArgs& args) {
  dispatch_numeric("clamp", args.dtype, [&]<class T>() {
    unary_loop<T, T>(args, Clamp<math_t<T>>{scalar_as<T>(args.p), scalar_as<T>(args.q)});
  });
}

void nan_to_num(const UnaryArgs& args) {
  dispatch_floating("nan_to_num", args.dtype, [&]<class T>() {
    unary_loop<T, T>(args, NanToNum<math_t<T>>{scalar_as<T>(args.p), scalar_as<T>(args.q), scalar_as<T>(args.r)});
  });
}

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
