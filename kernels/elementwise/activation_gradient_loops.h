// The loops of activation_gradients.cpp per device. Internal.
#pragma once

#include <ordo/kernels/elementwise/binary.h>

namespace ordo::kernels::cpu {
void relu_backward(const BinaryArgs&);
void tanh_backward(const BinaryArgs&);
void sigmoid_backward(const BinaryArgs&);
void gelu_backward(const BinaryArgs&);
void gelu_tanh_backward(const BinaryArgs&);
}  // namespace ordo::kernels::cpu

namespace ordo::kernels::cuda {
void relu_backward(const BinaryArgs&);
void tanh_backward(const BinaryArgs&);
void sigmoid_backward(const BinaryArgs&);
void gelu_backward(const BinaryArgs&);
void gelu_tanh_backward(const BinaryArgs&);
}  // namespace ordo::kernels::cuda

// void name(args): the functor over all floating dtypes.
#define ORDO_GRADIENT_LOOP(name, Functor)                                                         \
  void name(const BinaryArgs& args) {                                                             \
    dispatch_floating(#name, args.dtype, [&]<class T>() { binary_loop<T, T>(args, Functor()); }); \
  }
