// Textbook decompositions whose sums have an order of their own: the same bits on every processor.
// Golub and Van Loan, "Matrix Computations", 4th edition: 3.4 (LU), 4.2 (Cholesky), 5.2 (QR), 8.5 and 8.6.3 (Jacobi).
#include <ordo/kernels/linalg/matrix.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/linalg/blocks.h>
#include <ordo/kernels/matmul/gemm.h>

namespace ordo::kernels::matrix {
namespace {

constexpr int64_t kLanes = 16;
constexpr int kMostSweeps = 60;
constexpr int64_t kTurnedTogether = 16;  // columns, which stay in a cache (rule 10)
constexpr int64_t kRowsAtOnce = 128;
constexpr int64_t kGrain = 100'000;  // products that are worth a thread

/// Value i belongs to lane i mod 16; lanes are folded left to right, then halved.
template <class T>
struct Lanes {
  typedef T Vector __attribute__((vector_size(32)));
  static constexpr int64_t kVectors = kLanes * sizeof(T) / 32, kOfVector = 32 / sizeof(T);
  Vector vectors[kVectors] = {};
  void add(const T* a, const T* b) {
    for (int64_t k = 0; k < kVectors; ++k) {
      Vector x, y;
      std::memcpy(&x, a + k * kOfVector, sizeof x);
      std::memcpy(&y, b + k * kOfVector, sizeof y);
      vectors[k] += x * y;
    }
  }
  T sum() {
    T of[kLanes];
    std::memcpy(of, vectors, sizeof of);
    for (int64_t half = kLanes / 2; half > 0; half /= 2)
      for (int64_t v = 0; v < half; ++v) of[v] += of[v + half];
    return of[0];
  }
};

/// What is left over is added at the end.
template <class T>
T dot(const T* a, const T* b, int64_t n) {
  Lanes<T> lanes;
  int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes) lanes.add(a + k, b + k);
  T sum = k > 0 ? lanes.sum() : T(0);
  for (; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

/// y -= f x
template <class T>
void subtract(T* y, T f, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::fma(-f, x[i], y[i]);
}

/// c [m][n] = a [m][k] b [k][n] by rule 3.
template <class T>
void multiply(T* c, const MatrixView& a, const MatrixView& b, int64_t m, int64_t n, int64_t k) {
  gemm({.m = m, .n = n, .k = k, .a = a, .b = b, .c = {c, n}, .dtype = dtype_of<T>, .c_dtype = dtype_of<T>}, ordo::cpu);
}

/// c [m][n], whose rows are `apart`, -= a [m][k] b [k][n], with k <= kBlock.
template <class T>
void subtract_product(T* c, int64_t apart, const MatrixView& a, const MatrixView& b, int64_t m, int64_t n, int64_t k) {
  gemm({.m = m,
        .n = n,
        .k = k,
        .a = a,
        .b = b,
        .c = {c, apart},
        .dtype = dtype_of<T>,
        .c_dtype = dtype_of<T>,
        .subtract = true},
       ordo::cpu);
}

}  // namespace

template <class T>
bool cholesky(T* a, int64_t n) {
  const BlockSteps<T> steps = block_steps<T>();
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t size = std::min(kBlock, n - first), next = first + size;
    if (!steps.cholesky(a, n, first, size)) return false;
    // Of the rest the lower triangle, some rows at a time.
    for (int64_t row = next; row < n; row += kRowsAtOnce) {
      const int64_t end = std::min(n, row + kRowsAtOnce);
      subtract_product<T>(a + row * n + next, n, {a + row * n + first, n},
                          MatrixView{a + next * n + first, n}.transposed(), end - row, end - next, size);
    }
  }
  for (int64_t i = 0; i < n; ++i) std::fill(a + i * n + i + 1, a + i * n + n, T(0));
  return true;
}

namespace {

/// A block of solve() below, for all right sides.
template <class T>
void solve_block(const BlockSteps<T>& steps, const MatrixView& t, T* x, int64_t apart, int64_t size, int64_t k, bool up,
                 bool unit) {
  parallel_for(0, k, kGrain / (size * size) + 16,
               [&](int64_t begin, int64_t end) { steps.solve(t, x + begin, apart, size, end - begin, up, unit); });
}

}  // namespace

template <class T>
int lu(T* a, int64_t* rows, int64_t n) {
  int sign = 1;
  std::iota(rows, rows + n, int64_t(0));
  const BlockSteps<T> steps = block_steps<T>();
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t size = std::min(kBlock, n - first), next = first + size;
    int64_t swaps[kBlock];
    steps.lu(a, n, first, size, swaps);
    for (int64_t k = 0; k < size; ++k) {
      std::swap(rows[first + k], rows[first + k + swaps[k]]);
      sign = swaps[k] == 0 ? sign : -sign;
      if (swaps[k] == 0 || size == n) continue;
      T *const x = a + (first + k) * n, *const y = x + swaps[k] * n;
      std::swap_ranges(x, x + first, y);
      std::swap_ranges(x + next, x + n, y + next);
    }
    solve_block<T>(steps, {a + first * n + first, n}, a + first * n + next, n, size, n - next, false, true);
    subtract_product<T>(a + next * n + next, n, {a + next * n + first, n}, {a + first * n + next, n}, n - next,
                        n - next, size);
  }
  return sign;
}

template <class T>
void solve(Triangle triangle, const T* a, T* x, int64_t n, int64_t k) {
  using enum Triangle;
  const bool transposed =
      triangle == unit_lower_transposed || triangle == upper_transposed || triangle == lower_transposed;
  const bool unit = triangle == unit_lower || triangle == unit_upper || triangle == unit_lower_transposed;
  const bool up = triangle == upper || triangle == unit_upper || (transposed && triangle != upper_transposed);
  const auto part = [&](int64_t i, int64_t j) {
    return transposed ? MatrixView{a + j * n + i, 1, n} : MatrixView{a + i * n + j, n};
  };
  const BlockSteps<T> steps = block_steps<T>();
  for (int64_t done = 0; done < n; done += kBlock) {
    const int64_t size = std::min(kBlock, n - done), first = up ? n - done - size : done;
    solve_block<T>(steps, part(first, first), x + first * k, k, size, k, up, unit);
    const int64_t rest = up ? 0 : first + size, count = n - done - size;
    subtract_product<T>(x + rest * k, k, part(rest, first), {x + first * k, k}, count, k, size);
  }
}

namespace {

/// Reflections 1 - tau v v^T, one after the other, as one: 1 - v^T t v with their vectors as the rows of v (Schreiber and
/// Van Loan, "A storage-efficient WY representation for products of Householder transformations", 1989).
template <class T>
struct Reflections {
  int64_t size, height;
  std::vector<T> v, t;  // [size][height], [size][size]

  /// Of the columns [size][m], of which reflection j's vector is what follows element j; that is 1.
  Reflections(const T* columns, const T* tau, int64_t count, int64_t length, int64_t m)
      : size(count), height(length), v(size_t(size * height), T(0)), t(size_t(size * size), T(0)) {
    for (int64_t j = 0; j < size; ++j) {
      v[size_t(j * height + j)] = 1;
      std::copy(columns + j * m + j + 1, columns + j * m + height, v.begin() + j * height + j + 1);
    }
    std::vector<T> products(t.size());
    multiply(products.data(), {v.data(), height}, MatrixView{v.data(), height}.transposed(), size, size, height);
    for (int64_t j = 0; j < size; ++j) {
      for (int64_t i = 0; i < j; ++i) {
        T sum = 0;
        for (int64_t l = i; l < j; ++l) sum = std::fma(t[size_t(i * size + l)], products[size_t(l * size + j)], sum);
        t[size_t(i * size + j)] = -tau[j] * sum;
      }
      t[size_t(j * size + j)] = tau[j];
    }
  }
  /// To `count` columns of `height` elements, a row m after the other: the last reflection first, or, `backward`, last.
  void apply(T* columns, int64_t count, int64_t m, bool backward) const {
    std::vector<T> along(size_t(count * size)), scaled(along.size());
    const MatrixView factor{t.data(), size};
    multiply(along.data(), {columns, m}, MatrixView{v.data(), height}.transposed(), count, size, height);
    multiply(scaled.data(), {along.data(), size}, backward ? factor : factor.transposed(), count, size, size);
    subtract_product<T>(columns, m, {scaled.data(), size}, {v.data(), height}, count, height, size);
  }
};

}  // namespace

template <class T>
void qr(T* columns, T* r, int64_t m, int64_t n) {
  std::vector<T> tau(static_cast<size_t>(n));
  std::vector<Reflections<T>> blocks;
  for (int64_t first = 0; first < n; first += kBlock) {
    const int64_t next = std::min(n, first + kBlock);
    for (int64_t j = first; j < next; ++j) {
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
      for (int64_t k = j + 1; k < next; ++k) {
        T* const c = columns + k * m + j;
        subtract(c, factor * dot(v + j, c, m - j), v + j, m - j);
      }
      r[j * n + j] = diagonal;
      std::fill(r + j * n, r + j * n + j, T(0));
    }
    if (next == n) break;
    blocks.emplace_back(columns + first * m + first, &tau[size_t(first)], next - first, m - first, m);
    blocks.back().apply(columns + next * m + first, n - next, m, true);
  }
  for (int64_t j = 0; j < n; ++j)
    for (int64_t k = j + 1; k < n; ++k) r[j * n + k] = columns[k * m + j];
  // Q's columns from the last block to the first: each block's reflections turn those of the later blocks, and make its
  // own.
  for (int64_t first = (n - 1) / kBlock * kBlock, next = n; first >= 0; next = first, first -= kBlock) {
    if (next < n) {
      blocks.back().apply(columns + next * m + first, n - next, m, false);
      blocks.pop_back();
    }
    for (int64_t j = next - 1; j >= first; --j) {
      T* const v = columns + j * m;
      const T factor = tau[size_t(j)];
      for (int64_t k = j + 1; k < next; ++k) {
        T* const c = columns + k * m + j;
        *c = 0;
        subtract(c, factor * dot(v + j, c, m - j), v + j, m - j);
      }
      std::fill(v, v + j, T(0));
      v[j] = 1 - factor;
      for (int64_t i = j + 1; i < m; ++i) v[i] *= -factor;
    }
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
  Lanes<T> of_x, of_y, of_both;  // three dot products in one pass
  int64_t i = 0;
  for (; i + kLanes <= m; i += kLanes) of_x.add(x + i, x + i), of_y.add(y + i, y + i), of_both.add(x + i, y + i);
  T xx = of_x.sum(), yy = of_y.sum(), xy = of_both.sum();
  for (; i < m; ++i) xx += x[i] * x[i], yy += y[i] * y[i], xy += x[i] * y[i];
  const T length = std::sqrt(xx), other = std::sqrt(yy);
  if (length <= nothing || other <= nothing) return false;
  if (!(std::abs(xy) > std::numeric_limits<T>::epsilon() * std::sqrt(T(m)) * length * other)) return false;
  const T t = tangent(yy - xx, 2 * xy);
  const T c = 1 / std::sqrt(1 + t * t), s = c * t;
  rotate(x, y, s, s / (1 + c), m);
  rotate(v + p * n, v + q * n, s, s / (1 + c), n);
  return true;
}

/// Pair k of a round of a tournament of `seats` players, in which each meets each other once: all move by one seat a
/// round but the last, who meets whom seat 0 has.
std::pair<int64_t, int64_t> pair_of(int64_t k, int64_t round, int64_t seats) {
  const int64_t moving = seats - 1, a = (round + k) % moving, b = k == 0 ? moving : (round + moving - k) % moving;
  return std::minmax({a, b});
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
  const int64_t blocks = (n + kTurnedTogether - 1) / kTurnedTogether, seats = blocks + blocks % 2;
  std::atomic<bool> turned = true;
  const auto meet = [&](int64_t a, int64_t b) {
    const int64_t end = std::min(n, (a + 1) * kTurnedTogether), other_end = std::min(n, (b + 1) * kTurnedTogether);
    for (int64_t p = a * kTurnedTogether; p < end; ++p)
      for (int64_t q = a == b ? p + 1 : b * kTurnedTogether; q < other_end; ++q)
        if (make_orthogonal(columns, v.data(), p, q, m, n, nothing)) turned = true;
  };
  for (int sweep = 0; turned && sweep < kMostSweeps; ++sweep) {
    turned = false;
    const int64_t grain = kGrain / (kTurnedTogether * kTurnedTogether * (m + n) + 1) + 1;
    parallel_for(0, blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) meet(k, k);
    });
    for (int64_t round = 0; round + 1 < seats; ++round)
      parallel_for(0, seats / 2, grain, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
          const auto [a, b] = pair_of(k, round, seats);
          if (b < blocks) meet(a, b);
        }
      });
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
