// The ordered singular value decomposition: Householder reflections to a bidiagonal matrix, then implicit QR steps.
// Golub and Van Loan, "Matrix Computations", 4th edition, 8.6.
//
// All rows are padded with zeros to whole groups of 16 values, one for each lane of a sum. A sum that begins at column
// c begins with the group of c, its operands being 0 before c.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <type_traits>
#include <vector>

#include <ordo/kernels/linalg/matrix.h>
#include <ordo/kernels/linalg/ordered_sums.h>

namespace ordo::kernels {
namespace {

// Each lane is a sum of its own: the vectors' width changes no bit.
#if defined(__AVX512F__)
constexpr int64_t kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int64_t kVectorBytes = 32;
#else
constexpr int64_t kVectorBytes = 16;
#endif
template <class T>
using Vector [[gnu::vector_size(kVectorBytes)]] = T;

template <class T>
struct Lanes {
  static constexpr int64_t kVectors = kLanes * int64_t(sizeof(T)) / kVectorBytes;
  Vector<T> vectors[kVectors];

  /// this += a b; b: lanes, or a number
  template <class B>
  void add(const Lanes& a, const B& b) {
    for (int64_t v = 0; v < kVectors; ++v) {
      if constexpr (std::is_same_v<B, T>)
        vectors[v] += a.vectors[v] * b;
      else
        vectors[v] += a.vectors[v] * b.vectors[v];
    }
  }
  /// this -= a b
  void subtract(const Lanes& a, T b) {
    for (int64_t v = 0; v < kVectors; ++v) vectors[v] -= a.vectors[v] * b;
  }
  void divide(T b) {
    for (int64_t v = 0; v < kVectors; ++v) vectors[v] /= b;
  }
  T fold() const {
    T lanes[kLanes];
    std::memcpy(lanes, this, sizeof(lanes));
    return fold_lanes(lanes);
  }
};

constexpr int64_t kRows = 4;  // that are worked on at once

/// Rows of lanes, zero at first; at least kRows of them, in fours.
template <class T>
class Padded {
 public:
  Padded(int64_t rows, int64_t columns)
      : stride_((columns + kLanes - 1) / kLanes | 1),  // odd: a column is spread over the sets of a cache
        size_((rows + kRows - 1) / kRows * kRows * stride_ * kLanes),
        data_(static_cast<T*>(::operator new(size_t(size_) * sizeof(T), kAlignment))) {
    std::fill_n(data_.get(), size_, T(0));
  }
  T* row(int64_t i) const { return data_.get() + i * stride_ * kLanes; }
  Lanes<T>* groups(int64_t i) const { return reinterpret_cast<Lanes<T>*>(row(i)); }

 private:
  static constexpr std::align_val_t kAlignment{kLanes * sizeof(double)};
  struct Free {
    void operator()(T* p) const { ::operator delete(p, kAlignment); }
  };
  int64_t stride_, size_;
  std::unique_ptr<T, Free> data_;
};

/// I - factor v v^T, which turns a vector into (diagonal, 0, 0, ...). v[0] = 1, v = the others / scale.
template <class T>
struct Reflection {
  T diagonal, factor, scale;
};

/// v, whose first element is at column c, becomes the vector of its reflection.
template <class T>
Reflection<T> reflection(T* v, int64_t c, int64_t groups) {
  auto* const lanes = reinterpret_cast<Lanes<T>*>(v);
  const T head = v[c];
  std::fill(v + c / kLanes * kLanes, v + c + 1, T(0));
  Lanes<T> sum = {};
  for (int64_t g = c / kLanes; g < groups; ++g) sum.add(lanes[g], lanes[g]);
  const T tail = sum.fold();
  if (!(tail > std::numeric_limits<T>::min())) {
    std::fill(v + c, v + groups * kLanes, T(0));
    v[c] = 1;
    return {head, 0, 1};
  }
  const T diagonal = -std::copysign(std::sqrt(head * head + tail), head), scale = head - diagonal;
  for (int64_t g = c / kLanes; g < groups; ++g) lanes[g].divide(scale);
  v[c] = 1;
  return {diagonal, (diagonal - head) / diagonal, scale};
}

/// A product of reflections; the vector of number i is row i and begins at column i + shift.
template <class T>
struct Reflections {
  Padded<T> vectors;
  std::vector<T> factors;
  int64_t shift;
  Reflections(int64_t n, int64_t from) : vectors(n, n), factors(static_cast<size_t>(n)), shift(from) {}
};

/// a = left B right^T with B's diagonal d and what stands above it, e; right holds a [n][n] at first. A step takes each
/// row below it once: the left reflection, the right one, and the row's part in the next left one.
template <class T>
void bidiagonalise(Reflections<T>& left, Reflections<T>& right, T* d, T* e, int64_t n) {
  const Padded<T> work(2, n);
  const int64_t groups = (n + kLanes - 1) / kLanes;
  T *const w = work.row(0), *const next = work.row(1);  // next: sums of the rows below, times the column's elements
  const auto* const wl = work.groups(0);
  auto* const nl = work.groups(1);
  for (int64_t i = 0; i < n; ++i) {
    const T first = right.vectors.row(i)[0];
    left.vectors.row(0)[i] = first;
    if (i == 0) continue;
    const auto* const row = right.vectors.groups(i);
    for (int64_t g = 0; g < groups; ++g) nl[g].add(row[g], first);
  }
  for (int64_t k = 0; k < n; ++k) {
    const T* const v = left.vectors.row(k);
    T* const z = right.vectors.row(k);
    const auto by = reflection(left.vectors.row(k), k, groups);
    d[k] = by.diagonal;
    left.factors[size_t(k)] = by.factor;
    const int64_t c = k + 1, from = c / kLanes;
    if (c == n) {
      std::fill(z, z + n, T(0));
      break;
    }
    std::fill(w, w + c, T(0));
    for (int64_t j = c; j < n; ++j) w[j] = by.factor != 0 ? z[j] + next[j] / by.scale : T(0);
    for (int64_t j = c; j < n; ++j) z[j] -= by.factor * w[j];
    std::fill(next, next + n, T(0));
    std::fill(z, z + c, T(0));
    const auto across = reflection(z, c, groups);
    e[k] = across.diagonal;
    right.factors[size_t(k)] = across.factor;
    const auto* const zl = right.vectors.groups(k);
    T* const column = left.vectors.row(c);
    for (int64_t i = c; i < n; ++i) {
      auto* const row = right.vectors.groups(i);
      const T f = by.factor * v[i];
      Lanes<T> sum = {};
      for (int64_t g = from; g < groups; ++g) {
        row[g].subtract(wl[g], f);
        sum.add(row[g], zl[g]);
      }
      const T h = across.factor * sum.fold(), first = right.vectors.row(i)[c] - h;
      column[i] = first;
      const T into = i == c ? T(0) : first;
      for (int64_t g = from; g < groups; ++g) {
        row[g].subtract(zl[g], h);
        nl[g].add(row[g], into);
      }
    }
  }
}

/// The transpose of a product of reflections.
template <class T>
Padded<T> product(const Reflections<T>& of, int64_t n) {
  Padded<T> q(n, n);
  const int64_t groups = (n + kLanes - 1) / kLanes, last = n - 1 - of.shift;
  for (int64_t k = 0; k < n; ++k) q.row(k)[k] = 1;
  for (int64_t k = 0; k < n; k += kRows)
    for (int64_t j = std::min(k + kRows - 1 - of.shift, last); j >= 0; --j) {
      const auto* const v = of.vectors.groups(j);
      const int64_t from = (j + of.shift) / kLanes;
      Lanes<T> sum[kRows] = {};
      for (int64_t g = from; g < groups; ++g)
        for (int64_t r = 0; r < kRows; ++r) sum[r].add(q.groups(k + r)[g], v[g]);
      T f[kRows];
      for (int64_t r = 0; r < kRows; ++r) f[r] = of.factors[size_t(j)] * sum[r].fold();
      for (int64_t g = from; g < groups; ++g)
        for (int64_t r = 0; r < kRows; ++r) q.groups(k + r)[g].subtract(v[g], f[r]);
    }
  return q;
}

template <class T>
struct Rotation {
  T c, s;
};

/// The rotation of (f, g) to (length, 0). What is nothing beside 1, the scale of the matrix, is left out: its square
/// would be.
template <class T>
Rotation<T> rotation(T f, T g, T& length) {
  if (!(g * g > std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon())) {
    length = f;
    return {1, 0};
  }
  length = std::sqrt(f * f + g * g);
  return {f / length, g / length};
}

/// Rotations of rows i and i + 1, for i from `first` on, one for each row but the last.
struct Sweep {
  int64_t first, last;
  size_t rotations;  // where they begin
};

/// All sweeps on `Vectors` vectors of columns before the next ones: they stay in the cache, and the row that two
/// rotations share in registers.
template <int Vectors, class T>
void rotate_columns(const Padded<T>& rows, int64_t column, const std::vector<Sweep>& sweeps,
                    const std::vector<Rotation<T>>& rotations) {
  const int64_t stride = rows.row(1) - rows.row(0);
  for (const Sweep& sweep : sweeps) {
    T* row = rows.row(sweep.first) + column;
    const Rotation<T>* by = &rotations[sweep.rotations];
    Vector<T> x[Vectors];
    for (int v = 0; v < Vectors; ++v) x[v] = reinterpret_cast<Vector<T>*>(row)[v];
    for (int64_t i = sweep.first; i < sweep.last; ++i, ++by, row += stride)
      for (int v = 0; v < Vectors; ++v) {
        const Vector<T> y = reinterpret_cast<Vector<T>*>(row + stride)[v];
        reinterpret_cast<Vector<T>*>(row)[v] = by->c * x[v] + by->s * y;
        x[v] = by->c * y - by->s * x[v];
      }
    for (int v = 0; v < Vectors; ++v) reinterpret_cast<Vector<T>*>(row)[v] = x[v];
  }
}

template <class T>
void rotate(const Padded<T>& rows, int64_t n, const std::vector<Sweep>& sweeps,
            const std::vector<Rotation<T>>& rotations) {
  constexpr int64_t kWidth = kVectorBytes / sizeof(T);
  int64_t column = 0;
  for (; column + 3 * kWidth < n; column += 4 * kWidth) rotate_columns<4>(rows, column, sweeps, rotations);
  for (; column < n; column += kWidth) rotate_columns<1>(rows, column, sweeps, rotations);
}

/// B = d, e becomes diagonal, and the rows of u and v turn with it: u^T B v stays. Elements up to eps / 16 of the
/// largest are taken for 0.
template <class T>
void diagonalise(T* d, T* e, const Padded<T>& u, const Padded<T>& v, int64_t n) {
  const T eps = std::numeric_limits<T>::epsilon();
  T largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max({largest, std::abs(d[i]), i + 1 < n ? std::abs(e[i]) : T(0)});
  const T small = largest * eps / 16;
  std::vector<Sweep> sweeps;
  std::vector<Rotation<T>> of_u, of_v;
  const auto turn = [&] {
    rotate(u, n, sweeps, of_u);
    rotate(v, n, sweeps, of_v);
    sweeps.clear(), of_u.clear(), of_v.clear();
  };
  int64_t steps = 40 * n;
  for (int64_t q = n - 1; q > 0;) {
    int64_t p = q;  // a block [p, q] without zeros in e
    while (p > 0 && std::abs(e[p - 1]) > std::max(small, eps * (std::abs(d[p]) + std::abs(d[p - 1])))) --p;
    if (p == q || steps == 0) {
      --q;
      continue;
    }
    --steps;
    bool singular = false;  // a step without shift then splits the block
    for (int64_t i = p; i <= q; ++i)
      if (std::abs(d[i]) <= small) d[i] = 0, singular = true;
    T f = d[p], g = e[p];  // the first rotation's
    if (!singular) {  // by the eigenvalue of B^T B's last two rows and columns that is nearer to their last element
      const T x = d[q - 1], y = d[q], z = e[q - 1];
      const T half = ((x + y) * (x - y) + z * z) / 2, side = (y * z) * (y * z);
      const T shift = side / (half + std::copysign(std::sqrt(half * half + side), half));
      f = ((f + y) * (f - y) + shift) / f;
    }
    sweeps.push_back({p, q, of_u.size()});
    for (int64_t k = p; k < q; ++k) {
      T length;
      const Rotation<T> right = rotation(f, g, length);
      if (k > p) e[k - 1] = length;
      f = right.c * d[k] + right.s * e[k];
      e[k] = right.c * e[k] - right.s * d[k];
      g = right.s * d[k + 1];
      d[k + 1] = right.c * d[k + 1];
      const Rotation<T> left = rotation(f, g, length);
      d[k] = length;
      f = left.c * e[k] + left.s * d[k + 1];
      d[k + 1] = left.c * d[k + 1] - left.s * e[k];
      if (k + 1 < q) {
        g = left.s * e[k + 1];
        e[k + 1] = left.c * e[k + 1];
      }
      of_v.push_back(right), of_u.push_back(left);
    }
    e[q - 1] = f;
    if (int64_t(of_u.size()) >= 8 * n) turn();
  }
  turn();
}

}  // namespace

template <class T>
void ordered_svd(T* columns, T* s, T* vh, int64_t m, int64_t n) {
  T largest = 0;
  for (int64_t i = 0; i < m * n; ++i) largest = std::max(largest, std::abs(columns[i]));
  int exponent = 0;
  std::frexp(largest, &exponent);  // squares neither overflow nor vanish
  for (int64_t i = 0; i < m * n; ++i) columns[i] = std::ldexp(columns[i], -exponent);
  // Columns of a square matrix are its transpose, whose left and right vectors change places.
  const bool square = m == n;
  Reflections<T> left(n, 0), right(n, 1);
  if (!square) ordered_matrix_algorithms<T>().qr(columns, vh, m, n);
  for (int64_t i = 0; i < n; ++i) std::copy_n((square ? columns : vh) + i * n, n, right.vectors.row(i));
  std::vector<T> d(static_cast<size_t>(n)), e(static_cast<size_t>(n));
  bidiagonalise(left, right, d.data(), e.data(), n);
  const Padded<T> u = product(left, n), v = product(right, n);
  diagonalise(d.data(), e.data(), u, v, n);

  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return std::abs(d[size_t(a)]) > std::abs(d[size_t(b)]); });
  std::vector<T> rotated(static_cast<size_t>(square ? 0 : m * n), T(0));
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[size_t(j)];
    const T value = d[size_t(from)];
    const T *const mine = u.row(from), *const other = v.row(from);
    s[j] = std::ldexp(std::abs(value), exponent);
    const T sign = std::copysign(T(1), value);
    for (int64_t i = 0; i < n; ++i) vh[j * n + i] = sign * (square ? mine : other)[i];
    if (square)
      std::copy_n(other, n, columns + j * n);
    else
      for (int64_t i = 0; i < n; ++i) subtract(&rotated[size_t(j * m)], -mine[i], columns + i * m, m);
  }
  std::copy(rotated.begin(), rotated.end(), columns);
}
template void ordered_svd(float*, float*, float*, int64_t, int64_t);
template void ordered_svd(double*, double*, double*, int64_t, int64_t);

}  // namespace ordo::kernels
