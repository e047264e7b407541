// Convolutions by the algorithm `exact` of products (docs/ordering.md, rule 5). Internal.
#pragma once

#include <ordo/kernels/convolution/convolution.h>

namespace ordo::kernels {

/// Whether convolutions of this dtype are to be exact (engine/run/matmul_algorithm.h).
bool convolves_exactly(DType dtype);
/// What the pass writes, of `sizes`; a bias is of the output of `forward`, and of that of `input_grad`. Tensors are checked and
/// contiguous.
Tensor exact_convolve(const char* op, ConvPass pass, const ConvShape& s, const Dims& sizes, const ConvTensors& t);

}  // namespace ordo::kernels
