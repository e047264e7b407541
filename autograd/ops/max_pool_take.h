// The adjoint of a maximum pooling's backward pass. Internal.
#pragma once

#include <ordo/autograd/ops/gather.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// From every plane of `t`, [..., H, W], the elements at `indices`, flat positions in the plane.
inline Tensor max_pool_take(const Tensor& t, const Tensor& indices) {
  return gather(t.flatten(-2, -1), -1, indices.flatten(-2, -1)).reshape(indices.sizes());
}

}  // namespace ordo
