// Decompositions in blocks have the bytes of rule 10's loops (docs/ordering.md), with any number of threads and
// any instruction set.
#include <cstring>
#include <utility>

#include <ordo/kernels/linalg/matrix.h>
#include <ordo/kernels/vectors/vector_targets.h>
#include "tests/kernels/samples.h"

namespace ordo::test::lu_test {
namespace {

template <class T>
struct Lu {
  std::vector<T> a;
  std::vector<int64_t> rows;
  int sign;
};

constexpr int64_t kBlock = 32;

/// The rows of the block before column k become U's. Then of what is left from row and column k on: the product of the
/// block's columns with these rows, by rule 3.
template <class T>
void finish_block(std::vector<T>& a, int64_t n, int64_t k) {
  for (int64_t p = k - kBlock; p < k; ++p)
    for (int64_t i = p + 1; i < k; ++i)
      for (int64_t j = k; j < n; ++j)
        a[size_t(i * n + j)] = std::fma(-a[size_t(i * n + p)], a[size_t(p * n + j)], a[size_t(i * n + j)]);
  for (int64_t i = k; i < n; ++i)
    for (int64_t j = k; j < n; ++j) {
      T sum = 0;
      for (int64_t p = k - kBlock; p < k; ++p) sum = std::fma(a[size_t(i * n + p)], a[size_t(p * n + j)], sum);
      a[size_t(i * n + j)] -= sum;
    }
}

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
    const int64_t end = std::min(n, (k / kBlock + 1) * kBlock);
    for (int64_t i = k + 1; i < n && at(k, k) != 0; ++i) {
      at(i, k) /= at(k, k);
      for (int64_t j = k + 1; j < end; ++j) at(i, j) = std::fma(-at(i, k), at(k, j), at(i, j));
    }
    if (k + 1 == end && end < n) finish_block(r.a, n, end);
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
  for (const int64_t n : {0, 1, 2, 16, 17, 33, 48, 80, 81, 96, 100, 131, 200})
    for (const char* kind : {"mixed", "ties", "zeros", "singular", "zero columns", "nan", "infinity"}) {
      if (n == 0 && kind != std::string("mixed")) continue;
      const std::vector<T> a = matrix<T>(n, kind);
      const Lu<T> expected = plain_lu(a, n);
      const auto expect_same = [&](const std::string& how) {
        Lu<T> r{a, std::vector<int64_t>(size_t(n)), 0};
        r.sign = kernels::matrix::lu(r.a.data(), r.rows.data(), n);
        EXPECT_TRUE(same(r.a, expected.a) && r.rows == expected.rows && r.sign == expected.sign)
            << kind << " " << n << " " << how;
      };
      for (const int threads : {1, 3, 2}) set_num_threads(threads), expect_same(std::to_string(threads));
      for (const std::string& target : kernels::cpu::vector_targets())
        kernels::cpu::use_vector_target(target), expect_same(target);
      kernels::cpu::use_vector_target("");
    }
}

TEST(Lu, HasTheBytesOfPlainLoops) {
  compare<float>();
  compare<double>();
}

TEST(Triangles, AreSolvedInBlocksAndEachRightSideAsAlone) {
  using enum kernels::matrix::Triangle;
  const int64_t n = 75, k = 19;
  std::vector<float> a = test_values({n, n}, 3).to(float32).to_vector<float>();
  for (float& element : a) element /= 16;
  for (int64_t i = 0; i < n; ++i) a[size_t(i * n + i)] += 1.5f;
  const auto right = test_values({n, k}, 5).to(float32).to_vector<float>();
  for (const auto triangle :
       {lower, unit_lower, upper, unit_upper, unit_lower_transposed, upper_transposed, lower_transposed}) {
    const bool transposed = triangle >= unit_lower_transposed;
    const bool unit = triangle == unit_lower || triangle == unit_upper || triangle == unit_lower_transposed;
    const bool up = triangle == upper || triangle == unit_upper || triangle == unit_lower_transposed ||
                    triangle == lower_transposed;
    const auto t = [&](int64_t i, int64_t j) { return transposed ? a[size_t(j * n + i)] : a[size_t(i * n + j)]; };
    std::vector<float> whole = right;
    kernels::matrix::solve(triangle, a.data(), whole.data(), n, k);
    for (int64_t c = 0; c < k; ++c) {
      std::vector<float> x, alone;
      for (int64_t i = 0; i < n; ++i) x.push_back(right[size_t(i * k + c)]);
      alone = x;
      const auto place = [&](int64_t step) { return up ? n - 1 - step : step; };
      for (int64_t done = 0; done < n; done += kBlock) {
        const int64_t end = std::min(n, done + kBlock);
        for (int64_t s = done; s < end; ++s) {
          float& known = x[size_t(place(s))];
          if (!unit) known /= t(place(s), place(s));
          for (int64_t r = s + 1; r < end; ++r)
            x[size_t(place(r))] = std::fma(-t(place(r), place(s)), known, x[size_t(place(r))]);
        }
        for (int64_t r = end; r < n; ++r) {
          float sum = 0;  // by rule 3, in ascending order of columns
          for (int64_t s = 0; s < end - done; ++s) {
            const int64_t i = up ? place(end - 1) + s : done + s;
            sum = std::fma(t(place(r), i), x[size_t(i)], sum);
          }
          x[size_t(place(r))] -= sum;
        }
      }
      kernels::matrix::solve(triangle, a.data(), alone.data(), n, 1);
      for (int64_t i = 0; i < n; ++i) {
        EXPECT_EQ(x[size_t(i)], whole[size_t(i * k + c)]) << int(triangle) << " row " << i << " of side " << c;
        EXPECT_EQ(alone[size_t(i)], whole[size_t(i * k + c)]) << int(triangle) << " row " << i << " of side " << c;
      }
    }
  }
}

TEST(Cholesky, HasTheBytesOfPlainLoops) {
  const int64_t n = 170;
  const std::vector<double> half = matrix<double>(n, "mixed");
  std::vector<double> a(size_t(n * n));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t p = 0; p < n; ++p) a[size_t(i * n + j)] += half[size_t(i * n + p)] * half[size_t(j * n + p)];
  for (int64_t i = 0; i < n; ++i) a[size_t(i * n + i)] += 1 + a[size_t(i * n + i)];
  std::vector<double> l = a;
  const auto at = [&](int64_t i, int64_t j) -> double& { return l[size_t(i * n + j)]; };
  for (int64_t k = 0; k < n; ++k) {
    if (k > 0 && k % kBlock == 0)
      for (int64_t i = k; i < n; ++i)
        for (int64_t j = k; j <= i; ++j) {
          double sum = 0;
          for (int64_t p = k - kBlock; p < k; ++p) sum = std::fma(at(i, p), at(j, p), sum);
          at(i, j) -= sum;
        }
    at(k, k) = std::sqrt(at(k, k));
    const int64_t end = std::min(n, (k / kBlock + 1) * kBlock);
    for (int64_t i = k + 1; i < n; ++i) at(i, k) /= at(k, k);
    for (int64_t j = k + 1; j < end; ++j)
      for (int64_t i = j; i < n; ++i) at(i, j) = std::fma(-at(j, k), at(i, k), at(i, j));
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) at(i, j) = 0;
  ASSERT_TRUE(kernels::matrix::cholesky(a.data(), n));
  EXPECT_TRUE(same(a, l));
}

}  // namespace
}  // namespace ordo::test::lu_test
