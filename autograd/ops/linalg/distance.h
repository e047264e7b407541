// Distances between vectors, and vectors of length 1. Norms are those of norm (reductions.h). ValueError for an
// undefined tensor.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// input divided by its p-norm along `dim`, or by eps where the norm is smaller.
///
/// Shapes: any; the result has x's.
/// Dtypes: floating, kept.
/// Throws: DTypeError when input is not floating; IndexError when it has no dimension `dim`; ValueError when p is NaN,
/// or negative for a norm of nothing, or eps does not fit the dtype.
/// Determinism: the same bits on every device at every level; ordering rule 2.
/// Gradient: that of the quotient; the norm's part is 0 where the norm is at most eps.
/// PyTorch: torch.nn.functional.normalize.
Tensor normalize(const Tensor& input, double p = 2, int64_t dim = 1, double eps = 1e-12);
/// The p-norm of x1 - x2 + eps along the last dimension.
///
/// Shapes: any two that broadcast; the result lacks the last dimension, or has size 1 there with keepdim.
/// Dtypes: floating, one for both.
/// Throws: DTypeError when dtypes differ or are not floating; ShapeError when sizes do not broadcast; DeviceError when
/// the tensors are on different devices; ValueError for p as normalize.
/// Determinism: as normalize.
/// Gradient: that of norm, and its negative for x2.
/// PyTorch: torch.nn.functional.pairwise_distance.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2, double eps = 1e-6, bool keepdim = false);
/// The cosine of the angle between x1 and x2 along `dim` of their common shape: the sum of the products of
/// normalize(x1, 2, dim, eps) and normalize(x2, 2, dim, eps).
///
/// Shapes: any two that broadcast; the result lacks `dim`.
/// Dtypes: floating, one for both.
/// Throws: as pairwise_distance; IndexError when there is no dimension `dim`; ValueError when eps does not fit the
/// dtype.
/// Determinism: as normalize.
/// Gradient: that of the sum and of normalize.
/// PyTorch: torch.nn.functional.cosine_similarity.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim = 1, double eps = 1e-8);
/// The p-norms of all x1[..., i, :] - x2[..., j, :]. p may be infinity. Differences are taken one by one for every p:
/// no product of matrices loses the small ones. They are held in memory at once, but not those of float32 and float64
/// on the CPU with p = 2.
///
/// Shapes: [..., P, M] and [..., R, M] -> [..., P, R]; the dimensions before broadcast.
/// Dtypes: floating, one for both.
/// Throws: as pairwise_distance; ShapeError also when an operand has less than two dimensions, or the last ones differ;
/// ValueError when p is negative or NaN.
/// Determinism: as normalize.
/// Gradient: that of norm; at distance 0 it is 0.
/// PyTorch: torch.cdist.
Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2);

/// The p-norms of all input[i] - input[j] with i < j, row by row: the upper triangle of cdist(input, input, p).
///
/// Shapes: [N, M] -> [N (N - 1) / 2].
/// Dtypes: floating, kept.
/// Throws: ShapeError when input is no matrix; DTypeError when it is not floating; ValueError for p as cdist.
/// Determinism: as normalize.
/// Gradient: as cdist.
/// PyTorch: torch.pdist.
Tensor pdist(const Tensor& input, double p = 2);

/// The covariances of the rows: x x^T / (n - correction), x being input without the means of its rows, of n columns.
/// fweights repeats columns; aweights weighs them. With w their product and s = sum(w): means and products are weighted
/// by w, and the divisor is s - correction, or with aweights s - correction sum(w aweights) / s; not below 0.
///
/// Shapes: [variables, n] -> [variables, variables]; a vector is one variable, and gives a 0-d tensor. Weights [n].
/// Dtypes: floating, kept; fweights of integers.
/// Throws: ShapeError when input has more dimensions, or weights are not [n]; DTypeError when input or aweights is not
/// floating, or fweights is; DeviceError when the tensors are on different devices.
/// Determinism: as matmul.
/// Gradient: that of the formula.
/// PyTorch: torch.cov.
Tensor cov(const Tensor& input, int64_t correction = 1, const Tensor& fweights = {}, const Tensor& aweights = {});

}  // namespace ordo
