// LU by blocks of columns, in the order of rule 10 (docs/ordering.md): each element has the multiples of the rows above
// subtracted in ascending order, product and difference rounded, whichever block, thread or lane of a vector does it.
// Compiled once for each instruction set, as kernels/matmul/gemm_cpu.cpp is.
#include <ordo/kernels/vectors/targets.h>  // before Highway's headers

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <ordo/kernels/linalg/lu_cpu.cpp>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/linalg/lu_cpu.h>
#include <ordo/kernels/vectors/lanes-inl.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace ordo::kernels::cpu {
namespace HWY_NAMESPACE {
namespace {

constexpr int64_t kBlock = 32;  // columns of a panel
constexpr int64_t kInner = 8;   // of them that are subtracted from the panel's others at once
constexpr int kGroup = ORDO_MANY_REGISTERS ? 12 : 5;  // rows whose differences stay in registers,
constexpr int kVectors = 2;                           // with this many vectors of columns
constexpr int64_t kShared = 100'000;                  // products that are worth a thread

/// y - a b, both rounded.
template <class T>
HWY_INLINE Lanes<T> less_product(Lanes<T> y, Lanes<T> a, Lanes<T> b) {
  return {hn::Sub(y.v, hn::Mul(a.v, b.v))};
}
/// y - f u, and y where f is 0.
template <class T>
HWY_INLINE Lanes<T> less_multiple(Lanes<T> y, Lanes<T> f, Lanes<T> u) {
  const typename Lanes<T>::Tag d;
  return {hn::IfThenElse(hn::Eq(f.v, hn::Zero(d)), y.v, less_product(y, f, u).v)};
}

/// Columns of a matrix from its row `first` on, each contiguous, and their pivots.
template <class T>
struct Panel {
  T* data;         // [columns][apart]
  T* zeros;        // [apart]: not 0 where a row of L has a zero
  int64_t apart, first, rows, columns;
  int64_t pivots[kBlock];  // column j exchanges rows j and pivots[j]
  bool skipped[kBlock];    // columns whose pivot is 0
  bool skips;              // a column is skipped
  T* column(int64_t j) const { return data + j * apart; }
};

/// The place of the first of the largest elements of column[from, rows), where a NaN is none; `from` if that is a NaN.
template <class T>
int64_t find_pivot(const T* column, int64_t from, int64_t rows) {
  using L = Lanes<T>;
  const typename L::Tag d;
  const T start = std::abs(column[from]);
  if (start != start) return from;
  L most = L::all(start);
  int64_t i = from;
  for (; i + L::count <= rows; i += L::count) {
    const auto x = hn::Abs(L::load(column + i).v);
    most.v = hn::IfThenElse(hn::Gt(x, most.v), x, most.v);
  }
  T lanes[L::count];
  most.store(lanes);
  T largest = *std::max_element(lanes, lanes + L::count);
  for (; i < rows; ++i)
    if (std::abs(column[i]) > largest) largest = std::abs(column[i]);
  const L wanted = L::all(largest);
  for (i = from; i + L::count <= rows; i += L::count)
    if (!hn::AllFalse(d, hn::Eq(hn::Abs(L::load(column + i).v), wanted.v))) break;
  while (std::abs(column[i]) != largest) ++i;
  return i;
}

/// Subtracts the multiples of rows [k0, k1) of the panel from the rows [from, rows) of its column c.
template <class T>
void subtract_columns(const Panel<T>& p, int64_t k0, int64_t k1, int64_t from, int64_t c) {
  using L = Lanes<T>;
  T* const y = p.column(c);
  int64_t i = from;
  for (; i + L::count <= p.rows; i += L::count) {
    L at = L::load(y + i);
    for (int64_t k = k0; k < k1; ++k)
      if (!p.skipped[k]) at = less_multiple(at, L::load(p.column(k) + i), L::all(y[k]));
    at.store(y + i);
  }
  for (; i < p.rows; ++i)
    for (int64_t k = k0; k < k1; ++k)
      if (const T f = p.column(k)[i]; f != 0 && !p.skipped[k]) y[i] -= f * y[k];
}

/// The factors of the panel's columns, all other columns left of which have been dealt with.
template <class T>
void factor_panel(Panel<T>& p) {
  using L = Lanes<T>;
  p.skips = false;
  std::fill_n(p.zeros, p.apart, T(0));
  for (int64_t j0 = 0; j0 < p.columns; j0 += kInner) {
    const int64_t j1 = std::min(p.columns, j0 + kInner);
    for (int64_t j = j0; j < j1; ++j) {
      T* const column = p.column(j);
      const int64_t at = p.pivots[j] = find_pivot(column, j, p.rows);
      if (at != j)
        for (int64_t c = 0; c < p.columns; ++c) std::swap(p.column(c)[j], p.column(c)[at]);
      const T pivot = column[j];
      p.skipped[j] = pivot == 0;
      p.skips |= p.skipped[j];
      if (p.skipped[j]) continue;
      int64_t i = j + 1;
      for (; i + L::count <= p.rows; i += L::count) {
        L f = L::load(column + i);
        f.v = hn::Div(f.v, L::all(pivot).v);
        f.store(column + i);
      }
      for (; i < p.rows; ++i) column[i] /= pivot;
      for (int64_t c = j + 1; c < j1; ++c) subtract_columns(p, j, j + 1, j + 1, c);
    }
    for (int64_t c = j1; c < p.columns; ++c) {
      T* const y = p.column(c);
      for (int64_t i = j0 + 1; i < j1; ++i)
        for (int64_t k = j0; k < i; ++k)
          if (const T f = p.column(k)[i]; f != 0 && !p.skipped[k]) y[i] -= f * y[k];
      subtract_columns(p, j0, j1, j1, c);
    }
  }
  for (int64_t j = 0; j < p.columns; ++j)
    for (int64_t i = 0; i < p.rows; ++i) p.zeros[i] = p.column(j)[i] == 0 ? T(1) : p.zeros[i];
}

/// c [R][V vectors] less the product of R rows of L and `depth` rows of U, whose vectors lie kVectors apart.
template <int R, int V, class T>
void subtract_block(int64_t depth, const T* HWY_RESTRICT l, int64_t apart, const T* HWY_RESTRICT u, T* c, int64_t row) {
  using L = Lanes<T>;
  L rest[R][V];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) rest[r][v] = L::load(c + r * row + v * L::count);
  for (int64_t k = 0; k < depth; ++k, l += apart, u += kVectors * L::count) {
    L columns[V];
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) columns[v] = L::load(u + v * L::count);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const L f = L::all(l[r]);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) rest[r][v] = less_product(rest[r][v], f, columns[v]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) rest[r][v].store(c + r * row + v * L::count);
}

/// A matrix whose columns left of a panel are factors.
template <class T>
class Factors {
  using L = Lanes<T>;
  static constexpr int64_t kCols = kVectors * L::count;
  static constexpr int64_t kTile = std::max(kBlock, kCols);
  T* const a;
  const int64_t n;

 public:
  Factors(T* matrix, int64_t size) : a(matrix), n(size) {}

  void read(Panel<T>& p, int64_t first) const {
    p.first = first;
    p.rows = n - first;
    p.columns = std::min(kBlock, p.rows);
    copy_matrix(a + first * n + first, 1, n, p.columns, p.rows, p.data, p.apart);
  }
  void write(const Panel<T>& p) const {
    copy_matrix(p.data, 1, p.apart, p.rows, p.columns, a + p.first * n + p.first, n);
  }

  /// Rows change places in the columns [begin, end).
  void exchange(const Panel<T>& p, int64_t begin, int64_t end) const {
    for (int64_t j = 0; j < p.columns; ++j)
      if (p.pivots[j] != j)
        std::swap_ranges(row(p.first + j) + begin, row(p.first + j) + end, row(p.first + p.pivots[j]) + begin);
  }

  /// What the panel does to the columns [begin, end) on its right.
  void update(const Panel<T>& p, int64_t begin, int64_t end) const {
    exchange(p, begin, end);
    for (int64_t j = begin; j < end; j += kCols) update_columns(p, j, std::min(kCols, end - j));
  }
  static constexpr int64_t tile() { return kTile; }

 private:
  T* row(int64_t i) const { return a + i * n; }

  void update_columns(const Panel<T>& p, int64_t j, int64_t cols) const {
    alignas(64) T u[kBlock * kCols], edge[kGroup * kCols];
    for (int64_t i = 0; i < p.columns; ++i) {  // U's rows
      T* const to = u + i * kCols;
      std::fill(std::copy_n(row(p.first + i) + j, cols, to), to + kCols, T(0));
      L rest[kVectors];
      for (int v = 0; v < kVectors; ++v) rest[v] = L::load(to + v * L::count);
      for (int64_t k = 0; k < i; ++k)
        if (const T f = p.column(k)[i]; f != 0 && !p.skipped[k])
          for (int v = 0; v < kVectors; ++v)
            rest[v] = less_product(rest[v], L::all(f), L::load(u + k * kCols + v * L::count));
      for (int v = 0; v < kVectors; ++v) rest[v].store(to + v * L::count);
      std::copy_n(to, cols, row(p.first + i) + j);
    }
    for (int64_t i = p.columns; i < p.rows; i += kGroup) {
      const int64_t rows = std::min<int64_t>(kGroup, p.rows - i);
      T* const c = row(p.first + i) + j;
      if (rows < kGroup || p.skips || std::any_of(p.zeros + i, p.zeros + i + rows, [](T z) { return z != 0; })) {
        for (int64_t r = 0; r < rows; ++r) subtract_rows(p, i + r, u, cols, c + r * n);
      } else if (cols == kCols) {
        subtract_block<kGroup, kVectors>(p.columns, p.data + i, p.apart, u, c, n);
      } else {  // whole vectors would reach behind a row
        for (int64_t r = 0; r < rows; ++r) std::copy_n(c + r * n, cols, edge + r * kCols);
        subtract_block<kGroup, kVectors>(p.columns, p.data + i, p.apart, u, edge, kCols);
        for (int64_t r = 0; r < rows; ++r) std::copy_n(edge + r * kCols, cols, c + r * n);
      }
    }
  }

  /// c less the multiples of U's rows that are not 0.
  static void subtract_rows(const Panel<T>& p, int64_t i, const T* u, int64_t cols, T* c) {
    for (int64_t k = 0; k < p.columns; ++k)
      if (const T f = p.column(k)[i]; f != 0 && !p.skipped[k])
        for (int64_t j = 0; j < cols; ++j) c[j] -= f * u[k * kCols + j];
  }
};

/// While threads update what is right of a panel, the one that has updated the next panel's columns factors these.
template <class T>
int factor(T* a, int64_t* rows, int64_t n) {
  std::iota(rows, rows + n, int64_t(0));
  if (n == 0) return 1;
  const Factors<T> factors(a, n);
  constexpr int64_t kLine = 64 / sizeof(T);
  const int64_t apart = (n + kLine - 1) / kLine * kLine + kLine, panel_size = (kBlock + 1) * apart;
  const Scratch<T> memory(2 * panel_size, Device());
  Panel<T> panels[2];
  for (int i = 0; i < 2; ++i) {
    panels[i].data = memory + i * panel_size;
    panels[i].zeros = panels[i].data + kBlock * apart;
    panels[i].apart = apart;
  }
  factors.read(panels[0], 0);
  factor_panel(panels[0]);
  int sign = 1;
  for (int64_t first = 0, now = 0; first < n; first += kBlock, now ^= 1) {
    const Panel<T>& panel = panels[now];
    Panel<T>& next = panels[now ^ 1];
    for (int64_t j = 0; j < panel.columns; ++j)
      if (panel.pivots[j] != j) {
        std::swap(rows[first + j], rows[first + panel.pivots[j]]);
        sign = -sign;
      }
    const int64_t right = std::min(n, first + kBlock), after = std::min(n, right + kBlock);
    const int64_t tiles = (n - after + Factors<T>::tile() - 1) / Factors<T>::tile();
    const auto piece = [&](int64_t number) {
      if (number == 0) {
        if (right == n) return;
        factors.update(panel, right, after);
        factors.read(next, right);
        factor_panel(next);
      } else if (number <= tiles) {
        const int64_t begin = after + (number - 1) * Factors<T>::tile();
        factors.update(panel, begin, std::min(n, begin + Factors<T>::tile()));
      } else {
        factors.exchange(panel, 0, first);
        factors.write(panel);
      }
    };
    const int64_t pieces = tiles + 2;
    if (pieces_for(panel.rows * panel.columns * (n - first), kShared) > 1)
      for_pieces(int(pieces), piece);
    else
      for (int64_t number = 0; number < pieces; ++number) piece(number);
  }
  return sign;
}

}  // namespace

int float_lu(float* a, int64_t* rows, int64_t n) { return factor(a, rows, n); }
int double_lu(double* a, int64_t* rows, int64_t n) { return factor(a, rows, n); }

}  // namespace HWY_NAMESPACE
}  // namespace ordo::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ordo::kernels::cpu {

HWY_EXPORT(float_lu);
HWY_EXPORT(double_lu);

int blocked_lu(float* a, int64_t* rows, int64_t n) { return HWY_DYNAMIC_DISPATCH(float_lu)(a, rows, n); }
int blocked_lu(double* a, int64_t* rows, int64_t n) { return HWY_DYNAMIC_DISPATCH(double_lu)(a, rows, n); }

}  // namespace ordo::kernels::cpu
#endif
