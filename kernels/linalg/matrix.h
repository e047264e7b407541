// One matrix at a time, by the order of rule 10 (docs/ordering.md). For float and double. Internal.
//
// Matrices are row-major; a list of columns, each contiguous, is `columns[n][m]`.
#pragma once

#include <cstdint>

namespace ordo::kernels::matrix {

/// The part of a matrix [n][n] that a system of equations is made of; the other part is not read.
enum class Triangle {
  lower,
  unit_lower,  ///< with a diagonal of 1, which is not read
  upper,
  unit_upper,
  unit_lower_transposed,  ///< the transpose of unit_lower
  upper_transposed,
  lower_transposed,  ///< the transpose of a lower triangle with its diagonal
};

/// a [n][n], of which the lower triangle is read, becomes its factor. False when a is not positive-definite.
template <class T>
bool cholesky(T* a, int64_t n);
/// a [n][n] becomes L and U of its rows in the order `rows`; returns the sign of that order. A pivot of 0 stays.
template <class T>
int lu(T* a, int64_t* rows, int64_t n);
/// x [n][k] becomes t^-1 x, for the triangle t of a.
template <class T>
void solve(Triangle triangle, const T* a, T* x, int64_t n, int64_t k);
/// columns [n][m], m >= n, become those of Q; r [n][n].
template <class T>
void qr(T* columns, T* r, int64_t m, int64_t n);
/// a [n][n], symmetric, of which the lower triangle is read and which is overwritten: values [n] ascending, and vectors
/// [n][n], the columns of v one after the other. a = v diag(values) v^T.
template <class T>
void eigh(T* a, T* values, T* vectors, int64_t n);
/// columns [n][m], m >= n, of a matrix a become those of u; s [n] descending; vh [n][n]. a = u diag(s) vh.
template <class T>
void svd(T* columns, T* s, T* vh, int64_t m, int64_t n);

}  // namespace ordo::kernels::matrix
