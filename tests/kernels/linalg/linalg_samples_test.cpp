// cholesky, solve, inverse, det, slogdet, qr, svd, svd_lowrank: samples for the registry-driven tests, and what samples
// cannot say. The samples' matrices are made regular first, whatever the tests make of their inputs.
#include <cmath>
#include <limits>

#include "tests/kernels/linalg/matrices.h"
#include "tests/support/integer_arguments.h"
#include "tests/support/op_samples.h"

namespace ordo::test::linalg_samples_test {
namespace {

Tensor positive(const Tensor& t) {
  if (!is_matrix(t) || t.size(-1) != t.size(-2)) return t;
  return (t + t.transpose(-2, -1)) * 0.25 + ramp(t);
}

// -- plain double-precision loops, for one matrix after the other -----------------------------------------------------

template <class F>
std::vector<double> for_each_matrix(const Tensor& t, const F& f) {
  const int64_t size = t.size(-2) * t.size(-1), count = size ? t.numel() / size : 0;
  const auto all = t.to_vector<double>();
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i) {
    const std::vector<double> one = f(Matrix(all.begin() + i * size, all.begin() + (i + 1) * size), i);
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
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

using Function = Tensor (*)(const Tensor&);

Sample of_one(const char* label, const Dims& sizes, Function prepare, const std::function<Tensor(const Tensor&)>& f,
              const std::function<std::vector<double>(const Matrix&, int64_t)>& reference) {
  const int64_t n = sizes.back();
  return {.label = label,
          .inputs = {test_values(sizes, 1)},
          .run = [=](const TensorList& in) { return f(prepare(in[0])); },
          .reference =
              [=](const TensorList& in) {
                return for_each_matrix(prepare(in[0]), [&](const Matrix& a, int64_t) { return reference(a, n); });
              },
          .gradient = n <= 4 && sizes.product() < 40,
          .tolerance = 16.0 + 4 * double(n)};
}

Sample cholesky_sample(const char* label, const Dims& sizes) {
  return of_one(
      label, sizes, positive, [](const Tensor& a) { return cholesky(a); }, factor);
}
Sample inverse_sample(const char* label, const Dims& sizes) {
  return of_one(
      label, sizes, regular, [](const Tensor& a) { return inverse(a); },
      [](const Matrix& a, int64_t n) {
        Matrix x(a.size());
        for (int64_t i = 0; i < n; ++i) x[size_t(i * n + i)] = 1;
        eliminate(a, x, n, n);
        return x;
      });
}
std::vector<double> det_of(const Matrix& a, int64_t n) {
  Matrix none;
  return {eliminate(a, none, n, 0)};
}
Sample det_sample(const char* label, const Dims& sizes) {
  return of_one(
      label, sizes, regular, [](const Tensor& a) { return det(a); }, det_of);
}
Sample slogdet_sample(const char* label, const Dims& sizes) {
  return of_one(
      label, sizes, regular, [](const Tensor& a) { return slogdet(a).logabsdet; },
      [](const Matrix& a, int64_t n) { return std::vector<double>{std::log(std::abs(det_of(a, n)[0]))}; });
}

Sample solve_sample(const char* label, const Dims& a, const Dims& b) {
  Sample s;
  s.label = label;
  s.inputs = {test_values(a, 1), test_values(b, 2)};
  s.run = [](const TensorList& in) { return solve(regular(in[0]), in[1]); };
  s.reference = [](const TensorList& in) {
    const Tensor a = regular(in[0]);
    const bool vectors = in[1].dim() == 1 || in[1].sizes() == Dims(a.sizes().begin(), a.dim() - 1);
    const Tensor b = vectors ? in[1].unsqueeze(-1) : in[1];
    const int64_t n = a.size(-1), k = b.size(-1);
    const auto all_a = a.to_vector<double>(), all_b = b.to_vector<double>();
    const int64_t count_a = a.numel() / (n * n), count_b = b.numel() / (n * k);
    std::vector<double> out;
    for (int64_t i = 0; i < std::max(count_a, count_b); ++i) {
      const int64_t p = i % count_a * n * n, q = i % count_b * n * k;
      Matrix x(all_b.begin() + q, all_b.begin() + q + n * k);
      eliminate(Matrix(all_a.begin() + p, all_a.begin() + p + n * n), x, n, k);
      out.insert(out.end(), x.begin(), x.end());
    }
    return out;
  };
  s.gradient = a.back() <= 4 && a.product() < 40;
  s.tolerance = 16.0 + 4 * double(a.back());
  return s;
}

/// `f` gives a tensor that is the matrix again, from all the factors.
Sample again_sample(const char* label, const Dims& sizes, const std::function<Tensor(const Tensor&)>& f) {
  Sample s;
  s.label = label;
  s.inputs = {test_values(sizes, 1)};
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

int64_t side(int64_t n) { return std::min<int64_t>(n, 33); }
int64_t batch(int64_t n) { return (n + side(n) * side(n) - 1) / (side(n) * side(n)); }
Dims squares(int64_t n) { return {batch(n), side(n), side(n)}; }

}  // namespace

ORDO_OP_SAMPLES(cholesky) {
  return {cholesky_sample("one", {1, 1}), cholesky_sample("small", {3, 3}), cholesky_sample("batch", {2, 2, 3, 3}),
          cholesky_sample("none", {0, 3, 3}), cholesky_sample("larger", {40, 40})};
}
ORDO_OP_SAMPLES(inverse) {
  return {inverse_sample("one", {1, 1}), inverse_sample("small", {3, 3}), inverse_sample("batch", {2, 2, 3, 3}),
          inverse_sample("none", {0, 3, 3}), inverse_sample("larger", {40, 40})};
}
ORDO_OP_SAMPLES(det) {
  return {det_sample("one", {1, 1}), det_sample("small", {3, 3}), det_sample("batch", {2, 3, 3}),
          det_sample("none", {0, 3, 3}), det_sample("larger", {12, 12})};
}
ORDO_OP_SAMPLES(slogdet) {
  return {slogdet_sample("one", {1, 1}), slogdet_sample("small", {3, 3}), slogdet_sample("batch", {2, 3, 3}),
          slogdet_sample("none", {0, 3, 3}), slogdet_sample("larger", {40, 40})};
}
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

ORDO_OP_NO_INTEGERS(cholesky);
ORDO_OP_NO_INTEGERS(solve);
ORDO_OP_NO_INTEGERS(inverse);
ORDO_OP_NO_INTEGERS(det);
ORDO_OP_NO_INTEGERS(slogdet);
ORDO_OP_NO_INTEGERS(qr);
ORDO_OP_NO_INTEGERS(svd);
ORDO_OP_INTEGER(svd_lowrank, "q", svd_lowrank(some(d), v, 1).S);
ORDO_OP_INTEGER(svd_lowrank, "niter", v > 100 ? Tensor() : svd_lowrank(some(d), 1, v).S);

namespace {

/// The largest |a - b|.
double apart(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  return a.numel() ? max(abs(a - b)).item() : 0;
}
Tensor unit(int64_t n) { return eye(n, {float64}); }

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
    EXPECT_LT(apart(matmul(f.Q.transpose(-2, -1), f.Q), unit(k).expand(matmul(f.Q.transpose(-2, -1), f.Q).sizes())),
              1e-14);
    const SvdResult s = svd(a);
    EXPECT_LT(apart(matmul(s.U * s.S.unsqueeze(-2), s.Vh), a), 1e-12);
    EXPECT_LT(apart(matmul(s.Vh, s.Vh.transpose(-2, -1)), unit(k).expand(matmul(s.Vh, s.Vh.transpose(-2, -1)).sizes())),
              1e-14);
    EXPECT_LT(apart(matmul(s.U.transpose(-2, -1), s.U), unit(k).expand(matmul(s.U.transpose(-2, -1), s.U).sizes())),
              1e-14);
    for (int64_t j = 0; j + 1 < k; ++j) EXPECT_TRUE((s.S.select(-1, j) >= s.S.select(-1, j + 1)).all().item<bool>());
  }
}

/// Orthonormal columns.
double orthogonal(const Tensor& t) { return apart(matmul(t.transpose(-2, -1), t), unit(t.size(-1))); }

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

}  // namespace
}  // namespace ordo::test::linalg_samples_test
