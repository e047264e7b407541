// The cross product in one pass on the CPU, without autograd. The same bits as products and differences of its parts.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// Of two contiguous tensors of one shape and floating dtype, whose dimension `dim` has size 3. With `to_zero` it is
/// added to zero, as gradients of parts are. Undefined but on the CPU.
Tensor cross(const Tensor& a, const Tensor& b, int dim, bool to_zero);

}  // namespace ordo::kernels
