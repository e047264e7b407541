// Highway includes this text once for each instruction set. Each value has its own sequence of fused multiply-subtracts,
// so neither vectors nor the order of columns change a bit.
#include <ordo/kernels/vectors/targets.h>  // before Highway's headers

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <ordo/kernels/linalg/blocks_cpu.cpp>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <ordo/kernels/linalg/blocks.h>
#include <ordo/kernels/vectors/lanes-inl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace ordo::kernels::cpu::HWY_NAMESPACE {
namespace {

using matrix::kBlock;

constexpr int64_t kWhole = 16;  // values of whole vectors, for all types and instruction sets
constexpr int64_t round_up(int64_t n) { return (n + kWhole - 1) / kWhole * kWhole; }

/// f[k] times the values from x[k] on, for each k < count.
template <class T>
struct Terms {
  int64_t count = 0;
  T f[kBlock];
  const T* x[kBlock];
  void push(T factor, const T* values) { f[count] = factor, x[count++] = values; }
};

/// y [n] -= each of the terms in turn, from `at` on; N vectors of y stay in registers. Returns where less is left.
template <int N, class T>
int64_t subtract_vectors(T* y, int64_t at, int64_t n, const Terms<T>& terms) {
  constexpr int64_t kCount = Lanes<T>::count;
  for (; at + N * kCount <= n; at += N * kCount) {
    Lanes<T> rest[N];
    for (int v = 0; v < N; ++v) rest[v] = Lanes<T>::load(y + at + v * kCount);
    for (int64_t k = 0; k < terms.count; ++k) {
      const Lanes<T> by = Lanes<T>::all(-terms.f[k]);
      const T* const x = terms.x[k] + at;
      for (int v = 0; v < N; ++v) rest[v] = Lanes<T>::fused(by, Lanes<T>::load(x + v * kCount), rest[v]);
    }
    for (int v = 0; v < N; ++v) rest[v].store(y + at + v * kCount);
  }
  return at;
}

template <class T>
void subtract(T* y, int64_t n, const Terms<T>& terms) {
  const int64_t at = subtract_vectors<1>(y, subtract_vectors<8>(y, 0, n, terms), n, terms);
  for (int64_t k = 0; k < terms.count; ++k)
    for (int64_t i = at; i < n; ++i) y[i] = std::fma(-terms.f[k], terms.x[k][i], y[i]);
}

/// y [n] /= by, in whole vectors.
template <class T>
void divide(T* y, int64_t n, T by) {
  for (int64_t i = 0; i < n; i += Lanes<T>::count)
    Lanes<T>(hn::Div(Lanes<T>::load(y + i).v, Lanes<T>::all(by).v)).store(y + i);
}

/// Where the first of the largest magnitudes is; 0 where the first value is NaN. Other NaNs do not count. Zeros follow.
template <class T>
int64_t find_largest(const T* values, int64_t n) {
  const typename Lanes<T>::Tag d;
  auto largest = hn::Abs(hn::Set(d, values[0]));
  for (int64_t i = 0; i < n; i += Lanes<T>::count) {
    const auto size = hn::Abs(hn::LoadU(d, values + i));
    largest = hn::IfThenElse(hn::Gt(size, largest), size, largest);
  }
  const auto most = hn::MaxOfLanes(d, largest);
  for (int64_t i = 0; i < n; i += Lanes<T>::count) {
    const auto found = hn::FindFirstTrue(d, hn::Eq(hn::Abs(hn::LoadU(d, values + i)), most));
    if (found >= 0) return i + found;
  }
  return 0;
}

constexpr int64_t kColumns = 16;  // eliminated before what is right of them in the block

/// A copy of rows of kColumns values each, which lie in many sets of a cache where those of a matrix can lie in few.
template <class T>
class Panel {
 public:
  Panel(T* a, int64_t n, int64_t first, int64_t size)
      : corner_(a + first * n + first),
        n_(n),
        height_(n - first),
        size_(size),
        values_(size_t(height_ * kColumns)),
        column_(size_t(round_up(height_ + kWhole))) {
    for (int64_t r = 0; r < height_; ++r) copy(corner_ + r * n, (*this)[r]);
  }
  ~Panel() {
    for (int64_t r = 0; r < height_; ++r) copy((*this)[r], corner_ + r * n_);
  }
  Panel(const Panel&) = delete;
  Panel& operator=(const Panel&) = delete;

  T* operator[](int64_t row) { return values_.data() + row * kColumns; }
  void swap(int64_t i, int64_t j) {
    T x[kColumns], y[kColumns];  // in registers
    std::memcpy(x, (*this)[i], sizeof x);
    std::memcpy(y, (*this)[j], sizeof y);
    std::memcpy((*this)[i], y, sizeof y);
    std::memcpy((*this)[j], x, sizeof x);
  }
  /// A copy of column k from row k on; zeros follow.
  T* column(int64_t k) {
    for (int64_t r = k; r < height_; ++r) column_[size_t(r)] = (*this)[r][k];
    return column_.data() + k;
  }
  /// Puts column[1], column[2], ... into column k below row k. Subtracts their products with u from the columns after it.
  void eliminate(int64_t k, T* column, const T* u) {
    const int64_t rows = height_ - k - 1;
    constexpr int64_t kCount = Lanes<T>::count;
    const typename Lanes<T>::Tag d;
    for (int64_t at = k / kCount * kCount; at < size_; at += kCount) {
      const auto before = hn::FirstN(d, size_t(std::max<int64_t>(0, k - at)));
      const auto done = hn::FirstN(d, size_t(std::max<int64_t>(0, k + 1 - at)));
      const Lanes<T> by = Lanes<T>::load(u + at);
      T* to = (*this)[k + 1] + at;
      for (int64_t r = 0; r < rows; ++r, to += kColumns) {
        const Lanes<T> old = Lanes<T>::load(to), factor = Lanes<T>::all(column[1 + r]);
        const Lanes<T> rest = Lanes<T>::fused(Lanes<T>::all(-column[1 + r]), by, old);
        Lanes<T>(hn::IfThenElse(done, hn::IfThenElse(before, old.v, factor.v), rest.v)).store(to);
      }
    }
  }

 private:
  void copy(const T* from, T* to) const {
    if (size_ == kColumns) return void(std::memcpy(to, from, sizeof(T) * kColumns));  // in registers
    std::copy_n(from, size_, to);
  }

  T* corner_;
  int64_t n_, height_, size_;
  std::vector<T> values_, column_;
};

/// In rows [from, n), subtracts from `rest` columns the products of column k before them and row u[k], for each k of
/// `which` that is left of the diagonal.
template <class T>
void subtract_columns(T* a, int64_t n, int64_t begin, int64_t count, int64_t rest, int64_t from, const T* u,
                      int64_t apart, unsigned which) {
  if (rest == 0) return;
  for (int64_t r = from; r < n; ++r) {
    Terms<T> terms;
    for (int64_t k = 0; k < std::min(count, r - begin); ++k)
      if (which >> k & 1) terms.push(a[r * n + begin + k], u + k * apart);
    subtract(a + r * n + begin + count, rest, terms);
  }
}

/// Columns [begin, begin + count). Returns, as bits, those whose pivot is not 0.
template <class T>
unsigned lu_columns(T* a, int64_t n, int64_t begin, int64_t count, int64_t* swaps) {
  Panel<T> panel(a, n, begin, count);
  unsigned which = 0;
  for (int64_t k = 0; k < count; ++k) {
    T* const column = panel.column(k);
    const int64_t p = swaps[k] = find_largest(column, n - begin - k);
    panel.swap(k, k + p);
    const T moved = column[0], pivot = column[p];
    if (pivot == 0) continue;
    divide(column + 1, round_up(n - begin - k - 1), pivot);
    column[p] = moved / pivot;
    panel.eliminate(k, column, panel[k]);
    which |= 1u << k;
  }
  return which;
}

template <class T>
void lu(T* a, int64_t n, int64_t first, int64_t size, int64_t* swaps) {
  for (int64_t begin = first, end = first + size; begin < end; begin += kColumns) {
    const int64_t count = std::min(kColumns, end - begin), next = begin + count;
    int64_t* const swapped = swaps + begin - first;
    const unsigned which = lu_columns(a, n, begin, count, swapped);
    for (int64_t k = 0; k < count && count < size; ++k) {
      T *const x = a + (begin + k) * n, *const y = x + swapped[k] * n;
      if (x == y) continue;
      std::swap_ranges(x + first, x + begin, y + first);
      std::swap_ranges(x + next, x + end, y + next);
    }
    subtract_columns(a, n, begin, count, end - next, begin + 1, a + begin * n + next, n, which);
  }
}

template <class T>
bool cholesky_columns(T* a, int64_t n, int64_t begin, int64_t count) {
  Panel<T> panel(a, n, begin, count);
  for (int64_t k = 0; k < count; ++k) {
    T* const column = panel.column(k);
    if (!(column[0] > 0)) return false;
    panel[k][k] = column[0] = std::sqrt(column[0]);
    divide(column + 1, round_up(n - begin - k - 1), column[0]);
    T row[kColumns] = {};
    std::copy(column + 1, column + count - k, row + k + 1);
    panel.eliminate(k, column, row);
  }
  return true;
}

template <class T>
bool cholesky(T* a, int64_t n, int64_t first, int64_t size) {
  for (int64_t begin = first, end = first + size; begin < end; begin += kColumns) {
    const int64_t count = std::min(kColumns, end - begin), next = begin + count, rest = end - next;
    if (!cholesky_columns(a, n, begin, count)) return false;
    T rows[kColumns][kColumns];
    for (int64_t c = 0; c < rest; ++c)
      for (int64_t k = 0; k < count; ++k) rows[k][c] = a[(next + c) * n + begin + k];
    subtract_columns(a, n, begin, count, rest, next, rows[0], kColumns, ~0u);
  }
  return true;
}

template <class T>
void solve(const MatrixView& t, T* x, int64_t apart, int64_t size, int64_t k, bool up, bool unit) {
  for (int64_t step = 0; step < size; ++step) {
    const int64_t i = up ? size - 1 - step : step;
    Terms<T> known;
    for (int64_t s = 0; s < step; ++s) {
      const int64_t j = up ? size - 1 - s : s;
      known.push(*t.at<T>(0, i, j), x + j * apart);
    }
    T* const row = x + i * apart;
    subtract(row, k, known);
    if (!unit)
      for (int64_t c = 0; c < k; ++c) row[c] /= *t.at<T>(0, i, i);
  }
}

matrix::BlockSteps<float> float_steps() { return {lu<float>, cholesky<float>, solve<float>}; }
matrix::BlockSteps<double> double_steps() { return {lu<double>, cholesky<double>, solve<double>}; }

}  // namespace
}  // namespace ordo::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ordo::kernels {
namespace cpu {
HWY_EXPORT(float_steps);
HWY_EXPORT(double_steps);
}  // namespace cpu
template <>
matrix::BlockSteps<float> matrix::block_steps() {
  return HWY_DYNAMIC_DISPATCH(cpu::float_steps)();
}
template <>
matrix::BlockSteps<double> matrix::block_steps() {
  return HWY_DYNAMIC_DISPATCH(cpu::double_steps)();
}
}  // namespace ordo::kernels
#endif
