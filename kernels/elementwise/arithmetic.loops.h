// Loops of arithmetic.cpp.
#pragma once

#include <ordo/kernels/elementwise/device_loops.h>
#include <ordo/kernels/math/arithmetic_functors.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

void add(const LoopArgs<2>& args) {
  dispatch_all("add", args.dtype, [&]<class T>() { short_loop<T, T, T>(args, Add()); });
}

void add_scaled(const LoopArgs<2>& args) {
  dispatch_numeric("add", args.dtype,
                   [&]<class T>() { short_loop<T, T, T>(args, AddScaled<math_t<T>>{scalar_as<T>(args.numbers.p)}); });
}

void sub(const LoopArgs<2>& args) {
  dispatch_numeric("sub", args.dtype, [&]<class T>() { short_loop<T, T, T>(args, Sub()); });
}

void mul(const LoopArgs<2>& args) {
  dispatch_all("mul", args.dtype, [&]<class T>() { short_loop<T, T, T>(args, Mul()); });
}

void div(const LoopArgs<2>& args) {
  dispatch_floating("div", args.dtype, [&]<class T>() { short_loop<T, T, T>(args, Div()); });
}

void minimum(const LoopArgs<2>& args) {
  dispatch_all("minimum", args.dtype, [&]<class T>() { short_loop<T, T, T>(args, Minimum()); });
}

void maximum(const LoopArgs<2>& args) {
  dispatch_all("maximum", args.dtype, [&]<class T>() { short_loop<T, T, T>(args, Maximum()); });
}

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
