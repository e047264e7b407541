// Textbook decompositions whose sums have an order of their own: the same bits on every processor.
// Golub and Van Loan, "Matrix Computations", 4th edition: 3.4 (LU), 4.2 (Cholesky), 5.2 (QR), 8.5 and 8.6.3 (Jacobi).
#include <ordo/kernels/linalg/matrix.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <ordo/engine/run/parallel.h>

namespace ordo::kernels::matrix {
namespace {

constexpr int64_t kLanes = 16;
constexpr int kMostSweeps = 60;
constexpr int64_t kGrain = 100'000;  // products that are worth a thread

/// Value i belongs to lane i mod 16; lanes are folded left to right, then halved; what is left over is added at the
/// end.
template <class T>
T dot(const T* a, const T* b, int64_t n) {
  T lanes[kLanes] = {}, sum = 0;
  int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes)
    for (int64_t v = 0; v < kLanes; ++v) lanes[v] += a[k + v] * b[k + v];
  if (k > 0) {
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

/// Of the right sides [first, last), t x = y, from the first row down or from the last one up.
template <class T>
void solve_rows(const T* a, T* x, int64_t n, int64_t k, int64_t first, int64_t last, bool up, bool unit) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = up ? n - 1 - step : step, from = up ? i + 1 : 0, to = up ? n : i;
    const T* const row = a + i * n;
    if (k == 1)
      x[i] -= dot(row + from, x + from, to - from);
    else
      for (int64_t j = from; j < to; ++j) subtract(x + i * k + first, row[j], x + j * k + first, last - first);
    if (!unit)
      for (int64_t c = first; c < last; ++c) x[i * k + c] /= row[i];
  }
}

/// t^T x = y: what is known of x is subtracted from all that is not, which reads rows of t.
template <class T>
void solve_columns(const T* a, T* x, int64_t n, int64_t k, int64_t first, int64_t last, bool up, bool unit) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = up ? n - 1 - step : step, from = up ? 0 : i + 1, to = up ? i : n;
    const T* const row = a + i * n;
    if (!unit)
      for (int64_t c = first; c < last; ++c) x[i * k + c] /= row[i];
    if (k == 1)
      subtract(x + from, x[i], row + from, to - from);
    else
      for (int64_t j = from; j < to; ++j) subtract(x + j * k + first, row[j], x + i * k + first, last - first);
  }
}

}  // namespace

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
  int sign = 1;
  std::iota(rows, rows + n, int64_t(0));
  for (int64_t k = 0; k < n; ++k) {
    int64_t p = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[p * n + k])) p = i;
    if (p != k) {
      std::swap_ranges(a + k * n, a + k * n + n, a + p * n);
      std::swap(rows[k], rows[p]);
      sign = -sign;
    }
    const T* const from = a + k * n;
    if (from[k] == 0) continue;
    parallel_for(k + 1, n, kGrain / (n - k) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* const row = a + i * n;
        const T f = row[k] /= from[k];
        for (int64_t j = k + 1; j < n; ++j) row[j] = std::fma(-f, from[j], row[j]);
      }
    });
  }
  return sign;
}

template <class T>
void solve(Triangle triangle, const T* a, T* x, int64_t n, int64_t k) {
  parallel_for(0, k, kGrain / (n * n + 1) + 16, [&](int64_t begin, int64_t end) {
    switch (triangle) {
      case Triangle::lower:
        return solve_rows(a, x, n, k, begin, end, false, false);
      case Triangle::unit_upper:
        return solve_rows(a, x, n, k, begin, end, true, true);
      case Triangle::unit_lower:
        return solve_rows(a, x, n, k, begin, end, false, true);
      case Triangle::upper:
        return solve_rows(a, x, n, k, begin, end, true, false);
      case Triangle::unit_lower_transposed:
        return solve_columns(a, x, n, k, begin, end, true, true);
      case Triangle::upper_transposed:
        return solve_columns(a, x, n, k, begin, end, false, false);
      case Triangle::lower_transposed:
        return solve_columns(a, x, n, k, begin, end, true, false);
    }
  });
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

namespace {

/// x becomes c x - s y, and y s x + c y, for r = s / (1 + c): a small angle rounds little (Rutishauser).
template <class T>
void rotate(T* x, T* y, T s, T r, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const T a = x[i], b = y[i];
    x[i] = a - s * (b + r * a);
    y[i] = b + s * (a - r * b);
  }
}

/// The tangent of the smaller angle that makes a pair orthogonal, from the difference and double the product.
template <class T>
T tangent(T difference, T twice) {
  const T zeta = difference / twice;
  return std::copysign(T(1), zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
}

/// Turns the columns p and q to be orthogonal, and v's rows with them. False where they are, to rounding, or where one
/// is no longer than `nothing`.
template <class T>
bool make_orthogonal(T* columns, T* v, int64_t p, int64_t q, int64_t m, int64_t n, T nothing) {
  T *const x = columns + p * m, *const y = columns + q * m;
  const T xx = dot(x, x, m), yy = dot(y, y, m), xy = dot(x, y, m);
  if (std::sqrt(xx) <= nothing || std::sqrt(yy) <= nothing) return false;
  if (!(std::abs(xy) > std::numeric_limits<T>::epsilon() * std::sqrt(xx) * std::sqrt(yy))) return false;
  const T t = tangent(yy - xx, 2 * xy);
  const T c = 1 / std::sqrt(1 + t * t), s = c * t;
  rotate(x, y, s, s / (1 + c), m);
  rotate(v + p * n, v + q * n, s, s / (1 + c), n);
  return true;
}

/// Column j becomes a vector of length 1 that is orthogonal to those before: the first unit vector from number `unit`
/// on of which enough is left without them. Of those before `unit` ever less is left.
template <class T>
void complete(T* columns, int64_t j, int64_t m, int64_t& unit) {
  T* const column = columns + j * m;
  for (T length = 0; length * length * T(2 * m) < 1; ++unit) {
    std::fill(column, column + m, T(0));
    column[unit] = 1;
    for (int twice = 0; twice < 2; ++twice)
      for (int64_t k = 0; k < j; ++k) subtract(column, dot(column, columns + k * m, m), columns + k * m, m);
    length = std::sqrt(dot(column, column, m));
    for (int64_t i = 0; i < m; ++i) column[i] /= length;
  }
}

}  // namespace

template <class T>
void eigh(T* a, T* values, T* vectors, int64_t n) {
  T largest = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) largest = std::max(largest, std::abs(a[i * n + j]));
  int exponent = 0;
  std::frexp(largest, &exponent);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) a[i * n + j] = a[j * n + i] = std::ldexp(a[i * n + j], -exponent);
  std::vector<T> v(size_t(n * n), T(0));
  for (int64_t j = 0; j < n; ++j) v[size_t(j * n + j)] = 1;
  const T nothing = std::numeric_limits<T>::epsilon() * std::ldexp(largest, -exponent) / 4;
  const auto turn = [&](int64_t p, int64_t q) {
    T *const x = a + p * n, *const y = a + q * n, xy = x[q];
    if (!(std::abs(xy) > nothing)) return false;
    const T xx = x[p], yy = y[q], t = tangent(yy - xx, 2 * xy);
    const T c = 1 / std::sqrt(1 + t * t), s = c * t;
    rotate(x, y, s, s / (1 + c), n);
    x[p] = xx - t * xy;
    y[q] = yy + t * xy;
    x[q] = y[p] = 0;
    for (int64_t i = 0; i < n; ++i) a[i * n + p] = x[i], a[i * n + q] = y[i];
    rotate(&v[size_t(p * n)], &v[size_t(q * n)], s, s / (1 + c), n);
    return true;
  };
  bool turned = true;
  for (int sweep = 0; turned && sweep < kMostSweeps; ++sweep) {
    turned = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) turned |= turn(p, q);
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t(0));
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return a[i * n + i] < a[j * n + j]; });
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[size_t(j)];
    values[j] = std::ldexp(a[from * n + from], exponent);
    std::copy_n(&v[size_t(from * n)], n, vectors + j * n);
  }
}

template <class T>
void svd(T* columns, T* s, T* vh, int64_t m, int64_t n) {
  T largest = 0;
  for (int64_t i = 0; i < m * n; ++i) largest = std::max(largest, std::abs(columns[i]));
  int exponent = 0;
  std::frexp(largest, &exponent);  // squares do not overflow
  for (int64_t i = 0; i < m * n; ++i) columns[i] = std::ldexp(columns[i], -exponent);
  std::vector<T> v(size_t(n * n), T(0));
  for (int64_t j = 0; j < n; ++j) v[size_t(j * n + j)] = 1;
  T nothing = 0;
  for (int64_t j = 0; j < n; ++j) nothing = std::max(nothing, dot(columns + j * m, columns + j * m, m));
  nothing = std::numeric_limits<T>::epsilon() * std::sqrt(nothing);
  bool turned = true;
  for (int sweep = 0; turned && sweep < kMostSweeps; ++sweep) {
    turned = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) turned |= make_orthogonal(columns, v.data(), p, q, m, n, nothing);
  }
  std::vector<T> lengths, turned_columns(columns, columns + m * n);
  for (int64_t j = 0; j < n; ++j) lengths.push_back(std::sqrt(dot(columns + j * m, columns + j * m, m)));
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return lengths[size_t(a)] > lengths[size_t(b)]; });
  int64_t unit = 0;
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[size_t(j)];
    const T length = lengths[size_t(from)];
    s[j] = std::ldexp(length, exponent);
    std::copy_n(&v[size_t(from * n)], n, vh + j * n);
    if (length > nothing)
      for (int64_t i = 0; i < m; ++i) columns[j * m + i] = turned_columns[size_t(from * m + i)] / length;
    else
      complete(columns, j, m, unit);
  }
}

#define ORDO_MATRIX(T)                                           \
  template bool cholesky(T*, int64_t);                           \
  template int lu(T*, int64_t*, int64_t);                        \
  template void solve(Triangle, const T*, T*, int64_t, int64_t); \
  template void qr(T*, T*, int64_t, int64_t);                    \
  template void eigh(T*, T*, T*, int64_t);                       \
  template void svd(T*, T*, T*, int64_t, int64_t);
ORDO_MATRIX(float)
ORDO_MATRIX(double)
#undef ORDO_MATRIX

}  // namespace ordo::kernels::matrix
