// Joining tensors: kernels without autograd.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

Tensor cat(const TensorList& tensors, int64_t dim);
/// The dimension along which they are joined, and how long each is there: 0 for empty 1-d tensors, which fit
/// everywhere.
int cat_dim(const TensorList& tensors, int64_t dim);

}  // namespace ordo::kernels
