// Convolutions of floats on the CPU without unfolding, by rule 4 of docs/ordering.md. Internal.
#pragma once

#include <ordo/kernels/convolution/conv_shape.h>

namespace ordo::kernels::cpu {

/// Writes what the pass computes of x, weight and y, or of their gradients, for the processor's instruction set. False,
/// and nothing written, where unfolding computes this shape, or does it faster.
bool direct_convolution(ConvPass pass, const ConvShape& s, float* x, float* weight, const float* bias, float* y);

}  // namespace ordo::kernels::cpu
