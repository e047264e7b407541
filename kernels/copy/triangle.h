// Triangles of matrices. Plain: no autograd.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// Copies of the matrices in t's last two dimensions, zero where column - row > diagonal (tril) or < diagonal (triu).
Tensor tril(const Tensor& t, int64_t diagonal);
Tensor triu(const Tensor& t, int64_t diagonal);

/// In row i the columns before i + start are copied and the others zero, or the other way round. Both contiguous.
ORDO_DEVICES(void, triangle, const Tensor& in, const Tensor& out, int64_t start, bool lower)

}  // namespace ordo::kernels
