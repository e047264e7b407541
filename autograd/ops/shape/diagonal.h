// Diagonals and triangles of matrices. Any dtype; differentiable.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// The elements whose index along dim2 is that along dim1 plus `offset`: a view. It is empty where the offset lies
/// outside.
///
/// Shapes: t's, without these two dimensions and with the diagonal as the last.
/// Dtypes: any.
/// Throws: IndexError when a dimension is out of range; ValueError when both are one.
/// Determinism: the same bits on every device at every level.
/// Gradient: diagonal_backward of grad.
/// PyTorch: torch.diagonal.
Tensor diagonal(const Tensor& input, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);
/// A tensor of `sizes` that is zero but for `.diagonal(offset, dim1, dim2)`, which is grad.
///
/// Shapes: grad has the diagonal's shape.
/// Dtypes: any.
/// Throws: as diagonal; ShapeError when grad has another shape.
/// Determinism: the same bits on every device at every level.
/// Gradient: the diagonal.
/// PyTorch: no counterpart.
Tensor diagonal_backward(const Tensor& grad, const Dims& sizes, int64_t offset, int64_t dim1, int64_t dim2);

/// Square matrices, zero but for the diagonal `offset`, which is t's last dimension.
///
/// Shapes: input of one dimension or more; the result has one more: the matrices' dimensions are dim1 and dim2.
/// Dtypes: any.
/// Throws: as diagonal; ShapeError when input is 0-d.
/// Determinism: the same bits on every device at every level.
/// Gradient: the diagonal of grad.
/// PyTorch: torch.diag_embed.
Tensor diag_embed(const Tensor& input, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1);
/// Of a vector the matrix with this diagonal, of a matrix a copy of its diagonal.
///
/// Shapes: 1-d or 2-d.
/// Dtypes: any.
/// Throws: ShapeError when input has other dimensions.
/// Determinism: the same bits on every device at every level.
/// Gradient: as diag_embed and diagonal.
/// PyTorch: torch.diag.
Tensor diag(const Tensor& input, int64_t diagonal = 0);
/// The sum of a matrix's diagonal.
///
/// Shapes: [m, n] -> 0-d.
/// Dtypes: as sum.
/// Throws: ShapeError when input is no matrix.
/// Determinism: the same bits on every device at every level; ordering rule 2.
/// Gradient: grad on the diagonal, else 0.
/// PyTorch: torch.trace.
Tensor trace(const Tensor& input);

/// Copies of the matrices in the last two dimensions, with zeros above (tril) or below (triu) the diagonal that lies
/// `diagonal` columns to the right of the main one.
///
/// Shapes: two dimensions or more, kept.
/// Dtypes: any.
/// Throws: ShapeError when input has fewer than two dimensions.
/// Determinism: the same bits on every device at every level.
/// Gradient: grad at the kept elements, else 0.
/// PyTorch: torch.tril, torch.triu.
Tensor tril(const Tensor& input, int64_t diagonal = 0);
Tensor triu(const Tensor& input, int64_t diagonal = 0);

}  // namespace ordo
