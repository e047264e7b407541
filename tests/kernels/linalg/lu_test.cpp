// LU has the bytes of rule 10's loops (docs/ordering.md), with any number of threads.
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <ordo/kernels/linalg/matrix.h>
#include "tests/support/op_samples.h"

namespace ordo::test::lu_test {
namespace {

template <class T>
struct Lu {
  std::vector<T> a;
  std::vector<int64_t> rows;
  int sign;
};

template <class T>
Lu<T> plain_lu(std::vector<T> a, int64_t n) {
  Lu<T> r{std::move(a), {}, 1};
  for (int64_t i = 0; i < n; ++i) r.rows.push_back(i);
  const auto at = [&](int64_t i, int64_t j) -> T& { return r.a[size_t(i * n + j)]; };
  for (int64_t k = 0; k < n; ++k) {
    int64_t p = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::abs(at(i, k)) > std::abs(at(p, k))) p = i;
    if (p != k) {
      for (int64_t j = 0; j < n; ++j) std::swap(at(k, j), at(p, j));
      std::swap(r.rows[size_t(k)], r.rows[size_t(p)]);
      r.sign = -r.sign;
    }
    if (at(k, k) == 0) continue;
    for (int64_t i = k + 1; i < n; ++i) {
      at(i, k) /= at(k, k);
      for (int64_t j = k + 1; j < n; ++j) at(i, j) = std::fma(-at(i, k), at(k, j), at(i, j));
    }
  }
  return r;
}

/// Equal bytes, but for the sign and the payload of a NaN.
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0 && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  return a.size() == b.size();
}

/// Matrices of every kind that takes a way of its own.
template <class T>
std::vector<T> matrix(int64_t n, const std::string& kind) {
  std::vector<T> a;
  for (const double v : test_mixed_values({n, n}, uint64_t(n)).template to_vector<double>()) a.push_back(T(v));
  const auto at = [&](int64_t i, int64_t j) -> T& { return a[size_t(i * n + j)]; };
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if (kind == "ties") at(i, j) = T((i * 7 + j * 13 + i * j) % 3 - 1);
      if (kind == "zeros" && (i + j) % 3 != 0) at(i, j) = 0;
      if (kind == "singular" && j > 0 && j % 5 == 0) at(i, j) = at(i, 0);
      if (kind == "zero columns" && j % 7 == 3) at(i, j) = 0;
    }
  if (kind == "nan") at(n / 2, n / 3) = std::numeric_limits<T>::quiet_NaN();
  if (kind == "infinity") at(n / 3, n / 2) = std::numeric_limits<T>::infinity();
  return a;
}

template <class T>
void compare() {
  for (const int64_t n : {0, 1, 2, 17, 80, 81, 96, 100, 131, 200})
    for (const char* kind : {"mixed", "ties", "zeros", "singular", "zero columns", "nan", "infinity"}) {
      if (n == 0 && kind != std::string("mixed")) continue;
      const std::vector<T> a = matrix<T>(n, kind);
      const Lu<T> expected = plain_lu(a, n);
      for (const int threads : {1, 2, 3}) {
        set_num_threads(threads);
        Lu<T> r{a, std::vector<int64_t>(size_t(n)), 0};
        r.sign = kernels::matrix::lu(r.a.data(), r.rows.data(), n);
        EXPECT_TRUE(same(r.a, expected.a)) << kind << " " << n << " " << threads;
        EXPECT_EQ(r.rows, expected.rows) << kind << " " << n << " " << threads;
        EXPECT_EQ(r.sign, expected.sign) << kind << " " << n << " " << threads;
      }
    }
  set_num_threads(2);
}

TEST(Lu, HasTheBytesOfPlainLoops) {
  compare<float>();
  compare<double>();
}

}  // namespace
}  // namespace ordo::test::lu_test
