// Loops of arithmetic.cpp.
#pragma once

#include <ordo/kernels/elementwise/arithmetic_functors.h>
#include <ordo/kernels/elementwise/arithmetic_loops.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

void add(const BinaryArgs& args) {
  dispatch_all("add", args.dtype, [&]<class T>() { binary_loop<T, T>(args, Add()); });
}

void add_scaled(const BinaryArgs& args) {
  dispatch_numeric("add", args.dtype,
                   [&]<class T>() { binary_loop<T, T>(args, AddScaled<math_t<T>>{scalar_as<T>(args.alpha)}); });
}

void sub(const BinaryArgs& args) {
  dispatch_numeric("sub", args.dtype, [&]<class T>() { binary_loop<T, T>(args, Sub()); });
}

void mul(const BinaryArgs& args) {
  dispatch_all("mul", args.dtype, [&]<class T>() { binary_loop<T, T>(args, Mul()); });
}

void div(const BinaryArgs& args) {
  dispatch_floating("div", args.dtype, [&]<class T>() { binary_loop<T, T>(args, Div()); });
}

void minimum(const BinaryArgs& args) {
  dispatch_all("minimum", args.dtype, [&]<class T>() { binary_loop<T, T>(args, Minimum()); });
}

void maximum(const BinaryArgs& args) {
  dispatch_all("maximum", args.dtype, [&]<class T>() { binary_loop<T, T>(args, Maximum()); });
}

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
