// matmul, mm, bmm, linear: samples for the registry-driven tests.
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/matmul/pairs.h>
#include "tests/kernels/matmul/rule3.h"
#include "tests/kernels/samples.h"
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::matmul_samples_test {
namespace {

// The product of two contiguous batches of matrices; a batch of one serves all.
std::vector<double> product(const Tensor& a, const Tensor& b) {
  const int64_t m = a.size(-2), k = a.size(-1), n = b.size(-1);
  const auto x = a.to_vector<double>(), y = b.to_vector<double>();
  const int64_t batches_a = m * k != 0 ? a.numel() / (m * k) : 1, batches_b = k * n != 0 ? b.numel() / (k * n) : 1;
  const int64_t batches = std::max(batches_a, batches_b);
  std::vector<double> c(size_t(batches * m * n));
  for (int64_t s = 0; s < batches; ++s)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += x[size_t(s % batches_a * m * k + i * k + p)] * y[size_t(s % batches_b * k * n + p * n + j)];
        c[size_t((s * m + i) * n + j)] = sum;
      }
  return c;
}

Sample sample(const char* label, Dims a, Dims b, Tensor (*f)(const Tensor&, const Tensor&), bool gradient = true) {
  return {.label = label,
          .inputs = {test_values(a, 1), test_values(b, 2)},
          .run = [f](const TensorList& in) { return f(in[0], in[1]); },
          .reference =
              [](const TensorList& in) {
                return product(in[0].dim() == 1 ? in[0].unsqueeze(0) : in[0],
                               in[1].dim() == 1 ? in[1].unsqueeze(1) : in[1]);
              },
          .gradient = gradient,
          // Rounding of up to k sums: the largest k here is 600, and the error grows with its root.
          .tolerance = gradient ? 8.0 : 64.0};
}

Sample linear_sample(const char* label, Dims x, int64_t out, bool bias, bool gradient = true) {
  const int64_t in = x.back();
  TensorList inputs = {test_values(x, 1), test_values({out, in}, 2)};
  if (bias) inputs.push_back(test_values({out}, 3));
  return {.label = label,
          .inputs = inputs,
          .run = [](const TensorList& in) { return linear(in[0], in[1], in.size() > 2 ? in[2] : Tensor()); },
          .reference =
              [](const TensorList& in) {
                const int64_t out = in[1].size(0), width = in[1].size(1), rows = in[0].numel() / width;
                auto y = product(in[0].reshape({rows, width}), in[1].t().contiguous());
                if (in.size() > 2) {
                  const auto b = in[2].to_vector<double>();
                  for (size_t e = 0; e < y.size(); ++e) y[e] += b[e % size_t(out)];
                }
                return y;
              },
          .gradient = gradient,
          .tolerance = gradient ? 8.0 : 64.0};
}

ORDO_OP_SAMPLES(matmul) {
  return {sample("2d", {3, 4}, {4, 5}, matmul),
          sample("vectors", {7}, {7}, matmul),
          sample("vector_matrix", {4}, {4, 3}, matmul),
          sample("matrix_vector", {3, 4}, {4}, matmul),
          sample("batch_vector", {2, 3, 4}, {4}, matmul),
          sample("batch_matrix", {2, 3, 4}, {4, 2}, matmul),
          sample("matrix_batch", {3, 4}, {2, 4, 2}, matmul),
          sample("batches", {2, 2, 3}, {2, 3, 2}, matmul),
          sample("no_rows", {0, 4}, {4, 3}, matmul),
          sample("no_depth", {3, 0}, {0, 2}, matmul),
          sample("one_block", {9, 256}, {256, 17}, matmul, false),
          sample("blocks", {5, 600}, {600, 18}, matmul, false),
          sample("tall", {130, 33}, {33, 3}, matmul, false),
          sample("square", {66, 70}, {70, 65}, matmul, false)};
}
ORDO_OP_SAMPLES(mm) {
  return {sample("small", {2, 3}, {3, 2}, mm), sample("column", {6, 1}, {1, 4}, mm),
          sample("over_a_block", {8, 257}, {257, 9}, mm, false)};
}
ORDO_OP_SAMPLES(bmm) {
  return {sample("small", {2, 2, 3}, {2, 3, 2}, bmm), sample("no_batch", {0, 2, 3}, {0, 3, 2}, bmm),
          sample("over_a_block", {3, 4, 300}, {3, 300, 5}, bmm, false)};
}
ORDO_OP_SAMPLES(linear) {
  return {linear_sample("small", {3, 4}, 2, true),          linear_sample("no_bias", {3, 4}, 2, false),
          linear_sample("one_input", {5, 1}, 6, true),      linear_sample("vector", {4}, 3, true),
          linear_sample("three_dims", {2, 3, 2}, 2, true),  linear_sample("empty", {0, 4}, 2, true),
          linear_sample("wide", {20, 300}, 10, true, false)};
}

ORDO_OP_SIZES(matmul) {
  return {sample("rows", {n, 3}, {3, 2}, matmul, false), sample("depth", {3, n}, {n, 4}, matmul, false),
          sample("columns", {2, 3}, {3, n}, matmul, false), sample("matrix_vector", {n, 5}, {5}, matmul, false),
          sample("vectors", {n}, {n}, matmul, false)};
}
ORDO_OP_SIZES(mm) {
  return {sample("rows", {n, 17}, {17, 5}, mm, false), sample("depth", {18, n}, {n, 9}, mm, false),
          sample("columns", {5, 17}, {17, n}, mm, false)};
}
ORDO_OP_SIZES(bmm) {
  const int64_t batches = std::min<int64_t>(n, 257);  // a block each
  return {sample("batches", {batches, 2, 3}, {batches, 3, 2}, bmm, false),
          sample("rows", {2, n, 3}, {2, 3, 2}, bmm, false), sample("depth", {2, 3, n}, {2, n, 2}, bmm, false)};
}
ORDO_OP_SIZES(linear) {
  return {linear_sample("rows", {n, 3}, 5, true, false), linear_sample("inputs", {3, n}, 4, true, false),
          linear_sample("outputs", {3, 4}, n, true, false)};
}

// Bits of the ordered products, layouts, and bad input.

template <class T>
std::vector<float> product_by_rule3(const std::vector<float>& a, const std::vector<float>& b, int64_t m, int64_t n,
                                    int64_t k) {
  std::vector<float> c;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      std::vector<std::pair<float, float>> factors;
      for (int64_t p = 0; p < k; ++p) factors.emplace_back(a[size_t(i * k + p)], b[size_t(p * n + j)]);
      c.push_back(float(T(rule3(factors))));
    }
  return c;
}

const DType kProductTypes[] = {float32, float16, bfloat16};

TEST(Matmul, OrderedProductsFollowRule3) {
  const DeterminismGuard guard(Determinism::device_to_device);
  constexpr int64_t kShapes[][3] = {{1, 1, 1},    {3, 5, 255},      {3, 5, 256},          {3, 5, 257},
                                    {65, 66, 17}, {2, 300, 520},    {300, 2, 520},        {1, 70, 300},
                                    {70, 1, 300}, {2, 3, 256 * 64}, {3, 2, 256 * 64 + 1}, {1, 40, 256 * 64 * 2 + 300}};
  for (const auto& [m, n, k] : kShapes)
    for (DType dtype : kProductTypes) {
      const Tensor a = test_mixed_values({m, k}, 1).to(dtype), b = test_mixed_values({k, n}, 2).to(dtype);
      const auto x = a.to_vector<float>(), y = b.to_vector<float>();
      const auto expected = dtype == float32   ? product_by_rule3<float>(x, y, m, n, k)
                            : dtype == float16 ? product_by_rule3<Half>(x, y, m, n, k)
                                               : product_by_rule3<BFloat16>(x, y, m, n, k);
      const auto bytes = bytes_of(from_vector(expected, {m, n}));
      for (Device device : test_devices())
        for (int threads : device.is_cuda() ? std::vector{2} : std::vector{1, 2, 3}) {
          set_num_threads(threads);
          const Tensor left = a.to(device), right = b.to(device);
          EXPECT_EQ(bytes_of(matmul(left, right).to(cpu, float32)), bytes)
              << m << "x" << n << "x" << k << " " << name(dtype) << " " << device.str() << " " << threads;
          const Tensor right_t = right.t().contiguous();
          EXPECT_EQ(bytes_of(linear(left, right_t).to(cpu, float32)), bytes);
          EXPECT_EQ(bytes_of(matmul(left.t().contiguous().t(), right_t.t()).to(cpu, float32)), bytes);
        }
    }
  set_num_threads(2);
}

class PairsGuard {
 public:
  explicit PairsGuard(bool always) { kernels::cpu::use_pairs(always); }
  ~PairsGuard() { kernels::cpu::use_pairs({}); }
  PairsGuard(const PairsGuard&) = delete;
  PairsGuard& operator=(const PairsGuard&) = delete;
};

// An instruction for pairs, which some processors have, takes subnormal numbers as zeros.
TEST(Matmul, PairsOfBfloat16ChangeNoBit) {
  const auto product = [](const Tensor& a, const Tensor& b, bool pairs) {
    const PairsGuard guard(pairs);
    const Tensor c = matmul(a, b), turned = matmul(b.t().contiguous(), a.t().contiguous()).t();
    EXPECT_EQ(bytes_of(c), bytes_of(turned.contiguous()));
    EXPECT_EQ(bytes_of(c), bytes_of(linear(a, b.t().contiguous())));
    return result_bytes(c);
  };
  for (const auto& [m, n, k] :
       {std::array<int64_t, 3>{7, 33, 1}, {13, 70, 255}, {100, 31, 257}, {30, 500, 700}, {400, 40, 90}})
    for (const double scale : {1.0, 1e-16, 1e-19, 1e-22, 1e-38, 1e30}) {
      const Tensor a = (test_mixed_values({m, k}, 1) * scale).to(bfloat16),
                   b = (test_mixed_values({k, n}, 2) * scale).to(bfloat16);
      EXPECT_EQ(difference(product(a, b, true), product(a, b, false)), "") << m << "x" << n << "x" << k << " " << scale;
    }
}

// The sum of the products is 2^-14 of the largest: the largest subnormal power of two, or the smallest that is none.
TEST(Matmul, PairsOfBfloat16KeepTheSmallestSum) {
  const PairsGuard guard(true);
  for (const int exponent : {-113, -112}) {
    const double x = std::ldexp(1, -56), y = std::ldexp(1, exponent + 56), step = std::ldexp(1, -7);
    const Tensor row = tensor({(1 + step) * x, -(1 + 2 * step) * x}), column = tensor({(1 + step) * y, y});
    const Tensor a = row.expand({8, 2}).to(bfloat16), b = column.expand({40, 2}).t().to(bfloat16);
    EXPECT_TRUE(equal(matmul(a, b), full({8, 40}, std::ldexp(1, exponent - 14), bfloat16))) << exponent;
  }
}

// Small integers, whose sums are exact in float and double.
void expect_exact_product(int64_t batch, int64_t m, int64_t n, int64_t k, DType dtype, DType c_dtype, Device device) {
  const Tensor a = test_indices({batch, m, k}, 4, 1), b = test_indices({batch, k, n}, 4, 2);
  const auto x = a.to_vector<int64_t>(), y = b.to_vector<int64_t>();
  std::vector<double> expected;
  for (int64_t e = 0; e < batch * m * n; ++e) {
    double sum = 0;
    for (int64_t p = 0; p < k; ++p)
      sum += double(x[size_t(e / n * k + p)] * y[size_t((e / (m * n) * k + p) * n + e % n)]);
    expected.push_back(sum);
  }
  const Tensor left = a.to(device, dtype), right = b.to(device, dtype);
  Tensor c = zeros({batch, m, n}, {c_dtype, device});
  kernels::gemm({.m = m,
                 .n = n,
                 .k = k,
                 .batch = batch,
                 .a = {left.data(), k, 1, m * k},
                 .b = {right.data(), n, 1, k * n},
                 .c = {c.data(), n, 1, m * n},
                 .dtype = dtype,
                 .c_dtype = c_dtype},
                device);
  EXPECT_EQ(c.to_vector<double>(), expected) << Dims{batch, m, n, k}.str() << " " << name(dtype) << " " << device.str();
}

TEST(Matmul, EveryTypeInSlicesOfKAndInManyTiles) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (Device device : test_devices())
    for (DType dtype : {float32, float64, float16, bfloat16}) {
      const DType sums = dtype == float64 ? float64 : float32;
      expect_exact_product(1, 2, 3, 256 * 64 + 1, dtype, sums, device);
      for (DType c_dtype : {dtype, sums}) expect_exact_product(256, 1, 2, 3, dtype, c_dtype, device);
    }
}

TEST(Matmul, IntegersWrapAround) {
  for (Device device : test_devices()) {
    const Tensor a = from_vector<int32_t>({1 << 30, 3, -7, 2}, {2, 2}).to(device);
    EXPECT_EQ(matmul(a, a).to_vector<int32_t>(), (std::vector<int32_t>{-21, -1073741818, 1073741810, -17}));
    const Tensor bytes = from_vector<uint8_t>({200, 100}, {1, 2}).to(device);
    EXPECT_EQ(matmul(bytes, bytes.t()).to_vector<int32_t>(), (std::vector<int32_t>{(200 * 200 + 100 * 100) % 256}));
  }
}

TEST(Matmul, BroadcastAndStridedBatches) {
  const DeterminismGuard guard(Determinism::device_to_device);  // cuBLAS multiplies a batch in another order than one
  for (Device device : test_devices()) {
    const Tensor a = test_values({2, 1, 3, 4}, 1).to(device), b = test_values({5, 4, 2}, 2).to(device);
    const Tensor c = matmul(a, b);
    ASSERT_EQ(c.sizes(), Dims({2, 5, 3, 2}));
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 5; ++j)
        EXPECT_EQ(bytes_of(c[i][j].contiguous()), bytes_of(matmul(a[i][0].contiguous(), b[j].contiguous())));
    const Tensor swapped = test_values({3, 2, 4}, 3).to(device).transpose(0, 1);  // batch in the middle
    const Tensor expected = matmul(swapped.contiguous(), a[0][0].t().contiguous());
    EXPECT_EQ(bytes_of(matmul(swapped, a[0][0].t())), bytes_of(expected));
    EXPECT_EQ(bytes_of(matmul(swapped.slice(2, 0, 4, 2), b[0].slice(0, 0, 4, 2))),
              bytes_of(matmul(swapped.slice(2, 0, 4, 2).contiguous(), b[0].slice(0, 0, 4, 2).contiguous())));
  }
}

TEST(Matmul, MoreBatchesThanAGridNumbers) {
  constexpr int64_t n = 65535 + 2;
  for (Device device : test_devices()) {
    if (device.is_cuda() && checked_build()) continue;  // a minute, for what checkers see in smaller batches
    const Tensor a = test_indices({n, 1, 2}, 10, 1).to(float32), b = test_indices({n, 2, 1}, 10, 2).to(float32);
    const auto x = a.to_vector<float>(), y = b.to_vector<float>(),
               c = matmul(a.to(device), b.to(device)).to_vector<float>();
    for (size_t i = 0; i < size_t(n); ++i) ASSERT_EQ(c[i], x[2 * i] * y[2 * i] + x[2 * i + 1] * y[2 * i + 1]) << i;
  }
}

TEST(Matmul, RefusesFlags) {
  EXPECT_ORDO_ERROR(matmul(zeros({2, 2}, boolean), zeros({2, 2}, boolean)), DTypeError, "bool");
}

}  // namespace
}  // namespace ordo::test::matmul_samples_test
