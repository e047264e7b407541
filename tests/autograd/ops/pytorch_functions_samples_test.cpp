// Samples and rules of functions made of other operations: isin, aminmax, block_diag, pdist, cov, as_strided; of div
// with a rounding mode, clamp with tensors, heaviside, sinc, erfinv, lgamma and digamma what the tables' samples miss.
#include <cmath>
#include <limits>

#include "tests/support/integer_arguments.h"
#include "tests/support/op_samples.h"

namespace ordo::test::pytorch_functions_samples_test {
namespace {

using Values = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

void expect_values(const Tensor& got, const Values& want, double tolerance = 0) {
  const Values v = got.to_vector<double>();
  ASSERT_EQ(v.size(), want.size());
  for (size_t i = 0; i < v.size(); ++i)
    EXPECT_TRUE(std::isnan(want[i]) ? std::isnan(v[i])
                                    : v[i] == want[i] || std::abs(v[i] - want[i]) <= tolerance * std::abs(want[i]))
        << i << ": " << v[i] << ", not " << want[i];
}
Tensor doubles(const Values& v) { return from_vector<double>(v, {int64_t(v.size())}); }

// -- isin and aminmax

Sample isin_sample(const Dims& sizes, int64_t tested, bool invert) {
  return {.label = sizes.str() + " " + std::to_string(tested) + (invert ? " inverted" : ""),
          .inputs = {test_indices(sizes, 9, 1).to(float64), test_indices({tested}, 9, 2).to(float64)},
          .run = [=](const TensorList& in) { return isin(in[0], in[1], false, invert); },
          .reference =
              [=](const TensorList& in) {
                const Values x = in[0].to_vector<double>(), among = in[1].to_vector<double>();
                Values out;
                for (double v : x) out.push_back((std::find(among.begin(), among.end(), v) != among.end()) != invert);
                return out;
              },
          .gradient = false};
}
ORDO_OP_SAMPLES(isin) {
  return {isin_sample({3, 4}, 3, false), isin_sample({17}, 5, true), isin_sample({}, 1, false),
          isin_sample({0, 2}, 3, false), isin_sample({5}, 0, true)};
}
ORDO_OP_SIZES(isin) { return {isin_sample({n}, 4, false), isin_sample({5}, n, false)}; }
ORDO_OP_NO_INTEGERS(isin);

Sample aminmax_sample(const Dims& sizes, std::optional<int64_t> dim) {
  return {.label = sizes.str() + (dim ? " over " + std::to_string(*dim) : ""),
          .inputs = {test_values(sizes)},
          .run =
              [=](const TensorList& in) {
                const AminmaxResult r = aminmax(in[0], dim);
                return stack({r.min, r.max});
              },
          .reference =
              [=](const TensorList& in) {
                const Tensor x = dim ? in[0].transpose(0, *dim) : in[0].reshape({-1, 1});
                const Values v = x.to_vector<double>();
                const auto rest = size_t(x.numel() / x.size(0));
                Values out(v.begin(), v.begin() + long(rest)), most = out;
                for (size_t i = 0; i < v.size(); ++i) {
                  out[i % rest] = std::min(out[i % rest], v[i]);
                  most[i % rest] = std::max(most[i % rest], v[i]);
                }
                out.insert(out.end(), most.begin(), most.end());
                return out;
              },
          .gradient = sizes.product() < 100};
}
ORDO_OP_SAMPLES(aminmax) { return {aminmax_sample({3, 4}, {}), aminmax_sample({5, 4}, 0), aminmax_sample({3, 7}, 1)}; }
ORDO_OP_SIZES(aminmax) { return {aminmax_sample({n, 3}, 0), aminmax_sample({3, n}, 1)}; }
ORDO_OP_INTEGER(aminmax, "dim", aminmax(some(d), v).min);

// -- block_diag, pdist, cov

Sample block_diag_sample(const Dims& a, const Dims& b) {
  return {.label = a.str() + " " + b.str(),
          .inputs = {test_values(a, 1), test_values(b, 2)},
          .run = [](const TensorList& in) { return block_diag(in); },
          .reference =
              [=](const TensorList& in) {
                const auto size = [](const Dims& s, int d) { return s.size() < 2 ? d == 0 ? 1 : s.product() : s[d]; };
                const int64_t rows = size(a, 0) + size(b, 0), columns = size(a, 1) + size(b, 1);
                Values out(size_t(rows * columns), 0.0);
                int64_t row = 0, column = 0;
                for (size_t k = 0; k < 2; ++k) {
                  const Values v = in[k].to_vector<double>();
                  const int64_t r = size(k ? b : a, 0), c = size(k ? b : a, 1);
                  for (int64_t i = 0; i < r * c; ++i)
                    out[size_t((row + i / c) * columns + column + i % c)] = v[size_t(i)];
                  row += r, column += c;
                }
                return out;
              },
          .gradient = a.product() < 50};
}
ORDO_OP_SAMPLES(block_diag) {
  return {block_diag_sample({2, 3}, {3, 1}), block_diag_sample({}, {4}), block_diag_sample({0, 2}, {2, 2})};
}
ORDO_OP_SIZES(block_diag) { return {block_diag_sample({n, 2}, {2, 3}), block_diag_sample({2}, {n})}; }
ORDO_OP_NO_INTEGERS(block_diag);

Sample pdist_sample(int64_t rows, int64_t length, double p) {
  return {.label = Dims({rows, length}).str() + " p " + std::to_string(p),
          .inputs = {test_values({rows, length}, 1)},
          .run = [=](const TensorList& in) { return pdist(in[0], p); },
          .reference =
              [=](const TensorList& in) {
                const Values v = in[0].to_vector<double>();
                Values out;
                for (int64_t i = 0; i < rows; ++i)
                  for (int64_t j = i + 1; j < rows; ++j) {
                    double sum = 0;
                    for (int64_t k = 0; k < length; ++k)
                      sum += std::pow(std::abs(v[size_t(i * length + k)] - v[size_t(j * length + k)]), p);
                    out.push_back(std::pow(sum, 1 / p));
                  }
                return out;
              },
          .gradient = rows * length < 50,
          .second_order = p == 2,
          .tolerance = 8 + double(length) / 8};
}
ORDO_OP_SAMPLES(pdist) { return {pdist_sample(4, 3, 2), pdist_sample(3, 2, 3), pdist_sample(1, 2, 2)}; }
ORDO_OP_SIZES(pdist) { return {pdist_sample(4, n, 2), pdist_sample(std::min<int64_t>(n, 40), n, 2)}; }
ORDO_OP_NO_INTEGERS(pdist);

Values covariances(const Tensor& x, double correction, const Values& f, const Values& a) {
  const Values v = x.to_vector<double>();
  const auto n = size_t(x.sizes().back()), rows = n == 0 ? 1 : v.size() / n;
  double total = 0, squares = 0;
  for (size_t k = 0; k < n; ++k) total += f[k] * a[k], squares += f[k] * a[k] * a[k];
  Values mean(rows, 0.0), out;
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < n; ++k) mean[i] += f[k] * a[k] * v[i * n + k] / total;
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < rows; ++j) {
      double sum = 0;
      for (size_t k = 0; k < n; ++k) sum += f[k] * a[k] * (v[i * n + k] - mean[i]) * (v[j * n + k] - mean[j]);
      out.push_back(sum / (total - correction * squares / total));
    }
  return out;
}
Sample cov_sample(const Dims& sizes, int64_t correction) {
  return {.label = sizes.str() + " " + std::to_string(correction),
          .inputs = {test_values(sizes)},
          .run = [=](const TensorList& in) { return cov(in[0], correction); },
          .reference =
              [=](const TensorList& in) {
                const Values one(size_t(sizes.back()), 1.0);
                return covariances(in[0], double(correction), one, one);
              },
          .gradient = sizes.product() < 50,
          .tolerance = 16};
}
ORDO_OP_SAMPLES(cov) { return {cov_sample({3, 5}, 1), cov_sample({2, 4}, 0), cov_sample({6}, 1)}; }
ORDO_OP_SIZES(cov) { return {cov_sample({2, n + 1}, 1), cov_sample({std::min<int64_t>(n, 70), n + 1}, 0)}; }
ORDO_OP_INTEGER(cov, "correction", cov(some(d), v));

TEST(PytorchFunctions, weights_of_cov) {
  const Tensor x = test_values({3, 4}), f = tensor<int64_t>({1, 2, 3, 1}), a = doubles({0.5, 1, 0.25, 2});
  expect_values(cov(x, 1, f), covariances(x, 1, {1, 2, 3, 1}, {1, 1, 1, 1}), 1e-13);
  expect_values(cov(x, 0, {}, a), covariances(x, 0, {1, 1, 1, 1}, {0.5, 1, 0.25, 2}), 1e-13);
  expect_values(cov(x, 1, f, a), covariances(x, 1, {1, 2, 3, 1}, {0.5, 1, 0.25, 2}), 1e-13);
  EXPECT_EQ(cov(x[0]).dim(), 0);
  EXPECT_ORDO_ERROR(cov(x, 1, a), DTypeError, "[cov]");
  EXPECT_ORDO_ERROR(cov(x, 1, f.narrow(0, 0, 3)), ShapeError, "[cov]");
}

// -- as_strided

/// Windows of `length` that overlap.
Sample windows_sample(int64_t n, int64_t length) {
  return {.label = std::to_string(n) + " windows of " + std::to_string(length),
          .inputs = {test_values({n + length - 1})},
          .run = [=](const TensorList& in) { return as_strided(in[0].contiguous(), dims(n, length), dims(1, 1)); },
          .reference =
              [=](const TensorList& in) {
                const Values v = in[0].to_vector<double>();
                Values out;
                for (int64_t i = 0; i < n * length; ++i) out.push_back(v[size_t(i / length + i % length)]);
                return out;
              },
          .gradient = n < 50};
}
ORDO_OP_SAMPLES(as_strided) { return {windows_sample(4, 3), windows_sample(1, 1), windows_sample(5, 2)}; }
ORDO_OP_SIZES(as_strided) { return {windows_sample(n, 2), windows_sample(2, n)}; }
ORDO_OP_INTEGER(as_strided, "size", as_strided(some(d), {v}, 1));
ORDO_OP_INTEGER(as_strided, "size of one element", as_strided(some(d), {v, v}, {0, 0}).slice(0, 0, 1).slice(1, 0, 1));
ORDO_OP_INTEGER(as_strided, "stride", as_strided(some(d), {2}, {v}));
ORDO_OP_INTEGER(as_strided, "storage_offset", as_strided(some(d), {2}, {1}, v));

TEST(PytorchFunctions, as_strided_of_parts) {
  const Tensor x = arange(0, 12, 1, float64), part = x.narrow(0, 4, 8);
  expect_values(as_strided(part, {2, 2}, {4, 1}), {4, 5, 8, 9});
  expect_values(part.as_strided({2}, {5}, 0), {0, 5});
  as_strided(x, {2}, {2}, 1).fill_(-1);
  expect_values(x.narrow(0, 0, 4), {0, -1, 2, -1});
  EXPECT_ORDO_ERROR(as_strided(x, {2}, {1, 1}), ValueError, "[as_strided]");
  EXPECT_EQ(as_strided(x, {0, 3}, {100, 1}, 500).numel(), 0);
  Tensor leaf = arange(0, 6, 1, float64).set_requires_grad();
  (as_strided(leaf, {2, 2}, {1, 2}, 1) * doubles({1, 2, 3, 4}).view({2, 2})).sum().backward();
  expect_values(leaf.grad(), {0, 1, 3, 2, 4, 0});
  EXPECT_ORDO_ERROR(as_strided(leaf.narrow(0, 2, 2), {2}, {1}, 0), AutogradError, "[as_strided]");
  EXPECT_ORDO_ERROR(as_strided(leaf.view({2, 3}).t(), {2}, {1}), AutogradError, "contiguous");
}

TEST(PytorchFunctions, broadcast_tensors) {
  const TensorList views = broadcast_tensors({tensor({1, 2}), tensor({{3}, {4}})});
  expect_values(views[0], {1, 2, 1, 2});
  expect_values(views[1], {3, 3, 4, 4});
  EXPECT_ORDO_ERROR(broadcast_tensors({ones({2}), ones({3})}), ShapeError, "[broadcast_tensors]");
  EXPECT_ORDO_ERROR(broadcast_tensors({ones({2}), {}}), ValueError, "[broadcast_tensors]");
}

TEST(PytorchFunctions, isin_and_aminmax_of_special_values) {
  expect_values(isin(doubles({0, -0.0, kNan, kInfinity, 3}), doubles({-0.0, kInfinity, kNan, 5})), {1, 1, 0, 1, 0});
  expect_values(isin(tensor({1, 2, 3}), doubles({2, 2.5})), {0, 1, 0});
  expect_values(isin(tensor({1, 2, 3}), tensor(2), true, true), {1, 0, 1});
  const AminmaxResult r = doubles({3, -1, 2}).aminmax({}, true);
  expect_values(r.min, {-1});
  expect_values(r.max, {3});
}

// -- div with a rounding mode, clamp with tensors, heaviside, logical_xor

TEST(PytorchFunctions, rounded_quotients) {
  const Tensor a = tensor({7, -7, 7, -7, 6, 5, std::numeric_limits<int>::min()}, int32),
               b = tensor({2, 2, -2, -2, 3, 0, -1}, int32);
  const double least = std::numeric_limits<int>::min();
  expect_values(div(a, b, RoundingMode::trunc), {3, -3, -3, 3, 2, 0, least});
  expect_values(div(a, b, RoundingMode::floor), {3, -4, -4, 3, 2, 0, least});
  EXPECT_EQ(div(a, b, RoundingMode::trunc).dtype(), int32);
  expect_values(a.narrow(0, 0, 2).div(2, RoundingMode::trunc), {3, -3});
  expect_values(a.narrow(0, 0, 2).div(2, RoundingMode::floor), {3, -4});
  expect_values(div(7, b.narrow(0, 0, 3), RoundingMode::trunc), {3, 3, -3});
  const Tensor x = doubles({7.5, -7.5, 1, kNan}), y = doubles({2, 2, 0, 1});
  expect_values(div(x, y, RoundingMode::trunc), {3, -3, kInfinity, kNan});
  expect_values(div(x, y, RoundingMode::floor), {3, -4, kInfinity, kNan});
  Tensor u = doubles({7.5, -1}).set_requires_grad(), v = doubles({2, 0}).set_requires_grad();
  div(u, v, RoundingMode::trunc).sum().backward();
  expect_values(u.grad(), {0, 0});
  expect_values(v.grad(), {0, 0});
  Tensor changed = doubles({7.5, -7.5});
  expect_values(changed.div_(2, RoundingMode::trunc), {3, -3});
  EXPECT_ORDO_ERROR(div(x > 0, y > 0, RoundingMode::trunc), DTypeError, "[div]");
}

TEST(PytorchFunctions, clamp_between_tensors) {
  // As torch.clamp, the gradients, too; the last bounds are in the wrong order.
  Tensor x = doubles({-2, 0, 2, 1, 5, 0}).set_requires_grad(), low = doubles({-1, -1, -1, 1, 4, 3}).set_requires_grad(),
         high = doubles({1, 1, 1, 2, 5, 1}).set_requires_grad();
  const Tensor y = clamp(x, low, high);
  expect_values(y, {-1, 0, 1, 1, 5, 1});
  (y * doubles({1, 2, 3, 4, 5, 6})).sum().backward();
  expect_values(x.grad(), {0, 2, 0, 4, 5, 0});
  expect_values(low.grad(), {1, 0, 0, 0, 0, 0});
  expect_values(high.grad(), {0, 0, 3, 0, 0, 6});
  for (Tensor* t : {&x, &low, &high}) t->zero_grad();
  (x.clamp(low) + x.clamp({}, high)).sum().backward();
  expect_values(low.grad(), {1, 0, 0, 0, 0, 1});
  expect_values(high.grad(), {0, 0, 1, 0, 0, 0});
  expect_values(x.grad(), {1, 2, 1, 2, 2, 1});
  expect_values(clamp(doubles({kNan, 1}), doubles({0, kNan})), {kNan, kNan});
  expect_values(clamp(tensor({1, 5, 9}), tensor(2), tensor(6)), {2, 5, 6});
  EXPECT_ORDO_ERROR(clamp(x, Tensor(), Tensor()), ValueError, "[clamp]");
  EXPECT_ORDO_ERROR(clamp(x > 0, x > 1), DTypeError, "[clamp]");
}

TEST(PytorchFunctions, steps) {
  expect_values(heaviside(doubles({-1, 0, -0.0, 3, kNan}), doubles({0.5, 0.5, 2, 0.5, 0.5})), {0, 0.5, 2, 1, 0});
  Tensor a = doubles({-1, 0, 2}).set_requires_grad(), b = doubles({5, 5, 5}).set_requires_grad();
  heaviside(a, b).sum().backward();
  expect_values(a.grad(), {0, 0, 0});
  expect_values(b.grad(), {0, 1, 0});
  expect_values(logical_xor(doubles({0, 2, kNan, 0}), tensor({0, 3, 0, 1})), {0, 0, 1, 1});
}

// -- functions by mpmath, with 250 bits

TEST(PytorchFunctions, special_functions) {
  expect_values(erfinv(doubles({0.125, -0.5, 0.9, 0.9999990463256836})),
                {0.11123545184094996, -0.4769362762044699, 1.1630871536766743, 3.465505025803331}, 1e-15);
  expect_values(lgamma(doubles({0.125, 0.75, 1.5, 5.25, 40.5, -1.25, -7.75})),
                {2.0194183575537963, 0.20328095143129538, -0.12078223763524522, 3.561375910386697, 108.47307506906539,
                 1.3664317612369763, -8.581847763551867},
                1e-15);
  expect_values(digamma(doubles({0.125, 0.75, 1.5, 5.25, 40.5, -1.25, -7.75})),
                {-8.388492663295855, -1.0858608797864722, 0.03648997397857652, 1.5599773364075455, 3.6889054929332334,
                 3.714139120213528, -1.0307688328309315},
                2e-14);  // near the root at 1.46, the error is one of 1
  expect_values(erfinv(doubles({1, -1, 2, kNan, 0})), {kInfinity, -kInfinity, kNan, kNan, 0});
  expect_values(lgamma(doubles({0, -3, kInfinity, kNan, 1, 2})), {kInfinity, kInfinity, kInfinity, kNan, 0, 0});
  expect_values(digamma(doubles({0, -0.0, -3, kInfinity, kNan})), {-kInfinity, kInfinity, kNan, kInfinity, kNan});
  expect_values(sinc(doubles({0, 0.5, 1e-200})), {1, 2 / M_PI, 1}, 1e-15);
  Tensor x = doubles({0, 0.5}).set_requires_grad();
  sinc(x).sum().backward();
  expect_values(x.grad(), {0, -4 / M_PI}, 1e-15);
  Tensor y = doubles({2}).set_requires_grad();
  const Tensor first = grad({digamma(y).sum()}, {y}, {}, true, true)[0];
  expect_values(first, {M_PI * M_PI / 6 - 1}, 1e-15);
  EXPECT_ORDO_ERROR(grad({first.sum()}, {y}), AutogradError, "[digamma]");
}

Sample digamma_sample(const Dims& sizes) {
  return {.label = sizes.str(),
          .inputs = {test_values(sizes, 1, 2, 12)},
          .run = [](const TensorList& in) { return digamma(in[0]); },
          .reference =
              [](const TensorList& in) {
                Values out;
                for (double x : in[0].to_vector<double>()) {
                  double sum = 0;
                  for (; x < 100; ++x) sum += 1 / x;
                  out.push_back(std::log(x) - 0.5 / x - 1 / (12 * x * x) + 1 / (120 * x * x * x * x) - sum);
                }
                return out;
              },
          .gradient = sizes.product() < 100,
          .second_order = false,
          .tolerance = 32};
}
ORDO_OP_SAMPLES(digamma) { return {digamma_sample({}), digamma_sample({0, 3}), digamma_sample({3, 11, 31})}; }
ORDO_OP_SIZES(digamma) { return {digamma_sample({n})}; }
ORDO_OP_NO_INTEGERS(digamma);

}  // namespace
}  // namespace ordo::test::pytorch_functions_samples_test
