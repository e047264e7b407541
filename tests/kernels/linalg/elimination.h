// Systems of equations in plain loops, to compare with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ordo::test {

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
/// a^-1 x.
inline Matrix solved(const Matrix& a, Matrix x, int64_t n, int64_t k) {
  eliminate(a, x, n, k);
  return x;
}
inline Matrix unit_matrix(int64_t n) {
  Matrix out(size_t(n * n));
  for (int64_t i = 0; i < n; ++i) out[size_t(i * n + i)] = 1;
  return out;
}

}  // namespace ordo::test
