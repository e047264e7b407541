// cholesky, solve, inverse, det, slogdet, qr, svd, svd_lowrank: samples for the registry-driven tests, and what samples
// cannot say. The samples' matrices are made regular first, whatever the tests make of their inputs.
#include "tests/kernels/linalg/elimination.h"
#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::linalg_samples_test {
namespace {

/// Matrices, with what is not one left as it is, for the operation to refuse.
bool is_matrix(const Tensor& t) { return t.defined() && is_floating(t.dtype()) && t.dim() >= 2; }

/// 6 + 3 i at [i, i], 0 elsewhere.
Tensor ramp(const Tensor& t) {
  const int64_t m = t.size(-2), n = t.size(-1);
  std::vector<double> values(size_t(m * n));
  for (int64_t i = 0; i < std::min(m, n); ++i) values[size_t(i * n + i)] = 6 + 3 * double(i);
  return from_vector(values, {m, n}, t.options());
}
/// Regular, with singular values that differ.
Tensor regular(const Tensor& t) { return is_matrix(t) ? t + ramp(t) : t; }

/// Matrix i of t, and f of each, one after the other.
Matrix one_of(const Tensor& t, int64_t i) {
  const int64_t size = t.size(-2) * t.size(-1);
  const auto all = t.to_vector<double>();
  const int64_t at = i * size % std::max<int64_t>(1, t.numel());
  return {all.begin() + at, all.begin() + at + size};
}
int64_t matrices_in(const Tensor& t) {
  const int64_t size = t.size(-2) * t.size(-1);
  return size ? t.numel() / size : 0;
}
template <class F>
Matrix for_each_of(int64_t count, const F& f) {
  Matrix out;
  for (int64_t i = 0; i < count; ++i) {
    const Matrix one = f(i);
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

/// About n elements in square matrices.
int64_t side(int64_t n) { return std::min<int64_t>(n, 33); }
Dims squares(int64_t n) { return {(n + side(n) * side(n) - 1) / (side(n) * side(n)), side(n), side(n)}; }

/// The largest |a - b|.
double apart(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  return a.numel() ? max(abs(a - b)).item() : 0;
}

Tensor positive(const Tensor& t) {
  if (!is_matrix(t) || t.size(-1) != t.size(-2)) return t;
  return (t + t.transpose(-2, -1)) * 0.25 + ramp(t);
}

Matrix factor(const Matrix& a, int64_t n) {
  Matrix l(a.size());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      double sum = a[size_t(i * n + j)];
      for (int64_t k = 0; k < j; ++k) sum -= l[size_t(i * n + k)] * l[size_t(j * n + k)];
      l[size_t(i * n + j)] = i == j ? std::sqrt(sum) : sum / l[size_t(j * n + j)];
    }
  return l;
}

Sample of_one(const char* label, const Dims& sizes, Tensor (*prepare)(const Tensor&), Tensor (*f)(const Tensor&),
              Matrix (*reference)(const Matrix& a, int64_t n)) {
  const int64_t n = sizes.back();
  return {.label = label,
          .inputs = {test_values(sizes, 1)},
          .run = [=](const TensorList& in) { return f(prepare(in[0])); },
          .reference =
              [=](const TensorList& in) {
                const Tensor a = prepare(in[0]);
                return for_each_of(matrices_in(a), [&](int64_t i) { return reference(one_of(a, i), n); });
              },
          .gradient = n <= 4 && sizes.product() < 40,
          .tolerance = 16.0 + 4 * double(n)};
}

Matrix inverse_of(const Matrix& a, int64_t n) { return solved(a, unit_matrix(n), n, n); }
Matrix det_of(const Matrix& a, int64_t n) {
  Matrix none;
  return {eliminate(a, none, n, 0)};
}
Matrix log_det_of(const Matrix& a, int64_t n) { return {std::log(std::abs(det_of(a, n)[0]))}; }
Tensor logabsdet(const Tensor& a) { return slogdet(a).logabsdet; }
Sample cholesky_sample(const char* label, const Dims& sizes) {
  return of_one(label, sizes, positive, cholesky, factor);
}
Sample inverse_sample(const char* label, const Dims& sizes) {
  return of_one(label, sizes, regular, inverse, inverse_of);
}
Sample det_sample(const char* label, const Dims& sizes) { return of_one(label, sizes, regular, det, det_of); }
Sample slogdet_sample(const char* label, const Dims& sizes) {
  return of_one(label, sizes, regular, logabsdet, log_det_of);
}
std::vector<Sample> square_samples(Sample (*make)(const char*, const Dims&), const Dims& batch, int64_t larger) {
  return {make("one", {1, 1}), make("small", {3, 3}), make("batch", batch), make("none", {0, 3, 3}),
          make("larger", {larger, larger})};
}

Sample solve_sample(const char* label, const Dims& a, const Dims& b) {
  Sample s = new_sample(label, {test_values(a, 1), test_values(b, 2)});
  s.run = [](const TensorList& in) { return solve(regular(in[0]), in[1]); };
  s.reference = [](const TensorList& in) {
    const Tensor a = regular(in[0]);
    const bool vectors = in[1].dim() == 1 || in[1].sizes() == Dims(a.sizes().begin(), a.dim() - 1);
    const Tensor b = vectors ? in[1].unsqueeze(-1) : in[1];
    const int64_t n = a.size(-1), k = b.size(-1);
    return for_each_of(std::max(matrices_in(a), matrices_in(b)),
                       [&](int64_t i) { return solved(one_of(a, i), one_of(b, i), n, k); });
  };
  s.gradient = a.back() <= 4 && a.product() < 40;
  s.tolerance = 16.0 + 4 * double(a.back());
  return s;
}

/// `f` gives a tensor that is the matrix again, from all the factors.
Sample again_sample(const char* label, const Dims& sizes, const std::function<Tensor(const Tensor&)>& f) {
  Sample s = new_sample(label, {test_values(sizes, 1)});
  s.run = [f](const TensorList& in) { return f(regular(in[0])); };
  s.gradient = sizes.product() <= 24;
  s.tolerance = 64;
  return s;
}
Tensor q_of(const Tensor& a) { return qr(a).Q; }
Tensor r_of(const Tensor& a) { return qr(a).R; }
Tensor u_of(const Tensor& a) { return svd(a).U; }
Tensor s_of(const Tensor& a) { return svd(a).S; }
Tensor vh_of(const Tensor& a) { return svd(a).Vh; }
Tensor lowrank_of(const Tensor& a) {
  Generator generator(7);
  const SvdLowrankResult r = svd_lowrank(a, 2, 1, &generator);
  return r.S;
}

ORDO_OP_SAMPLES(cholesky) { return square_samples(cholesky_sample, {2, 2, 3, 3}, 40); }
ORDO_OP_SAMPLES(inverse) { return square_samples(inverse_sample, {2, 2, 3, 3}, 40); }
ORDO_OP_SAMPLES(det) { return square_samples(det_sample, {2, 3, 3}, 12); }
ORDO_OP_SAMPLES(slogdet) { return square_samples(slogdet_sample, {2, 3, 3}, 40); }
ORDO_OP_SAMPLES(solve) {
  return {solve_sample("small", {3, 3}, {3, 2}),
          solve_sample("vector", {3, 3}, {3}),
          solve_sample("vectors", {2, 3, 3}, {2, 3}),
          solve_sample("shared matrix", {3, 3}, {2, 3, 2}),
          solve_sample("shared right side", {2, 3, 3}, {3, 2}),
          solve_sample("larger", {40, 40}, {40, 5})};
}
ORDO_OP_SAMPLES(qr) {
  return {again_sample("Q", {3, 3}, q_of),       again_sample("R", {3, 3}, r_of),
          again_sample("tall Q", {5, 3}, q_of),  again_sample("tall R", {2, 4, 2}, r_of),
          again_sample("wide Q", {2, 4}, q_of),  again_sample("wide R", {2, 2, 3}, r_of),
          again_sample("none", {0, 3, 2}, q_of), again_sample("larger", {50, 40}, r_of)};
}
ORDO_OP_SAMPLES(svd) {
  return {again_sample("U", {3, 3}, u_of),           again_sample("S", {3, 3}, s_of),
          again_sample("Vh", {3, 3}, vh_of),         again_sample("tall U", {5, 3}, u_of),
          again_sample("tall Vh", {4, 2}, vh_of),    again_sample("wide U", {2, 4}, u_of),
          again_sample("wide Vh", {2, 2, 3}, vh_of), again_sample("none", {0, 3, 2}, s_of),
          again_sample("larger", {40, 30}, s_of)};
}
ORDO_OP_SAMPLES(svd_lowrank) {
  Sample exact = again_sample("rank 2", {2, 5}, lowrank_of), batches = again_sample("batch", {3, 4, 2}, lowrank_of);
  return {exact, batches};
}

ORDO_OP_SIZES(cholesky) { return {cholesky_sample("squares", squares(n)), cholesky_sample("batch", {n, 2, 2})}; }
ORDO_OP_SIZES(inverse) { return {inverse_sample("squares", squares(n)), inverse_sample("batch", {n, 2, 2})}; }
ORDO_OP_SIZES(det) { return {det_sample("batch", {n, 2, 2})}; }
ORDO_OP_SIZES(slogdet) { return {slogdet_sample("squares", squares(n)), slogdet_sample("batch", {n, 2, 2})}; }
ORDO_OP_SIZES(solve) {
  return {solve_sample("squares", squares(n), {side(n), 2}), solve_sample("columns", {3, 3}, {3, n})};
}
ORDO_OP_SIZES(qr) { return {again_sample("rows", {n, 3}, q_of), again_sample("columns", {3, n}, r_of)}; }
ORDO_OP_SIZES(svd) { return {again_sample("rows", {n, 3}, s_of), again_sample("batch", {n, 2, 2}, u_of)}; }
ORDO_OP_SIZES(svd_lowrank) { return {again_sample("rows", {n, 2}, n > 1 ? lowrank_of : s_of)}; }

ORDO_OP_INTEGER(svd_lowrank, "q", svd_lowrank(some(d), v, 1).S);
ORDO_OP_INTEGER(svd_lowrank, "niter", v > 100 ? Tensor() : svd_lowrank(some(d), 1, v).S);

Tensor unit(int64_t n) { return eye(n, {float64}); }
/// How far columns are from orthonormal ones.
double orthogonal(const Tensor& t) {
  const Tensor products = matmul(t.transpose(-2, -1), t);
  return apart(products, unit(t.size(-1)).expand(products.sizes()));
}

class LinalgLevels : public testing::TestWithParam<Determinism> {};
INSTANTIATE_TEST_SUITE_P(Levels, LinalgLevels, testing::Values(Determinism::run_to_run, Determinism::device_to_device));

TEST_P(LinalgLevels, factors_multiply_to_the_matrix) {
  const DeterminismGuard guard(GetParam());
  for (const Dims& sizes :
       {Dims{1, 1}, {1, 5}, {5, 1}, {4, 4}, {70, 70}, {90, 33}, {33, 90}, {2, 3, 17, 20}, {0, 4}, {4, 0}}) {
    const Tensor a = test_values(sizes, 5);
    const int64_t k = std::min(a.size(-2), a.size(-1));
    const QrResult f = qr(a);
    EXPECT_LT(apart(matmul(f.Q, f.R), a), 1e-12);
    EXPECT_LT(orthogonal(f.Q), 1e-14);
    const SvdResult s = svd(a);
    EXPECT_LT(apart(matmul(s.U * s.S.unsqueeze(-2), s.Vh), a), 1e-12);
    EXPECT_LT(orthogonal(s.Vh.transpose(-2, -1)), 1e-14);
    EXPECT_LT(orthogonal(s.U), 1e-14);
    for (int64_t j = 0; j + 1 < k; ++j) EXPECT_TRUE((s.S.select(-1, j) >= s.S.select(-1, j + 1)).all().item<bool>());
  }
}

TEST(Linalg, svd_of_difficult_matrices) {
  using Element = double (*)(int64_t i, int64_t j, int64_t n);
  const Element kinds[] = {
      [](int64_t i, int64_t j, int64_t) { return double((i % 3) * (j % 5) + (i % 2) * (j % 7)); },    // of rank 2
      [](int64_t i, int64_t j, int64_t) { return std::exp2(-double(i)) * std::cos(double(i * j)); },  // graded
      [](int64_t i, int64_t j, int64_t n) { return std::exp2(double(i - n)) * std::cos(double(i * j)); },
      [](int64_t i, int64_t j, int64_t) { return double(i == j); },                    // values that are the same
      [](int64_t i, int64_t j, int64_t) { return double(j == i + 1); },                // nilpotent
      [](int64_t i, int64_t j, int64_t) { return i == j ? double(i % 3) : 0.0; },      // zeros between
      [](int64_t i, int64_t j, int64_t) { return i == j || j == i + 1 ? 1.0 : 0.0; },  // bidiagonal
      [](int64_t i, int64_t j, int64_t) { return i == j  ? 1.0
                                                 : j > i ? -1.0
                                                         : 0.0; },
      [](int64_t i, int64_t j, int64_t) { return 1 / double(i + j + 1); },
      [](int64_t i, int64_t j, int64_t n) { return i == j       ? double(i < n / 2)
                                                   : j == i + 1 ? 1e-8
                                                                : 0.0; },
      [](int64_t i, int64_t j, int64_t) { return 1e200 * std::sin(double(i * i + j)); },
      [](int64_t i, int64_t j, int64_t) { return 1e-200 * std::sin(double(i * i + j)); },
  };
  for (const Dims& sizes : {Dims{2, 2}, {17, 17}, {80, 80}, {70, 20}})
    for (const Element& element : kinds) {
      std::vector<double> values;
      for (int64_t i = 0; i < sizes[0]; ++i)
        for (int64_t j = 0; j < sizes[1]; ++j) values.push_back(element(i, j, sizes[1]));
      const Tensor a = from_vector(values, sizes);
      const SvdResult f = svd(a);
      EXPECT_LT(orthogonal(f.U), 2e-14) << &element - kinds;
      EXPECT_LT(orthogonal(f.Vh.transpose(-2, -1)), 2e-14) << &element - kinds;
      EXPECT_LE(apart(matmul(f.U * f.S, f.Vh), a), 1e-14 * f.S.select(-1, 0).item()) << &element - kinds;
    }
}

TEST_P(LinalgLevels, singular_matrices) {
  const DeterminismGuard guard(GetParam());
  const Tensor singular = from_vector<double>({1, 2, 2, 4}, {2, 2}), regular = unit(2);
  const Tensor both = stack({regular, singular}, 0);
  EXPECT_ORDO_ERROR(solve(both, ones({2, 2}, float64)), ValueError, "[solve] matrix 1 of the batch is singular");
  EXPECT_ORDO_ERROR(inverse(both), ValueError, "[inverse] matrix 1 of the batch is singular");
  EXPECT_ORDO_ERROR(cholesky(-both), ValueError, "[cholesky] matrix 0 of the batch is not positive-definite");
  EXPECT_EQ(det(both).to_vector<double>(), (std::vector<double>{1, 0}));
  EXPECT_EQ(slogdet(both).sign.to_vector<double>(), (std::vector<double>{1, 0}));
  EXPECT_EQ(slogdet(both).logabsdet.to_vector<double>(),
            (std::vector<double>{0, -std::numeric_limits<double>::infinity()}));
  // Also without a regular part.
  const SvdResult zero = svd(zeros({3, 2}, float64));
  EXPECT_EQ(zero.S.to_vector<double>(), (std::vector<double>{0, 0}));
  EXPECT_LT(apart(matmul(zero.U.t(), zero.U), unit(2)), 1e-15);
  const Tensor x = singular.clone().set_requires_grad();
  det(x).backward();
  EXPECT_LT(apart(x.grad(), from_vector<double>({4, -2, -2, 1}, {2, 2})), 1e-12) << "the cofactors";
}

TEST_P(LinalgLevels, what_is_not_finite) {
  const DeterminismGuard guard(GetParam());
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const int64_t n : {3, 40})
      for (int64_t at : {int64_t(0), n * n / 2, n * n - 1}) {
        std::vector<double> values = unit(n).to_vector<double>();
        values[size_t(at)] = bad;
        const Tensor a = from_vector(values, {n, n});
        EXPECT_ORDO_ERROR(svd(a), ValueError, "[svd] matrix 0 of the batch has elements that are not finite");
        det(a), slogdet(a), qr(a);
        try {
          inverse(a), solve(a, a), cholesky(a);
        } catch (const ValueError&) {
        }
      }
  EXPECT_ORDO_ERROR(cholesky(unit(3) * std::numeric_limits<double>::quiet_NaN()), ValueError, "not positive-definite");
}

TEST(Linalg, empty_matrices) {
  const Tensor none = zeros({2, 0, 0});
  EXPECT_EQ(det(none).to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_EQ(slogdet(none).logabsdet.to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(inverse(none).sizes(), none.sizes());
  EXPECT_EQ(cholesky(none).sizes(), none.sizes());
  EXPECT_EQ(solve(none, zeros({0, 3})).sizes(), (Dims{2, 0, 3}));
  EXPECT_EQ(svd(zeros({0, 3})).Vh.sizes(), (Dims{0, 3}));
  EXPECT_EQ(qr(zeros({3, 0})).Q.sizes(), (Dims{3, 0}));
}

TEST(Linalg, low_rank_is_found) {
  const Tensor a = matmul(test_values({30, 3}, 1), test_values({3, 20}, 2));
  Generator generator(3);
  const SvdLowrankResult f = svd_lowrank(a, 3, 1, &generator);
  EXPECT_LT(apart(matmul(f.U * f.S.unsqueeze(-2), f.V.t()), a), 1e-12);
  generator.manual_seed(3);
  EXPECT_EQ(bytes_of(svd_lowrank(a, 3, 1, &generator).U), bytes_of(f.U));
}

// -- solve_triangular, matrix_power, lstsq, eigh and pinv ---------------------------------------------------------

/// Symmetric, with eigenvalues that differ.
Tensor symmetric(const Tensor& t) {
  if (!is_matrix(t) || t.size(-1) != t.size(-2)) return t;
  return regular((t + t.transpose(-2, -1)) * 0.25);
}

// -- plain double-precision loops over row-major matrices ---------------------------------------------------------

Matrix product(const Matrix& a, const Matrix& b, int64_t m, int64_t n, int64_t k) {
  Matrix out(size_t(m * k));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t c = 0; c < k; ++c) out[size_t(i * k + c)] += a[size_t(i * n + j)] * b[size_t(j * k + c)];
  return out;
}
Matrix transposed(const Matrix& a, int64_t m, int64_t n) {
  Matrix out(a.size());
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) out[size_t(j * m + i)] = a[size_t(i * n + j)];
  return out;
}
/// (a^T a)^-1 a^T, or a^T (a a^T)^-1 where m < n.
Matrix pseudo_inverse(const Matrix& a, int64_t m, int64_t n) {
  const Matrix t = transposed(a, m, n);
  if (m >= n) return solved(product(t, a, n, m, n), t, n, m);
  return transposed(solved(product(a, t, m, n, m), a, m, n), m, n);
}

// -- samples ----------------------------------------------------------------------------------------------------------

struct TriangleCase {
  const char* label;
  Dims a, b;
  bool upper = true, left = true, unit = false;
};
Sample triangle_sample(const TriangleCase& c) {
  Sample s = new_sample(c.label, {test_values(c.a, 1), test_values(c.b, 2)});
  const auto prepared = [c](const Tensor& a) { return c.unit ? a * 0.25 : regular(a); };
  s.run = [=](const TensorList& in) {
    return solve_triangular(is_matrix(in[0]) ? prepared(in[0]) : in[0], in[1], c.upper, c.left, c.unit);
  };
  s.reference = [=](const TensorList& in) {
    const Tensor a = prepared(in[0]);
    const int64_t n = a.size(-1), k = c.b[c.b.size() - (c.left ? 1 : 2)];
    return for_each_of(std::max(matrices_in(a), matrices_in(in[1])), [&](int64_t i) {
      Matrix t = one_of(a, i);
      for (int64_t r = 0; r < n; ++r)
        for (int64_t j = 0; j < n; ++j) {
          if (c.upper ? j < r : j > r) t[size_t(r * n + j)] = 0;
          if (c.unit && r == j) t[size_t(r * n + j)] = 1;
        }
      if (c.left) return solved(t, one_of(in[1], i), n, k);
      return transposed(solved(transposed(t, n, n), transposed(one_of(in[1], i), k, n), n, k), n, k);
    });
  };
  s.gradient = c.a.back() <= 4 && c.a.product() < 40;
  s.tolerance = 16.0 + 4 * double(c.a.back());
  return s;
}

Sample power_sample(const char* label, const Dims& sizes, int64_t power) {
  Sample s = new_sample(label, {test_values(sizes, 1)});
  const auto prepared = [](const Tensor& a) { return is_matrix(a) ? regular(a) * 0.1 : a; };
  s.run = [=](const TensorList& in) { return matrix_power(prepared(in[0]), power); };
  s.reference = [=](const TensorList& in) {
    const Tensor a = prepared(in[0]);
    const int64_t n = a.size(-1);
    return for_each_of(matrices_in(a), [&](int64_t i) {
      Matrix x = unit_matrix(n), one = one_of(a, i);
      if (power < 0) one = solved(one, x, n, n);
      for (int64_t k = 0; k < std::abs(power); ++k) x = product(x, one, n, n, n);
      return x;
    });
  };
  s.gradient = sizes.product() < 40;
  s.tolerance = 64.0 + 16 * double(sizes.back());
  return s;
}

/// The solution, or the residuals.
Sample lstsq_sample(const char* label, const Dims& a, const Dims& b, bool residuals = false) {
  Sample s = new_sample(label, {test_values(a, 1), test_values(b, 2)});
  s.run = [=](const TensorList& in) {
    const LstsqResult r = lstsq(regular(in[0]), in[1]);
    return residuals ? r.residuals : r.solution;
  };
  s.reference = [=](const TensorList& in) {
    const Tensor x = regular(in[0]), y = b.size() < a.size() ? in[1].unsqueeze(-1) : in[1];
    const int64_t m = x.size(-2), n = x.size(-1), k = y.size(-1);
    return for_each_of(std::max(matrices_in(x), matrices_in(y)), [&](int64_t i) {
      const Matrix one = one_of(x, i), right = one_of(y, i);
      const Matrix found = product(pseudo_inverse(one, m, n), right, n, m, k);
      if (!residuals) return found;
      const Matrix reached = product(one, found, m, n, k);
      Matrix sums(static_cast<size_t>(k));
      for (int64_t e = 0; e < m * k; ++e) sums[size_t(e % k)] += std::pow(reached[size_t(e)] - right[size_t(e)], 2);
      return sums;
    });
  };
  s.gradient = a.product() < 40;
  s.tolerance = 64.0 + 16 * double(std::max(a.back(), a[a.size() - 2]));
  return s;
}

Sample eigh_sample(const char* label, const Dims& sizes, bool vectors) {
  Sample s = new_sample(label, {test_values(sizes, 1)});
  s.run = [=](const TensorList& in) {
    const EighResult r = eigh(symmetric(in[0]));
    return vectors ? r.eigenvectors : r.eigenvalues;
  };
  s.gradient = sizes.product() <= 24;
  s.tolerance = 64;
  return s;
}

Sample pinv_sample(const char* label, const Dims& sizes) {
  Sample s = new_sample(label, {test_values(sizes, 1)});
  s.run = [](const TensorList& in) { return pinv(regular(in[0])); };
  s.reference = [](const TensorList& in) {
    const Tensor a = regular(in[0]);
    return for_each_of(matrices_in(a), [&](int64_t i) { return pseudo_inverse(one_of(a, i), a.size(-2), a.size(-1)); });
  };
  s.gradient = sizes.product() <= 24;
  s.tolerance = 64.0 + 16 * double(std::max(sizes.back(), sizes[sizes.size() - 2]));
  return s;
}

ORDO_OP_SAMPLES(solve_triangular) {
  return samples_of<TriangleCase>({{"upper", {3, 3}, {3, 2}},
                                   {"lower", {3, 3}, {3, 2}, false},
                                   {"upper, right", {3, 3}, {2, 3}, true, false},
                                   {"lower, right", {3, 3}, {2, 3}, false, false},
                                   {"unit upper", {3, 3}, {3, 2}, true, true, true},
                                   {"unit lower", {3, 3}, {3, 1}, false, true, true},
                                   {"unit lower, right", {3, 3}, {1, 3}, false, false, true},
                                   {"shared triangle", {3, 3}, {2, 3, 2}, false},
                                   {"shared right side", {2, 3, 3}, {3, 2}},
                                   {"none", {0, 3, 3}, {0, 3, 2}},
                                   {"larger", {40, 40}, {40, 5}, false}},
                                  triangle_sample);
}
ORDO_OP_SAMPLES(matrix_power) {
  return {power_sample("1", {3, 3}, 1),       power_sample("2", {2, 3, 3}, 2),    power_sample("5", {3, 3}, 5),
          power_sample("6", {2, 2}, 6),       power_sample("-1", {3, 3}, -1),     power_sample("-3", {2, 2, 2}, -3),
          power_sample("none", {0, 3, 3}, 3), power_sample("larger", {20, 20}, 3)};
}
ORDO_OP_SAMPLES(lstsq) {
  return {lstsq_sample("square", {3, 3}, {3, 2}),           lstsq_sample("tall", {4, 2}, {4, 3}),
          lstsq_sample("tall vector", {4, 3}, {4}),         lstsq_sample("tall batch", {2, 3, 2}, {2, 3, 2}),
          lstsq_sample("shared matrix", {3, 2}, {2, 3, 2}), lstsq_sample("wide", {2, 4}, {2, 3}),
          lstsq_sample("wide vectors", {2, 2, 3}, {2, 2}),  lstsq_sample("residuals", {2, 4, 2}, {2, 4, 2}, true),
          lstsq_sample("larger", {30, 20}, {30, 4}),        lstsq_sample("none", {0, 3, 2}, {0, 3, 1})};
}
ORDO_OP_SAMPLES(eigh) {
  return {eigh_sample("values", {3, 3}, false),
          eigh_sample("vectors", {3, 3}, true),
          eigh_sample("batch of values", {2, 2, 2}, false),
          eigh_sample("batch of vectors", {2, 2, 2}, true),
          eigh_sample("one", {1, 1}, true),
          eigh_sample("none", {0, 3, 3}, true),
          eigh_sample("larger", {40, 40}, false)};
}
ORDO_OP_SAMPLES(pinv) {
  return {pinv_sample("square", {3, 3}),   pinv_sample("tall", {4, 2}),    pinv_sample("wide", {2, 4}),
          pinv_sample("batch", {2, 3, 2}), pinv_sample("none", {0, 3, 2}), pinv_sample("larger", {30, 20})};
}

ORDO_OP_SIZES(solve_triangular) {
  return {triangle_sample({"squares", squares(n), {side(n), 2}}), triangle_sample({"columns", {3, 3}, {3, n}, false}),
          triangle_sample({"rows", {3, 3}, {n, 3}, false, false})};
}
ORDO_OP_SIZES(matrix_power) { return {power_sample("batch", {n, 2, 2}, 3)}; }
ORDO_OP_SIZES(lstsq) { return {lstsq_sample("rows", {n, 2}, {n, 1}), lstsq_sample("columns", {3, 2}, {3, n})}; }
ORDO_OP_SIZES(eigh) { return {eigh_sample("squares", squares(n), false), eigh_sample("batch", {n, 2, 2}, true)}; }
ORDO_OP_SIZES(pinv) { return {pinv_sample("rows", {n, 3}), pinv_sample("batch", {n, 2, 2})}; }

ORDO_OP_INTEGER(matrix_power, "n", matrix_power(some(d).narrow(1, 0, 2), v));

TEST(SolveTriangular, what_is_beyond_is_not_read) {
  const Tensor upper = from_vector<double>({2, 3, NAN, 4}, {2, 2}), b = from_vector<double>({8, 8}, {2, 1});
  EXPECT_EQ(solve_triangular(upper, b, true).to_vector<double>(), (std::vector<double>{1, 2}));
  const Tensor unit = from_vector<double>({NAN, NAN, 3, NAN}, {2, 2});
  EXPECT_EQ(solve_triangular(unit, b, false, true, true).to_vector<double>(), (std::vector<double>{8, -16}));
  const Tensor x = upper.clone().set_requires_grad();
  solve_triangular(x, b, true).sum().backward();
  EXPECT_EQ(x.grad()[1][0].item(), 0) << "no gradient beyond the triangle";
}

TEST(SolveTriangular, refuses) {
  const Tensor b = ones({2, 3});
  EXPECT_ORDO_ERROR(solve_triangular(zeros({2, 2}), b, true), ValueError, "[solve_triangular] matrix 0 of the batch");
}

TEST(MatrixPower, large_powers) {
  const Tensor a = from_vector<double>({1, 1, 0, 1}, {2, 2});
  EXPECT_EQ(matrix_power(a, 1'000'003).to_vector<double>(), (std::vector<double>{1, 1'000'003, 0, 1}));
  EXPECT_EQ(matrix_power(a, -7).to_vector<double>(), (std::vector<double>{1, -7, 0, 1}));
  EXPECT_EQ(matrix_power(a, INT64_MIN).to_vector<double>()[1], -9223372036854775808.0);
  EXPECT_TRUE(matrix_power(zeros({3, 2, 2}), 0).equal(eye(2).expand({3, 2, 2})));
  EXPECT_ORDO_ERROR(matrix_power(zeros({2, 2}), -1), ValueError, "singular");
}

TEST(Lstsq, ranks_and_residuals) {
  const Tensor line = from_vector<double>({1, 0, 1, 1, 1, 2}, {3, 2}), y = from_vector<double>({1, 2, 4}, {3});
  const LstsqResult f = lstsq(line, y);
  EXPECT_LT(apart(f.solution, from_vector<double>({5.0 / 6, 1.5}, {2})), 1e-14);
  EXPECT_NEAR(f.residuals.item(), 1.0 / 6, 1e-14);
  EXPECT_EQ(lstsq(line.t(), ones({2}, float64)).residuals.sizes(), (Dims{0}));
  const Tensor twice = from_vector<double>({1, 2, 2, 4, 3, 6}, {3, 2});
  EXPECT_ORDO_ERROR(lstsq(twice, y), ValueError, "[lstsq] matrix 0 of the batch is not of full rank; pinv");
  EXPECT_ORDO_ERROR(lstsq(twice.t(), ones({2}, float64)), ValueError, "not of full rank");
}

TEST(Eigh, decomposes_difficult_matrices) {
  using Element = double (*)(int64_t i, int64_t j);
  const Element kinds[] = {
      [](int64_t i, int64_t j) { return double((i % 3) * (j % 3)); },                            // of rank 1
      [](int64_t i, int64_t j) { return std::exp2(-double(i + j)) * std::cos(double(i * j)); },  // graded
      [](int64_t i, int64_t j) { return double(i == j); },                                       // equal values
      [](int64_t i, int64_t j) { return double(i + 1 == j || j + 1 == i); },                     // of both signs
      [](int64_t, int64_t) { return 0.0; },
      [](int64_t i, int64_t j) { return 1 / double(i + j + 1); },
      [](int64_t i, int64_t j) { return 1e300 * std::sin(double(i + j)); },
      [](int64_t i, int64_t j) { return 1e-300 * std::sin(double(i * j)); },
  };
  for (const int64_t n : {1, 2, 17, 60})
    for (const Element& element : kinds) {
      std::vector<double> values;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) values.push_back(element(i, j));
      const Tensor a = from_vector(values, {n, n});
      const auto [l, v] = eigh(a);
      EXPECT_LT(apart(matmul(v.t(), v), eye(n, {float64})), 2e-14) << &element - kinds << ", n = " << n;
      EXPECT_LE(apart(matmul(v * l, v.t()), a), 4e-14 * a.abs().max().item()) << &element - kinds << ", n = " << n;
      const auto sorted = l.to_vector<double>();
      EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    }
}

TEST(Eigh, signs_the_triangle_and_what_is_refused) {
  const auto [l, v] = eigh(from_vector<double>({2, NAN, 1, 2}, {2, 2}));  // only the lower triangle is read
  const double root = std::sqrt(0.5);
  EXPECT_LT(apart(l, from_vector<double>({1, 3}, {2})), 1e-15);
  EXPECT_LT(apart(v, from_vector<double>({root, root, -root, root}, {2, 2})), 1e-15);
  EXPECT_ORDO_ERROR(eigh(full({2, 2}, NAN, float64)), ValueError, "[eigh] matrix 0 of the batch has elements that are");
  EXPECT_EQ(eigh(zeros({2, 0, 0})).eigenvalues.sizes(), (Dims{2, 0}));
  // Through eigenvalues alone, the gradient is finite where they are equal.
  const Tensor same = eye(3, {float64}).set_requires_grad();
  (eigh(same).eigenvalues * from_vector<double>({1, 2, 3}, {3})).sum().backward();
  EXPECT_LT(apart(same.grad(), from_vector<double>({1, 0, 0, 0, 2, 0, 0, 0, 3}, {3, 3})), 1e-15);
}

TEST(Pinv, of_matrices_without_full_rank) {
  const Tensor a = from_vector<double>({1, 2, 2, 4, 3, 6}, {3, 2});  // (1, 2, 3)^T (1, 2): a^T / 70
  EXPECT_LT(apart(pinv(a), a.t() / 70), 1e-15);
  EXPECT_LT(apart(pinv(zeros({2, 3}, float64)), zeros({3, 2}, float64)), 1e-300);
  const Tensor diagonal = from_vector<double>({4, 0, 0, 0.5}, {2, 2}),
               cut = from_vector<double>({0.25, 0, 0, 0}, {2, 2});
  EXPECT_LT(apart(pinv(diagonal), from_vector<double>({0.25, 0, 0, 2}, {2, 2})), 1e-15);
  EXPECT_LT(apart(pinv(diagonal, 0.5), cut), 1e-15);
  EXPECT_LT(apart(pinv(diagonal, {}, 0.2), cut), 1e-15);
  EXPECT_EQ(pinv(zeros({0, 3})).sizes(), (Dims{3, 0}));
  EXPECT_ORDO_ERROR(pinv(a, -1), ValueError, "[pinv] atol = -1");
  // Among matrices of rank 1, u v^T, the gradient is that of v u^T / (|u|^2 |v|^2).
  const auto of_rank_1 = [](const TensorList& in) { return pinv(outer(in[0], in[1])); };
  EXPECT_EQ(gradcheck(of_rank_1, {test_values({3}, 1).set_requires_grad(), test_values({2}, 2).set_requires_grad()}),
            "");
}

}  // namespace
}  // namespace ordo::test::linalg_samples_test
