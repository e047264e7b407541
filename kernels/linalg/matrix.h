// One matrix at a time, by one thread: the ordered algorithms, and Eigen's. Internal.
//
// Matrices are row-major; a list of columns, each contiguous, is `columns[n][m]`.
#pragma once

#include <cstdint>

namespace ordo::kernels {

/// How one matrix is decomposed, for float and double.
template <class T>
struct MatrixAlgorithms {
  /// a [n][n], of which the lower triangle is read, becomes its factor. False when a is not positive-definite.
  bool (*cholesky)(T* a, int64_t n);
  /// a [n][n] becomes L and U of its rows in the order `rows`; returns the sign of that order. A pivot of 0 stays.
  int (*lu)(T* a, int64_t* rows, int64_t n);
  /// x [n][k] becomes U^-1 L^-1 x.
  void (*lu_solve)(const T* lu, T* x, int64_t n, int64_t k);
  /// columns [n][m], m >= n, become those of Q; r [n][n].
  void (*qr)(T* columns, T* r, int64_t m, int64_t n);
  /// columns [n][m], m >= n, of a matrix a become those of u; s [n] descending; vh [n][n]. a = u diag(s) vh.
  void (*svd)(T* columns, T* s, T* vh, int64_t m, int64_t n);
};

/// Sums in an order that depends on sizes only, in plain C++: docs/ordering.md.
template <class T>
MatrixAlgorithms<T> ordered_matrix_algorithms();
/// Eigen's, but for svd.
template <class T>
MatrixAlgorithms<T> library_matrix_algorithms();

}  // namespace ordo::kernels
