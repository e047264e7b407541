// Textbook decompositions whose sums have an order of their own: the same bits on every processor.
// Golub and Van Loan, "Matrix Computations", 4th edition: 4.2 (Cholesky), 5.2 (QR).
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ordo/kernels/linalg/lu_cpu.h>
#include <ordo/kernels/linalg/matrix.h>
#include <ordo/kernels/linalg/ordered_sums.h>

namespace ordo::kernels {
namespace {

template <class T>
bool cholesky(T* a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    T* const row = a + i * n;
    for (int64_t j = 0; j < i; ++j) row[j] = (row[j] - dot(row, a + j * n, j)) / a[j * n + j];
    const T rest = row[i] - dot(row, row, i);
    if (!(rest > 0)) return false;
    row[i] = std::sqrt(rest);
    std::fill(row + i + 1, row + n, T(0));
  }
  return true;
}

/// t x = y, from the first row down or from the last one up.
template <class T>
void solve_rows(const T* a, T* x, int64_t n, int64_t k, bool up, bool unit) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = up ? n - 1 - step : step, from = up ? i + 1 : 0, to = up ? n : i;
    const T* const row = a + i * n;
    if (k == 1)
      x[i] -= dot(row + from, x + from, to - from);
    else
      for (int64_t j = from; j < to; ++j) subtract(x + i * k, row[j], x + j * k, k);
    if (!unit)
      for (int64_t c = 0; c < k; ++c) x[i * k + c] /= row[i];
  }
}

/// t^T x = y: what is known of x is subtracted from all that is not, which reads rows of t.
template <class T>
void solve_columns(const T* a, T* x, int64_t n, int64_t k, bool up, bool unit) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = up ? n - 1 - step : step, from = up ? 0 : i + 1, to = up ? i : n;
    const T* const row = a + i * n;
    if (!unit)
      for (int64_t c = 0; c < k; ++c) x[i * k + c] /= row[i];
    if (k == 1)
      subtract(x + from, x[i], row + from, to - from);
    else
      for (int64_t j = from; j < to; ++j) subtract(x + j * k, row[j], x + i * k, k);
  }
}

template <class T>
void solve(Triangle triangle, const T* a, T* x, int64_t n, int64_t k) {
  switch (triangle) {
    case Triangle::unit_lower:
      return solve_rows(a, x, n, k, false, true);
    case Triangle::upper:
      return solve_rows(a, x, n, k, true, false);
    case Triangle::unit_lower_transposed:
      return solve_columns(a, x, n, k, true, true);
    case Triangle::upper_transposed:
      return solve_columns(a, x, n, k, false, false);
    case Triangle::lower_transposed:
      return solve_columns(a, x, n, k, true, false);
  }
}

template <class T>
void qr(T* columns, T* r, int64_t m, int64_t n) {
  std::vector<T> tau(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) {
    T* const v = columns + j * m;
    const T head = v[j], tail = dot(v + j + 1, v + j + 1, m - j - 1);
    T diagonal = head, factor = 0;
    if (!(tail <= std::numeric_limits<T>::min())) {
      diagonal = -std::copysign(std::sqrt(head * head + tail), head);
      factor = (diagonal - head) / diagonal;
      const T scale = head - diagonal;
      for (int64_t i = j + 1; i < m; ++i) v[i] /= scale;
    } else {
      std::fill(v + j + 1, v + m, T(0));
    }
    tau[size_t(j)] = factor;
    v[j] = 1;
    for (int64_t k = j + 1; k < n; ++k) {
      T* const c = columns + k * m + j;
      subtract(c, factor * dot(v + j, c, m - j), v + j, m - j);
      r[j * n + k] = *c;
    }
    r[j * n + j] = diagonal;
    std::fill(r + j * n, r + j * n + j, T(0));
  }
  for (int64_t j = n - 1; j >= 0; --j) {  // Q's columns from j on, made of the reflections from j on
    T* const v = columns + j * m;
    const T factor = tau[size_t(j)];
    for (int64_t k = j + 1; k < n; ++k) {
      T* const c = columns + k * m + j;
      *c = 0;
      subtract(c, factor * dot(v + j, c, m - j), v + j, m - j);
    }
    std::fill(v, v + j, T(0));
    v[j] = 1 - factor;
    for (int64_t i = j + 1; i < m; ++i) v[i] *= -factor;
  }
}

}  // namespace

template <class T>
MatrixAlgorithms<T> ordered_matrix_algorithms() {
  return {cholesky<T>, cpu::lu, solve<T>, qr<T>, ordered_svd<T>};
}
template MatrixAlgorithms<float> ordered_matrix_algorithms();
template MatrixAlgorithms<double> ordered_matrix_algorithms();

}  // namespace ordo::kernels
