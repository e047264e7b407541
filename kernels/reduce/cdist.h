// Euclidean distances between all pairs of rows on the CPU, without autograd: cdist where it need not write out the
// differences. The same bits as the norms of the differences have.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// |x1[b][i] - x2[b][j]| for each b, i and j, as [B, P, R]; of contiguous [B, P, M] and [B, R, M], float32 or float64.
/// Undefined for other dtypes, for M = 0 and but on the CPU.
Tensor euclidean_distances(const Tensor& x1, const Tensor& x2);
/// The sum over j of (x1[b][i] - x2[b][j]) weights[b][i][j], as [B, P, M].
Tensor weighted_differences(const Tensor& x1, const Tensor& x2, const Tensor& weights);

}  // namespace ordo::kernels
