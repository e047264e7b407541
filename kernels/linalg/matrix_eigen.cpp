// Decompositions by Eigen. The order of its sums depends on the processor: its instruction set and
// caches.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC's own AVX-512 header, inlined here (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <ordo/engine/parallel.h>
#include <ordo/kernels/linalg/matrix.h>

namespace ordo::kernels {
namespace {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

template <class T>
bool cholesky(T* a, int64_t n) {
  // Eigen is quicker by columns, which makes the upper triangle of the rows.
  for_pairs(a, n, [](T& above, T& below) { above = below; });
  Eigen::Map<Columns<T>> m(a, n, n);
  const Eigen::LLT<Eigen::Ref<Columns<T>>> llt(m);
  if (llt.info() != Eigen::Success) return false;
  for_pairs(a, n, [](T& above, T& below) { below = above; });
  for (int64_t i = 0; i < n; ++i) {
    if (!(a[i * n + i] > 0)) return false;  // NaN
    for (int64_t j = i + 1; j < n; ++j) a[i * n + j] = 0;
  }
  return true;
}

template <class T>
void solve_columns(Triangle triangle, const T* a, T* x, int64_t n, int64_t k, int64_t row) {
  const Eigen::Map<const Rows<T>> m(a, n, n);
  Eigen::Map<Rows<T>, 0, Eigen::OuterStride<>> columns(x, n, k, Eigen::OuterStride<>(row));
  switch (triangle) {
    case Triangle::unit_lower:
      return m.template triangularView<Eigen::UnitLower>().solveInPlace(columns);
    case Triangle::upper:
      return m.template triangularView<Eigen::Upper>().solveInPlace(columns);
    case Triangle::unit_lower_transposed:
      return m.transpose().template triangularView<Eigen::UnitUpper>().solveInPlace(columns);
    case Triangle::upper_transposed:
      return m.transpose().template triangularView<Eigen::Lower>().solveInPlace(columns);
    case Triangle::lower_transposed:
      return m.transpose().template triangularView<Eigen::Upper>().solveInPlace(columns);
  }
}

/// Threads share the right sides. What one of them computes together depends on sizes only, because Eigen's order does.
template <class T>
void solve(Triangle triangle, const T* a, T* x, int64_t n, int64_t k) {
  constexpr int64_t kLeast = 32, kMost = 128, kShares = 4;
  if (k < 2 * kLeast) return solve_columns(triangle, a, x, n, k, k);
  const int64_t width = std::clamp((k / kShares + kLeast - 1) / kLeast * kLeast, kLeast, kMost);
  const int64_t shares = (k + width - 1) / width;
  parallel_for(0, shares, 100'000 / (n * n * width) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t share = begin; share < end; ++share) {
      const int64_t first = share * width;
      solve_columns(triangle, a, x + first, n, std::min(width, k - first), k);
    }
  });
}

template <class T>
void qr(T* columns, T* r, int64_t m, int64_t n) {
  Eigen::Map<Columns<T>> a(columns, m, n);
  Eigen::HouseholderQR<Eigen::Ref<Columns<T>>> qr(a);
  Eigen::Map<Rows<T>>(r, n, n) = Columns<T>(a.topRows(n).template triangularView<Eigen::Upper>());
  const Columns<T> q = qr.householderQ() * Columns<T>::Identity(m, n);
  a = q;
}

}  // namespace

template <class T>
MatrixAlgorithms<T> library_matrix_algorithms() {
  const MatrixAlgorithms<T> ordered = ordered_matrix_algorithms<T>();
  return {cholesky<T>, ordered.lu, solve<T>, qr<T>, ordered.svd};
}
template MatrixAlgorithms<float> library_matrix_algorithms();
template MatrixAlgorithms<double> library_matrix_algorithms();

}  // namespace ordo::kernels
