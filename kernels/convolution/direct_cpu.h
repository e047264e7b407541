// Convolutions of floats on the CPU without unfolding, by rule 4 of docs/ordering.md, for the processor's instruction
// set. False, and nothing written, where unfolding computes the shape, or does it faster. Internal.
#pragma once

#include <ordo/kernels/convolution/conv_shape.h>

namespace ordo::kernels::cpu {

bool direct_convolution(const ConvShape& s, const float* x, const float* weight, const float* bias, float* y);
bool direct_convolution_input_grad(const ConvShape& s, const float* grad, const float* weight, float* x_grad);
bool direct_convolution_weight_grad(const ConvShape& s, const float* grad, const float* x, float* weight_grad);

}  // namespace ordo::kernels::cpu
