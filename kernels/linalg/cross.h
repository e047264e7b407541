// The cross product, without autograd.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// Of tensors of one shape, dtype and device, whose dimension `dim` has size 3. Products and differences round
/// separately. With `to_zero` they are added to zero, as the gradients of parts of a tensor are.
Tensor cross(const Tensor& a, const Tensor& b, int dim, bool to_zero);

/// Contiguous tensors; the elements of a vector lie `inner` apart.
ORDO_DEVICES(void, cross, const Tensor& a, const Tensor& b, const Tensor& out, int64_t inner, bool to_zero)

}  // namespace ordo::kernels
