// Matrices for the tests of linear algebra: regular ones, and elimination in double precision.
#pragma once

#include <algorithm>
#include <vector>

#include <ordo/ordo.h>

namespace ordo::test {

/// Matrices, with what is not one left as it is, for the operation to refuse.
inline bool is_matrix(const Tensor& t) { return t.defined() && is_floating(t.dtype()) && t.dim() >= 2; }

/// 6 + 3 i at [i, i], 0 elsewhere.
inline Tensor ramp(const Tensor& t) {
  const int64_t m = t.size(-2), n = t.size(-1);
  std::vector<double> values(size_t(m * n));
  for (int64_t i = 0; i < std::min(m, n); ++i) values[size_t(i * n + i)] = 6 + 3 * double(i);
  return from_vector(values, {m, n}, t.options());
}
/// Regular, with singular values that differ.
inline Tensor regular(const Tensor& t) { return is_matrix(t) ? t + ramp(t) : t; }

using Matrix = std::vector<double>;  ///< row-major

/// Gauss and Jordan: a [n][n] and x [n][k] become a^-1 x; returns the determinant. No pivots: a is regular in the order
/// of its diagonal.
inline double eliminate(Matrix a, Matrix& x, int64_t n, int64_t k) {
  double det = 1;
  for (int64_t p = 0; p < n; ++p) {
    const double pivot = a[size_t(p * n + p)];
    det *= pivot;
    for (int64_t j = 0; j < n; ++j) a[size_t(p * n + j)] /= pivot;
    for (int64_t j = 0; j < k; ++j) x[size_t(p * k + j)] /= pivot;
    for (int64_t i = 0; i < n; ++i) {
      const double f = a[size_t(i * n + p)];
      if (i == p || f == 0) continue;
      for (int64_t j = 0; j < n; ++j) a[size_t(i * n + j)] -= f * a[size_t(p * n + j)];
      for (int64_t j = 0; j < k; ++j) x[size_t(i * k + j)] -= f * x[size_t(p * k + j)];
    }
  }
  return det;
}

}  // namespace ordo::test
