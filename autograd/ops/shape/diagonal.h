// Diagonals and triangles of matrices. Any dtype; differentiable.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// The elements whose index along dim2 is that along dim1 plus `offset`: a view without these two dimensions and with
/// the diagonal as its last. It is empty where the offset lies outside. IndexError for dimensions out of range,
/// ValueError when both are one. As torch.diagonal.
Tensor diagonal(const Tensor& t, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);
/// A tensor of `sizes` that is zero but for `.diagonal(offset, dim1, dim2)`, which is `grad`.
Tensor diagonal_backward(const Tensor& grad, const Dims& sizes, int64_t offset, int64_t dim1, int64_t dim2);

/// Square matrices, zero but for the diagonal `offset`, which is t's last dimension. Their dimensions are dim1 and dim2
/// of the result, which has one more than t. As torch.diag_embed.
Tensor diag_embed(const Tensor& t, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1);
/// Of a vector the matrix with this diagonal, of a matrix a copy of its diagonal; ShapeError for others. As torch.diag.
Tensor diag(const Tensor& t, int64_t diagonal = 0);
/// The sum of a matrix's diagonal, by rule 2 of docs/ordering.md; dtypes as sum's. ShapeError for other tensors.
Tensor trace(const Tensor& t);

/// Copies of the matrices in the last two dimensions, with zeros above (tril) or below (triu) the diagonal that lies
/// `diagonal` columns to the right of the main one. Any dtype; ShapeError for fewer than two dimensions. The gradient
/// is that of the kept elements. As torch.tril and torch.triu.
Tensor tril(const Tensor& t, int64_t diagonal = 0);
Tensor triu(const Tensor& t, int64_t diagonal = 0);

}  // namespace ordo
