// The derivative of binary_cross_entropy in its input, in one pass on the CPU, without autograd.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// (x - t) / max((1 - x) x, 1e-12), a NaN staying one; x and t of one shape, both float32 or float64. Undefined but on
/// the CPU.
Tensor binary_cross_entropy_slope(const Tensor& x, const Tensor& t);

}  // namespace ordo::kernels
