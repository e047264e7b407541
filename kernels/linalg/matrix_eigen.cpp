// Decompositions by Eigen, on one thread. The order of its sums depends on the processor: its instruction set and
// caches.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC's own AVX-512 header, inlined here (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

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
int lu(T* a, int64_t* rows, int64_t n) {
  Eigen::Map<Rows<T>> m(a, n, n);
  const Eigen::PartialPivLU<Eigen::Ref<Rows<T>>> lu(m);
  const auto& places = lu.permutationP().indices();
  for (int64_t i = 0; i < n; ++i) rows[places[i]] = i;
  return int(lu.permutationP().determinant());
}

template <class T>
void solve(Triangle triangle, const T* a, T* x, int64_t n, int64_t k) {
  const Eigen::Map<const Rows<T>> m(a, n, n);
  Eigen::Map<Rows<T>> columns(x, n, k);
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
  return {cholesky<T>, lu<T>, solve<T>, qr<T>, ordered_matrix_algorithms<T>().svd};
}
template MatrixAlgorithms<float> library_matrix_algorithms();
template MatrixAlgorithms<double> library_matrix_algorithms();

}  // namespace ordo::kernels
