// Linear algebra: decompositions of matrices, and what follows from them. As the functions of torch.linalg.
//
// Matrices are the last two dimensions of [..., m, n], the others are a batch. They are computed on the CPU; tensors of
// another device are brought there, and the results back. Short loops, made to be read: LAPACK is several times as fast
// for large matrices. ValueError for an undefined tensor.
//
// For the backward pass they keep their results and, for solve, det and slogdet, the factors of the matrices. Where the
// gradient is to be differentiated again, it is composed of these operations instead, and may round otherwise.
#pragma once

#include <optional>

#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// L, lower triangular with a positive diagonal: a = L L^T.
///
/// Shapes: [..., n, n], symmetric, which is not checked: the lower triangle is read.
/// Dtypes: float32 and float64.
/// Throws: DTypeError for others; ShapeError when matrices are not square; ValueError, with the number of the matrix in
/// the batch, when one is not positive-definite or holds NaN.
/// Determinism: the same bits on every device at every level; ordering rule 10.
/// Gradient: that of symmetric matrices, which is symmetric.
/// PyTorch: torch.linalg.cholesky.
/// Source: I. Murray, "Differentiation of the Cholesky decomposition", 2016 (the gradient).
Tensor cholesky(const Tensor& a);

/// X of a X = b, by Gaussian elimination with partial pivoting.
///
/// Shapes: a [..., n, n], b [..., n, k]; batches broadcast. Where b is [n], or has a's sizes without the last, it is a
/// vector or a batch of vectors.
/// Dtypes: float32 and float64, one for both.
/// Throws: DTypeError for others; ShapeError when a is not square or b does not fit; DeviceError when the tensors are
/// on different devices; ValueError, with the number of the matrix, when a pivot is 0: a is singular.
/// Determinism: as cholesky.
/// Gradient: of b, G = a^-T grad; of a, -G X^T; added over broadcast batches.
/// PyTorch: torch.linalg.solve.
Tensor solve(const Tensor& a, const Tensor& b);

/// X of a X = b, or of X a = b where not `left`, for triangles a: upper or lower ones, with a diagonal of 1 where
/// unitriangular. What lies beyond the triangle, and such a diagonal, is not read.
///
/// Shapes: a [..., n, n], b [..., n, k], or [..., k, n] where not `left`; batches broadcast.
/// Dtypes: as solve.
/// Throws: as solve; ValueError when an element of the diagonal is 0.
/// Determinism: as cholesky.
/// Gradient: of b, G = a^-T grad; of a, the triangle of -G X^T; added over broadcast batches.
/// PyTorch: torch.linalg.solve_triangular.
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool left = true, bool unitriangular = false);

/// Y = a^-1.
///
/// Shapes, Dtypes: as cholesky, of any matrices.
/// Throws: as solve.
/// Determinism: as cholesky.
/// Gradient: -Y^T grad Y^T.
/// PyTorch: torch.linalg.inv.
Tensor inverse(const Tensor& a);

/// a multiplied n times: the product of a^1, a^2, a^4, ..., each the square of the one before, that n is the sum of, in
/// this order. Of n = 0 the unit matrix, of negative n the power of a^-1.
///
/// Shapes, Dtypes: as inverse.
/// Throws: DTypeError, ShapeError as cholesky; as inverse where n is negative.
/// Determinism, Gradient: of matmul and inverse, of which it is made.
/// PyTorch: torch.linalg.matrix_power.
Tensor matrix_power(const Tensor& a, int64_t n);

/// The determinant; 0 for singular matrices, 1 for those of size 0.
///
/// Shapes: [..., n, n] -> [...].
/// Dtypes: as cholesky.
/// Throws: DTypeError, ShapeError as cholesky; ValueError when a second derivative is taken at a singular matrix.
/// Determinism: as cholesky.
/// Gradient: grad times the cofactors, right to rounding for singular matrices too.
/// PyTorch: torch.linalg.det.
Tensor det(const Tensor& a);

struct SlogdetResult {
  Tensor sign, logabsdet;
};
/// The sign of the determinant, and the log of its absolute value: 0 and -inf for singular matrices.
///
/// Shapes, Dtypes: as det.
/// Throws: DTypeError, ShapeError as cholesky; ValueError when a derivative is taken at a singular matrix.
/// Determinism: as cholesky.
/// Gradient: of logabsdet, grad a^-T; of the sign, 0.
/// PyTorch: torch.linalg.slogdet.
SlogdetResult slogdet(const Tensor& a);

struct QrResult {
  Tensor Q, R;
};
/// a = Q R, by Householder reflections: Q has orthonormal columns, R is upper triangular. Its diagonal may be negative.
///
/// Shapes: [..., m, n] -> Q [..., m, k], R [..., k, n], k = min(m, n).
/// Dtypes: as cholesky.
/// Throws: DTypeError for others; ShapeError when a has less than two dimensions; ValueError when a derivative is taken
/// where the first k columns are not independent: a diagonal element of R is 0.
/// Determinism: as cholesky.
/// Gradient: (gQ + Q S) R^-T, where m >= n; S is symmetric with the upper triangle of gR R^T - Q^T gQ.
/// PyTorch: torch.linalg.qr, mode "reduced".
QrResult qr(const Tensor& a);

struct LstsqResult {
  Tensor solution, residuals;
};
/// X with the least |a X - b|, through qr: R^-1 Q^T b for m >= n. Else a X = b, and X is the one of least norm. The
/// residuals are the squared lengths of the columns of a X - b; they are [0] unless m > n.
///
/// Shapes: a [..., m, n], b [..., m, k] -> solution [..., n, k], residuals [..., k]; batches broadcast. Where b is [m],
/// or has a's sizes without the last, it is a vector or a batch of vectors, and k of the residuals is 1.
/// Dtypes: as solve.
/// Throws: DTypeError for others; ShapeError when shapes do not fit; DeviceError when the tensors are on different
/// devices; ValueError, with the number of the matrix, when a is not of full rank: an element of R's diagonal is at
/// most max(m, n) roundings of its largest.
/// Determinism: as svd_lowrank.
/// Gradient: of matmul, qr and solve_triangular, of which it is made.
/// PyTorch: torch.linalg.lstsq, driver "gels", without rank and singular_values.
LstsqResult lstsq(const Tensor& a, const Tensor& b);

struct EighResult {
  Tensor eigenvalues, eigenvectors;
};
/// a = V diag(L) V^T of symmetric matrices, by Jacobi rotations; columns of V are the eigenvectors. Errors of L are of
/// the size of its largest element's rounding. In each column of V, the first of the elements at least half as large as
/// its largest is positive; PyTorch leaves signs to chance.
///
/// Shapes: [..., n, n], symmetric, which is not checked: the lower triangle is read -> L [..., n] ascending,
/// V [..., n, n].
/// Dtypes: as cholesky.
/// Throws: DTypeError, ShapeError as cholesky; ValueError, with the number of the matrix, when one holds NaN or
/// infinities.
/// Determinism: as cholesky.
/// Gradient: the symmetric part of V (diag(gL) + (V^T gV) / D) V^T, D[i][j] = L[j] - L[i] and D[i][i] infinite. That
/// through L alone is always finite, that through V where eigenvalues differ.
/// PyTorch: torch.linalg.eigh.
EighResult eigh(const Tensor& a);

struct SvdResult {
  Tensor U, S, Vh;
};
/// a = U diag(S) Vh, by one-sided Jacobi rotations. Errors of S are of the size of its largest element's rounding. In
/// each column of U, the first of the elements at least half as large as its largest is positive; PyTorch leaves signs
/// to chance.
///
/// Shapes: [..., m, n] -> U [..., m, k], S [..., k] descending, Vh [..., k, n], k = min(m, n).
/// Dtypes: as cholesky.
/// Throws: DTypeError, ShapeError as qr; ValueError, with the number of the matrix, when one holds NaN or infinities.
/// Determinism: as cholesky.
/// Gradient: through S alone U diag(gS) Vh, always finite. That through U and Vh is finite where singular values
/// differ, for m != n also from 0.
/// PyTorch: torch.linalg.svd with full_matrices = False.
SvdResult svd(const Tensor& a);

/// The pseudo-inverse: Vh^T diag(1 / S) U^T of svd, without the singular values up to max(atol, rtol S[0]). atol is 0
/// where it is not given; rtol is max(m, n) roundings where neither is given, else 0.
///
/// Shapes: [..., m, n] -> [..., n, m].
/// Dtypes: as cholesky.
/// Throws: as svd; ValueError also when atol or rtol is negative or NaN.
/// Determinism: as svd_lowrank.
/// Gradient: that of matrices whose rank stays.
/// PyTorch: torch.linalg.pinv, hermitian = False.
/// Source: G. H. Golub and V. Pereyra, "The differentiation of pseudo-inverses", 1973 (the gradient).
Tensor pinv(const Tensor& a, std::optional<double> atol = std::nullopt, std::optional<double> rtol = std::nullopt);

struct SvdLowrankResult {
  Tensor U, S, V;
};
/// The largest q singular values and their vectors, near enough: a ~ U diag(S) V^T. `niter` rounds of iteration on
/// random vectors of `generator`, the default generator where it is null.
///
/// Shapes: [..., m, n] -> U [..., m, q], S [..., q], V [..., n, q].
/// Dtypes: as cholesky.
/// Throws: as svd; ValueError also unless 0 <= q <= min(m, n) and niter >= 0.
/// Determinism, Gradient: of matmul, qr and svd, of which it is made.
/// PyTorch: torch.svd_lowrank.
/// Source: N. Halko, P. G. Martinsson, J. A. Tropp, "Finding structure with randomness", 2009, algorithms 4.4 and 5.1.
SvdLowrankResult svd_lowrank(const Tensor& a, int64_t q = 6, int64_t niter = 2, Generator* generator = nullptr);

}  // namespace ordo
