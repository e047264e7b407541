// input with every element of src added where index says. Plain: no autograd.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// self[..., index[..., i, ...], ...] += src[..., i, ...] at dimension `dim`. autograd/ops/index/scatter.h has the
/// rules.
void scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                  Algorithm algorithm = Algorithm::automatic);
Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src,
                   Algorithm algorithm = Algorithm::automatic);

}  // namespace ordo::kernels
