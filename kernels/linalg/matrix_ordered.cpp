// Textbook decompositions whose sums have an order of their own: the same bits on every processor.
// Golub and Van Loan, "Matrix Computations", 4th edition: 3.4 (LU), 4.2 (Cholesky), 5.2 (QR), 8.6 (one-sided Jacobi).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <ordo/kernels/linalg/matrix.h>

namespace ordo::kernels {
namespace {

constexpr int64_t kLanes = 16;

/// Value i belongs to lane i mod 16; lanes are folded left to right, then halved; what is left over is added at the
/// end.
template <class T>
T dot(const T* a, const T* b, int64_t n) {
  T lanes[kLanes] = {}, sum = 0;
  int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes)
    for (int64_t v = 0; v < kLanes; ++v) lanes[v] += a[k + v] * b[k + v];
  if (k) {
    for (int64_t half = kLanes / 2; half > 0; half /= 2)
      for (int64_t v = 0; v < half; ++v) lanes[v] += lanes[v + half];
    sum = lanes[0];
  }
  for (; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

/// y -= f x
template <class T>
void subtract(T* y, T f, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] -= f * x[i];
}

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

template <class T>
int lu(T* a, int64_t* rows, int64_t n) {
  std::iota(rows, rows + n, int64_t(0));
  int sign = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t p = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[p * n + k])) p = i;
    if (p != k) {
      std::swap_ranges(a + k * n, a + k * n + n, a + p * n);
      std::swap(rows[k], rows[p]);
      sign = -sign;
    }
    const T pivot = a[k * n + k];
    if (pivot == 0) continue;
    for (int64_t i = k + 1; i < n; ++i) {
      const T f = a[i * n + k] /= pivot;
      if (f != 0) subtract(a + i * n + k + 1, f, a + k * n + k + 1, n - k - 1);
    }
  }
  return sign;
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

/// g' = c g - s h, h' = s g + c h, for c = 1 - s tau: a small angle keeps lengths better so than by c (Rutishauser,
/// "The Jacobi method for real symmetric matrices", 1966).
template <class T>
void rotate(T* g, T* h, T s, T tau, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const T x = g[i], y = h[i];
    g[i] = x - s * (y + tau * x);
    h[i] = y + s * (x - tau * y);
  }
}

/// Turns the rows of g [n][n] until they are orthogonal, and the rows of v alike. Squared norms are followed through a
/// sweep and computed anew for the next; the last sweep turns nothing, so its norms are the rows'.
template <class T>
void orthogonalise(T* g, T* v, int64_t n) {
  const T small = std::numeric_limits<T>::epsilon() * std::sqrt(T(n));
  std::vector<T> norm(static_cast<size_t>(n));
  bool turned = true;
  for (int sweep = 0; sweep < 40 && turned; ++sweep) {
    turned = false;
    for (int64_t i = 0; i < n; ++i) norm[size_t(i)] = dot(g + i * n, g + i * n, n);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i + 1; j < n; ++j) {
        T *const x = g + i * n, *const y = g + j * n;
        T &a = norm[size_t(i)], &b = norm[size_t(j)];
        const T p = dot(x, y, n);
        if (!(std::abs(p) > small * std::sqrt(a) * std::sqrt(b))) continue;
        const T zeta = (b - a) / (2 * p);
        const T t = std::copysign(T(1), zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const T c = 1 / std::sqrt(1 + t * t), s = c * t, tau = s / (1 + c);
        rotate(x, y, s, tau, n);
        rotate(v + i * n, v + j * n, s, tau, n);
        a = std::max(T(0), a - t * p);
        b = std::max(T(0), b + t * p);
        turned = true;
      }
  }
}

/// a = Q R; the columns of R^T are turned by V until they are W = P diag(s); a = (Q V) diag(s) P^T.
template <class T>
void svd(T* columns, T* s, T* vh, int64_t m, int64_t n) {
  T largest = 0;
  for (int64_t i = 0; i < m * n; ++i) largest = std::max(largest, std::abs(columns[i]));
  int exponent = 0;
  std::frexp(largest, &exponent);  // squares neither overflow nor vanish
  for (int64_t i = 0; i < m * n; ++i) columns[i] = std::ldexp(columns[i], -exponent);
  const size_t square = static_cast<size_t>(n * n);
  std::vector<T> g(square), v(square, T(0)), u(static_cast<size_t>(m * n), T(0)), norm(static_cast<size_t>(n));
  qr(columns, g.data(), m, n);
  for (int64_t i = 0; i < n; ++i) v[size_t(i * n + i)] = 1;
  orthogonalise(g.data(), v.data(), n);
  for (int64_t i = 0; i < n; ++i) norm[size_t(i)] = std::sqrt(dot(&g[size_t(i * n)], &g[size_t(i * n)], n));
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t(0));
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return norm[size_t(a)] > norm[size_t(b)]; });
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[size_t(j)];
    s[j] = std::ldexp(norm[size_t(from)], exponent);
    std::copy_n(&g[size_t(from * n)], n, vh + j * n);
    for (int64_t i = 0; i < n; ++i) subtract(&u[size_t(j * m)], -v[size_t(from * n + i)], columns + i * m, m);
  }
  qr(vh, g.data(), n, n);  // W / s, also where s is 0
  for (int64_t j = 0; j < n; ++j)
    if (g[size_t(j * n + j)] < 0)
      for (int64_t i = 0; i < n; ++i) vh[j * n + i] = -vh[j * n + i];
  std::copy(u.begin(), u.end(), columns);
}

}  // namespace

template <class T>
MatrixAlgorithms<T> ordered_matrix_algorithms() {
  return {cholesky<T>, lu<T>, solve<T>, qr<T>, svd<T>};
}
template MatrixAlgorithms<float> ordered_matrix_algorithms();
template MatrixAlgorithms<double> ordered_matrix_algorithms();

}  // namespace ordo::kernels
