// LU in the order of rule 10 (docs/ordering.md): from each element the multiples of the rows above are subtracted in
// ascending order by fused multiply-adds, whichever block, thread or lane of a vector does it. Compiled once for each
// instruction set, as kernels/matmul/gemm_cpu.cpp is.
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
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace ordo::kernels::cpu {
namespace HWY_NAMESPACE {
namespace {

constexpr int64_t kBlock = 32;                        // columns of a panel
constexpr int64_t kInner = 8;                         // of them that are subtracted from the panel's others at once
constexpr int kGroup = ORDO_MANY_REGISTERS ? 12 : 5;  // rows whose differences stay in registers,
constexpr int kVectors = 2;                           // with this many vectors of columns
constexpr int64_t kFewRows = 80;                      // of a matrix for which blocks would cost more
constexpr int64_t kShared = 100'000;                  // products that are worth a thread

/// y - f u, rounded once.
template <class T>
HWY_INLINE Lanes<T> less_multiple(Lanes<T> y, Lanes<T> f, Lanes<T> u) {
  return Lanes<T>::fused(f, Lanes<T>(hn::Neg(u.v)), y);
}
template <class T>
HWY_INLINE T less_multiple(T y, T f, T u) {
  return std::fma(f, -u, y);
}

/// Columns of a matrix from its row `first` on, each contiguous.
template <class T>
struct Panel {
  T* data;  // [columns][apart]
  int64_t apart, first, rows, columns;
  int64_t* pivots;       // column j exchanges rows j and pivots[j] of the panel
  bool skipped[kBlock];  // columns whose pivot is 0
  bool skips;            // a column is skipped
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
      if (!p.skipped[k]) y[i] = less_multiple(y[i], p.column(k)[i], y[k]);
}

/// The factors of the panel's columns, all other columns left of which have been dealt with.
template <class T>
void factor_panel(Panel<T>& p) {
  using L = Lanes<T>;
  p.skips = false;
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
          if (!p.skipped[k]) y[i] = less_multiple(y[i], p.column(k)[i], y[k]);
      subtract_columns(p, j0, j1, j1, c);
    }
  }
}

/// c less the multiple of u.
template <class T>
void subtract_row(T* HWY_RESTRICT c, T f, const T* HWY_RESTRICT u, int64_t cols) {
  using L = Lanes<T>;
  int64_t j = 0;
  for (; j + L::count <= cols; j += L::count) less_multiple(L::load(c + j), L::all(f), L::load(u + j)).store(c + j);
  for (; j < cols; ++j) c[j] = less_multiple(c[j], f, u[j]);
}

/// Row by row: for small matrices.
template <class T>
int factor_rows(T* a, int64_t* rows, int64_t n) {
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
    const T pivot = a[k * n + k];
    if (pivot == 0) continue;
    for (int64_t i = k + 1; i < n; ++i) {
      const T f = a[i * n + k] /= pivot;
      subtract_row(a + i * n + k + 1, f, a + k * n + k + 1, n - k - 1);
    }
  }
  return sign;
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
    for (int v = 0; v < V; ++v) columns[v].v = hn::Neg(L::load(u + v * L::count).v);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const L f = L::all(l[r]);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) rest[r][v] = L::fused(f, columns[v], rest[r][v]);
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
  T* const a;
  const int64_t n;
  std::vector<int64_t> pivots_;  // of each column, counted from the first row of its panel

 public:
  Factors(T* matrix, int64_t size) : a(matrix), n(size), pivots_(size_t(size)) {}

  int64_t end(int64_t first) const { return std::min(n, first + kBlock); }

  /// Factors the columns from `first` on.
  void factor(Panel<T>& p, int64_t first) {
    p.first = first;
    p.rows = n - first;
    p.columns = end(first) - first;
    p.pivots = &pivots_[size_t(first)];
    T* const from = row(first) + first;
    copy_matrix(from, 1, n, p.columns, p.rows, p.data, p.apart);
    factor_panel(p);
    copy_matrix(p.data, 1, p.apart, p.rows, p.columns, from, n);
  }

  /// What the panel does to a block of columns on its right.
  void update(const Panel<T>& p, int64_t first) {
    exchange(p.first, first);
    for (int64_t j = first; j < end(first); j += kCols) update_columns(p, j, std::min(kCols, end(first) - j));
  }

  /// Exchanges rows of a block of columns as a panel's columns do.
  void exchange(int64_t panel, int64_t first) {
    const int64_t width = end(first) - first;
    for (int64_t j = panel; j < end(panel); ++j)
      if (const int64_t with = panel + pivots_[size_t(j)]; with != j)
        std::swap_ranges(row(j) + first, row(j) + first + width, row(with) + first);
  }

  /// The order of the rows, and its sign.
  int order(int64_t* rows) const {
    int sign = 1;
    std::iota(rows, rows + n, int64_t(0));
    for (int64_t j = 0; j < n; ++j)
      if (const int64_t with = j / kBlock * kBlock + pivots_[size_t(j)]; with != j) {
        std::swap(rows[j], rows[with]);
        sign = -sign;
      }
    return sign;
  }

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
        if (!p.skipped[k])
          for (int v = 0; v < kVectors; ++v)
            rest[v] = less_multiple(rest[v], L::all(p.column(k)[i]), L::load(u + k * kCols + v * L::count));
      for (int v = 0; v < kVectors; ++v) rest[v].store(to + v * L::count);
      std::copy_n(to, cols, row(p.first + i) + j);
    }
    for (int64_t i = p.columns; i < p.rows; i += kGroup) {
      const int64_t rows = std::min<int64_t>(kGroup, p.rows - i);
      T* const c = row(p.first + i) + j;
      if (rows < kGroup || p.skips) {
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

  /// c less the multiples of U's rows.
  static void subtract_rows(const Panel<T>& p, int64_t i, const T* u, int64_t cols, T* c) {
    for (int64_t k = 0; k < p.columns; ++k)
      if (!p.skipped[k]) subtract_row(c, p.column(k)[i], u + k * kCols, cols);
  }
};

/// Threads update blocks of columns, the same ones again and again as long as each has enough of them, for their
/// caches. The one that has updated the next panel factors it at once.
template <class T>
int factor(T* a, int64_t* rows, int64_t n) {
  if (n <= kFewRows) return factor_rows(a, rows, n);
  constexpr int64_t kLine = 64 / sizeof(T);
  const int64_t apart = (n + kLine - 1) / kLine * kLine + kLine, panel_size = kBlock * apart;
  const Scratch<T> memory(2 * panel_size, Device());
  Panel<T> panels[2];
  for (int i = 0; i < 2; ++i) {
    panels[i].data = memory + i * panel_size;
    panels[i].apart = apart;
  }
  Factors<T> factors(a, n);
  factors.factor(panels[0], 0);
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  for (int64_t block = 0; block + 1 < blocks; ++block) {
    const Panel<T>& panel = panels[block % 2];
    Panel<T>& next = panels[(block + 1) % 2];
    const int64_t left = (blocks - block - 1) * kBlock;
    const int pieces = pieces_for(left * left * kBlock, kShared);
    std::vector<std::atomic<int64_t>> done(static_cast<size_t>(pieces));  // of a thread's blocks
    for_pieces(pieces, [&](int piece) {
      for (int i = 0; i < pieces; ++i) {
        const int owner = (piece + i) % pieces;
        const int64_t own = block + 1 + (owner + pieces - (block + 1) % pieces) % pieces;  // its first one
        for (int64_t b; (b = own + done[size_t(owner)].fetch_add(1, std::memory_order_relaxed) * pieces) < blocks;) {
          factors.update(panel, b * kBlock);
          if (b == block + 1) factors.factor(next, b * kBlock);
        }
      }
    });
  }
  parallel_for(0, blocks, kShared / (n * kBlock + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block)
      for (int64_t panel = block + 1; panel < blocks; ++panel) factors.exchange(panel * kBlock, block * kBlock);
  });
  return factors.order(rows);
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

int lu(float* a, int64_t* rows, int64_t n) { return HWY_DYNAMIC_DISPATCH(float_lu)(a, rows, n); }
int lu(double* a, int64_t* rows, int64_t n) { return HWY_DYNAMIC_DISPATCH(double_lu)(a, rows, n); }

}  // namespace ordo::kernels::cpu
#endif
