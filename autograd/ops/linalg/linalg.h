// Linear algebra: decompositions of matrices, and what follows from them. As the functions of torch.linalg.
//
// For all of them: matrices are the last two dimensions of [..., m, n], the others are a batch. float32 and float64
// (DTypeError); ShapeError for other shapes. They are computed on the CPU; tensors of another device are brought there,
// and the results back.
//
// Determinism: device_to_device at every level, by rule 10 of docs/ordering.md. Short loops, made to be read: LAPACK is
// several times as fast for large matrices.
//
// For the backward pass they keep their results and, for solve, det and slogdet, the factors of the matrices. Where the
// gradient is to be differentiated again, it is composed of these operations instead, and may round otherwise.
#pragma once

#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// L, lower triangular with a positive diagonal: a = L L^T. As torch.linalg.cholesky.
///
/// a: [..., n, n], symmetric, which is not checked: the lower triangle is read. ValueError, with the number of the
/// matrix in the batch, where a is not positive-definite or holds NaN. The gradient is that of symmetric matrices
/// (Murray, "Differentiation of the Cholesky decomposition", 2016): it is symmetric.
Tensor cholesky(const Tensor& a);

/// X of a X = b. As torch.linalg.solve.
///
/// a: [..., n, n]; b: [..., n, k] of a's dtype, batches broadcast. b may be a vector [n], and a batch of vectors: where
/// it has a's sizes without the last. ValueError, with the number of the matrix, where a pivot is 0: a is singular.
/// Gaussian elimination with partial pivoting.
Tensor solve(const Tensor& a, const Tensor& b);

/// a^-1. Errors as of `solve`. As torch.linalg.inv.
Tensor inverse(const Tensor& a);

/// The determinant, [...]; 0 for singular matrices, 1 for those of size 0. As torch.linalg.det.
///
/// The gradient is that of the cofactors, and right to rounding for singular matrices too. A gradient of second order
/// needs invertible ones (ValueError).
Tensor det(const Tensor& a);

struct SlogdetResult {
  Tensor sign, logabsdet;
};
/// The sign of the determinant, and the log of its absolute value: 0 and -inf for singular matrices. The sign has no
/// gradient; that of logabsdet needs invertible matrices (ValueError). As torch.linalg.slogdet.
SlogdetResult slogdet(const Tensor& a);

struct QrResult {
  Tensor Q, R;
};
/// a = Q R: Q [..., m, k] with orthonormal columns, R [..., k, n] upper triangular, k = min(m, n). By Householder
/// reflections; the diagonal of R may be negative. As torch.linalg.qr, mode "reduced".
///
/// The gradient needs the first k columns to be independent (ValueError where a diagonal element of R is 0).
QrResult qr(const Tensor& a);

struct SvdResult {
  Tensor U, S, Vh;
};
/// a = U diag(S) Vh: U [..., m, k], S [..., k] descending, Vh [..., k, n], k = min(m, n). As torch.linalg.svd with
/// full_matrices = False.
///
/// The signs: in each column of U, the first of the elements at least half as large as its largest is positive. PyTorch
/// leaves them to chance. By one-sided Jacobi rotations. Errors of S are of the size of its largest element's rounding.
/// ValueError, with the number of the matrix, for NaN and infinities.
/// The gradient through U and Vh is finite where singular values differ, for m != n also from 0. That through S alone
/// is always.
SvdResult svd(const Tensor& a);

struct SvdLowrankResult {
  Tensor U, S, V;
};
/// The largest q singular values and their vectors, near enough: a ~ U diag(S) V^T, V [..., n, q]. As
/// torch.svd_lowrank (Halko, Martinsson and Tropp, "Finding structure with randomness", 2009, algorithms 4.4 and 5.1).
///
/// `niter` rounds of iteration on random vectors of `generator`, the default generator where it is null. ValueError
/// unless 0 <= q <= min(m, n) and niter >= 0. Made of `matmul`, `qr` and `svd`, with their determinism, errors and
/// gradients.
SvdLowrankResult svd_lowrank(const Tensor& a, int64_t q = 6, int64_t niter = 2, Generator* generator = nullptr);

}  // namespace ordo
