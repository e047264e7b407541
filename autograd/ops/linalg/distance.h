// Distances between vectors, and vectors of length 1. Norms are those of norm.h. Floating dtypes.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// x divided by its p-norm along `dim`, or by eps where the norm is smaller. As torch.nn.functional.normalize.
Tensor normalize(const Tensor& x, double p = 2, int64_t dim = 1, double eps = 1e-12);
/// The p-norm of x1 - x2 + eps along the last dimension; sizes broadcast. As torch.nn.functional.pairwise_distance.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2, double eps = 1e-6, bool keepdim = false);
/// The cosine of the angle between x1 and x2 along `dim` of their common shape: the sum of the products of
/// normalize(x1, 2, dim, eps) and normalize(x2, 2, dim, eps). As torch.nn.functional.cosine_similarity.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim = 1, double eps = 1e-8);
/// The p-norms of all x1[..., i, :] - x2[..., j, :], of shape [..., rows of x1, rows of x2]; the dimensions before
/// broadcast. Differences are taken one by one for every p: no product of matrices loses the small ones. They are held
/// in memory at once, but not those of float32 and float64 on the CPU with p = 2. p may be infinity; ValueError where
/// it is negative. At distance 0 the gradient is 0. As torch.cdist.
Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2);

}  // namespace ordo
