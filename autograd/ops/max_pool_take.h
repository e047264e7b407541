// The adjoint of a maximum pooling's backward pass. Internal.
#pragma once

#include <ordo/autograd/ops/gather.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// From every volume of `t`, its last `rank` dimensions, the elements at `indices`, flat positions in the volume.
inline Tensor max_pool_take(const Tensor& t, const Tensor& indices, int rank) {
  return gather(t.flatten(-rank, -1), -1, indices.flatten(-rank, -1)).reshape(indices.sizes());
}

}  // namespace ordo
