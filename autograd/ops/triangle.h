// Triangles of matrices.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// Copies of the matrices in the last two dimensions, with zeros above (tril) or below (triu) the diagonal that lies
/// `diagonal` columns to the right of the main one. Any dtype; ShapeError for fewer than two dimensions. The gradient
/// is that of the kept elements. As torch.tril and torch.triu.
Tensor tril(const Tensor& t, int64_t diagonal = 0);
Tensor triu(const Tensor& t, int64_t diagonal = 0);

}  // namespace ordo
