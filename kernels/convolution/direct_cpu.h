// Convolutions with stride 1 in float and double on the CPU without unfolding. Internal.
#pragma once

#include <ordo/kernels/convolution/conv_shape.h>

namespace ordo::kernels::cpu {

/// Whether the functions below take this shape.
bool direct_fits(const ConvShape& s);
/// Whether direct_input_grad does: the gradient of such a convolution is one itself, with the padding that is missing.
bool direct_input_grad_fits(const ConvShape& s);

/// As conv2d. `ordered` follows rule 4 of docs/ordering.md, else products and sums are fused where the machine can.
template <class T>
void direct_forward(const ConvShape& s, const T* x, const T* weight, const T* bias, T* y, bool ordered);
/// As conv2d_input_grad, below device_to_device: it sums in another order than rule 4.
template <class T>
void direct_input_grad(const ConvShape& s, const T* grad, const T* weight, T* x_grad);
/// As conv2d_weight_grad.
template <class T>
void direct_weight_grad(const ConvShape& s, const T* grad, const T* x, T* weight_grad, bool ordered);

}  // namespace ordo::kernels::cpu
