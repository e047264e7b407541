// Products by `exact`: ordering rule 5, whatever the order, the layout, the batch or the device.
#include <cstring>

#include <ordo/kernels/matmul/exact_product.h>
#include "tests/kernels/accumulate/exact_reference.h"
#include "tests/kernels/samples.h"

namespace ordo::test::exact_product_test {
namespace {

std::vector<float> column_of(const std::vector<float>& b, int64_t n, int64_t j) {
  std::vector<float> column;
  for (size_t p = size_t(j); p < b.size(); p += size_t(n)) column.push_back(b[p]);
  return column;
}

template <class T>
auto by_rule5(const Tensor& a, const Tensor& b) {
  const auto x = a.to_vector<float>(), y = b.to_vector<float>();
  const int64_t m = a.size(0), k = a.size(1), n = b.size(1);
  std::vector<T> all;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      all.push_back(rule5_of_products<T>({x.begin() + i * k, x.begin() + (i + 1) * k}, column_of(y, n, j)));
  return bytes_of(from_vector(all, {m, n}));
}

auto by_rule5(const Tensor& a, const Tensor& b) {
  if (a.dtype() == float16) return by_rule5<Half>(a, b);
  return a.dtype() == bfloat16 ? by_rule5<BFloat16>(a, b) : by_rule5<float>(a, b);
}

const DType kTypes[] = {float32, float16, bfloat16};

// So traces and processes with different ones are not compared in silence.
TEST(ExactProduct, is_a_setting_that_traces_have) {
  const auto before = library_settings();
  const MatmulAlgorithmGuard guard(Algorithm::exact);
  auto settings = library_settings();
  EXPECT_EQ(std::erase(settings, "ORDO_MATMUL=exact"), 1u);
  EXPECT_EQ(settings, before);
}

TEST(ExactProduct, follows_rule5_in_every_layout) {
  const MatmulAlgorithmGuard guard(Algorithm::exact);
  constexpr int64_t kShapes[][3] = {{1, 1, 1}, {3, 5, 7}, {65, 66, 17}, {2, 70, 520}, {3, 2, 256 * 64 + 1}};
  for (const auto& [m, n, k] : kShapes)
    for (DType dtype : kTypes) {
      const Tensor a = test_mixed_values({m, k}, 1).to(dtype), b = test_mixed_values({k, n}, 2).to(dtype);
      const auto expected = by_rule5(a, b);
      for (Device device : test_devices())
        for (Determinism level : {Determinism::not_guaranteed, Determinism::device_to_device}) {
          const DeterminismGuard at(level);
          const Tensor left = a.to(device), right = b.to(device);
          EXPECT_EQ(bytes_of(matmul(left, right).to(cpu)), expected)
              << m << "x" << n << "x" << k << " " << name(dtype) << " " << device.str();
          const Tensor right_t = right.t().contiguous();
          EXPECT_EQ(bytes_of(mm(left.t().contiguous().t(), right_t.t()).to(cpu)), expected);
          EXPECT_EQ(bytes_of(linear(left, right_t).to(cpu)), expected);
        }
    }
}

TEST(ExactProduct, of_a_row_does_not_depend_on_the_batch_and_batches_broadcast) {
  const MatmulAlgorithmGuard guard(Algorithm::exact);
  for (Device device : test_devices()) {
    const Tensor a = test_mixed_values({3, 4, 33}, 1).to(device, float32);
    const Tensor b = test_mixed_values({33, 5}, 2).to(device, float32);
    const Tensor whole = matmul(a, b), batched = matmul(a, b.unsqueeze(0).expand({3, 33, 5}));
    for (int64_t s = 0; s < 3; ++s)
      for (int64_t i = 0; i < 4; ++i) {
        const Tensor row = matmul(a.select(0, s).narrow(0, i, 1), b).squeeze(0);
        EXPECT_EQ(bytes_of(row), bytes_of(whole.select(0, s).select(0, i)));
        EXPECT_EQ(bytes_of(row), bytes_of(batched.select(0, s).select(0, i)));
      }
    EXPECT_EQ(matmul(a.narrow(2, 0, 0), b.narrow(0, 0, 0)).sum().item<double>(), 0);
    EXPECT_EQ(matmul(a.narrow(1, 0, 0), b).sizes(), Dims({3, 0, 5}));
  }
}

// Parts of k whose sums are added would be rounded twice; one sum of the whole is not. What cancels leaves what is small.
TEST(ExactProduct, has_no_bit_lost) {
  const MatmulAlgorithmGuard guard(Algorithm::exact);
  for (Device device : test_devices()) {
    const Tensor a = tensor<float>({0x1p60f, 1, -0x1p60f, 0x1p-60f}).view({1, 4}).to(device);
    const Tensor b = tensor<float>({0x1p60f, 1, 0x1p60f, 0x1p-60f}).view({4, 1}).to(device);
    EXPECT_EQ(matmul(a, b).item<float>(), 1.0f);
    const Tensor c = tensor<float>({0x1p60f, 0x1p-60f, -0x1p60f}).view({1, 3}).to(device);
    const Tensor d = tensor<float>({0x1p60f, 0x1p-60f, 0x1p60f}).view({3, 1}).to(device);
    EXPECT_EQ(matmul(c, d).item<float>(), 0x1p-120f);
    // 2^24 + 1 is in the middle: to even, unless something follows.
    const auto of_ones = [&](std::vector<float> values) {
      const int64_t k = int64_t(values.size());
      return matmul(from_vector(values, {1, k}).to(device), ones({k, 1}, {.device = device})).item<float>();
    };
    EXPECT_EQ(of_ones({0x1p24f, 1}), 0x1p24f);
    EXPECT_EQ(of_ones({0x1p24f, 1, 0x1p-140f}), 0x1p24f + 2);
    EXPECT_EQ(of_ones({0x1p24f, 1, -0x1p-140f}), 0x1p24f);
    EXPECT_EQ(of_ones({0x1p24f, 2, 1}), 0x1p24f + 4);
    EXPECT_EQ(of_ones({0x1.fffffep127f, 0x1p102f}), 0x1.fffffep127f);
    EXPECT_EQ(of_ones({0x1.fffffep127f, 0x1p103f}), kInf);
    EXPECT_TRUE(std::signbit(of_ones({-0.0f, -0.0f})));
    EXPECT_FALSE(std::signbit(of_ones({-0.0f, 0.0f})));
    EXPECT_FALSE(std::signbit(of_ones({-1, 1})));
  }
}

TEST(ExactProduct, adds_any_number_of_products) {
  kernels::ProductSum<3> sum;  // which carries after three
  for (int i = 0; i < 1000; ++i) sum.add(0x1.fffffep127 * 0x1.fffffep127);
  for (int i = 0; i < 1000; ++i) sum.add(-0x1.fffffep127 * 0x1.fffffep127);
  sum.add(0x1p-149 * 0x1.8p0);
  EXPECT_EQ(sum.rounded<float>(), 0x1p-148f) << "1.5 units of the last place, to even";
}

TEST(ExactProduct, of_many_rows_with_any_number_of_threads) {
  const MatmulAlgorithmGuard guard(Algorithm::exact);
  const Tensor a = test_mixed_values({600, 9}, 1).to(float32), b = test_mixed_values({9, 70}, 2).to(float32);
  const auto expected = by_rule5(a, b);
  for (int threads : {1, 2, 3}) {
    set_num_threads(threads);
    EXPECT_EQ(bytes_of(matmul(a, b)), expected) << threads;
  }
  set_num_threads(2);
}

// Sums that are exact in double, and those of which all products are zero.
TEST(ExactProduct, of_integers_and_zeros) {
  const MatmulAlgorithmGuard guard(Algorithm::exact);
  for (Device device : test_devices())
    for (DType dtype : kTypes) {
      const Tensor integers = (test_indices({30, 40}, 9, 1) - 4).to(dtype);
      const Tensor more = (test_indices({40, 20}, 9, 2) - 4).to(dtype);
      const Tensor one = eye(40).to(dtype), mixed = test_mixed_values({40, 40}, 3).to(dtype);
      const std::pair<Tensor, Tensor> pairs[] = {{integers, more},
                                                 {one, mixed},
                                                 {mixed, one},
                                                 {one, one},
                                                 {-one, one},
                                                 {tril(mixed), tril(mixed, -1)},
                                                 {zeros_like(mixed), -mixed}};
      for (const auto& [a, b] : pairs)
        EXPECT_EQ(bytes_of(matmul(a.to(device), b.to(device)).to(cpu)), by_rule5(a, b)) << name(dtype);
    }
}

TEST(ExactProduct, of_what_a_batch_shares) {
  const MatmulAlgorithmGuard guard(Algorithm::exact);
  const Tensor a = test_mixed_values({3, 4, 33}, 1).to(float32), b = test_mixed_values({33, 5}, 2).to(float32);
  const Tensor shared = b.unsqueeze(0).expand({3, 33, 5}), left = a.narrow(0, 0, 1).expand({3, 4, 33});
  EXPECT_EQ(bytes_of(bmm(a, shared)), bytes_of(bmm(a, shared.contiguous())));
  EXPECT_EQ(bytes_of(bmm(left, shared)), bytes_of(bmm(left.contiguous(), shared.contiguous())));
  const Tensor two = test_mixed_values({2, 1, 3, 5}, 3).to(float32),
               four = test_mixed_values({1, 4, 5, 6}, 4).to(float32);
  const Tensor all = matmul(two, four);
  EXPECT_EQ(all.sizes(), Dims({2, 4, 3, 6}));
  for (int64_t i : {0, 1})
    for (int64_t j = 0; j < 4; ++j)
      EXPECT_EQ(bytes_of(all.select(0, i).select(0, j)),
                by_rule5(two.select(0, i).select(0, 0), four.select(0, 0).select(0, j)));
}

TEST(ExactProduct, bad_operands) {
  const MatmulAlgorithmGuard guard(Algorithm::exact);
  const Tensor a = ones({2, 2}), b = ones({2, 2}, {.dtype = float64});
  EXPECT_THROW((void)matmul(a, b), DTypeError);
  EXPECT_THROW((void)matmul(b, a), DTypeError);
  EXPECT_THROW((void)mm(a, ones({2, 2}, {.dtype = int64})), DTypeError);
  EXPECT_THROW((void)linear(a, a, ones({2}, {.dtype = float16})), DTypeError);
  EXPECT_THROW((void)matmul(a, ones({3, 2})), ShapeError);
  EXPECT_THROW((void)linear(a, ones({2, 3})), ShapeError);
}

TEST(ExactProduct, linear_adds_the_bias_before_it_rounds) {
  const MatmulAlgorithmGuard guard(Algorithm::exact);
  for (Device device : test_devices()) {
    const TensorOptions there{.device = device};
    const Tensor x = tensor<float>({0x1p24f, 1}).view({1, 2}).to(device), w = ones({1, 2}, there);
    EXPECT_EQ(linear(x, w, tensor<float>({0x1p-100f}).to(device)).item<float>(), 0x1p24f + 2);
    const Tensor strided = tensor<float>({0x1p-100f, 5, -0x1p-100f, 5}).to(device).view({2, 2}).select(1, 0);
    const auto both = linear(x, ones({2, 2}, there), strided).to_vector<float>();
    EXPECT_EQ(both, (std::vector<float>{0x1p24f + 2, 0x1p24f}));
    const Tensor empty = linear(ones({3, 0}, there), ones({1, 0}, there), tensor<float>({7}).to(device));
    EXPECT_EQ(empty.sum().item<float>(), 21);
  }
}

TEST(ExactProduct, recurrent_networks_and_attention_keep_their_rules) {
  Tensor q = test_mixed_values({2, 6, 8}, 1).to(float32).requires_grad_();
  const auto attention = [&] {
    const Tensor out = scaled_dot_product_attention(q, q, q);
    return std::pair{bytes_of(out), bytes_of(grad({out.sum()}, {q})[0])};
  };
  manual_seed(1);
  nn::GRUCell cell(8, 5);
  nn::GRU layer(8, 5);
  const auto recurrent = [&] {
    return std::pair{bytes_of(cell(q.detach().select(0, 0))), bytes_of(layer(q.detach()).output)};
  };
  const auto before = attention();
  const auto states = recurrent();
  const MatmulAlgorithmGuard guard(Algorithm::exact);
  EXPECT_EQ(attention(), before);
  EXPECT_EQ(recurrent(), states);
}

TEST(ExactProduct, gradients_follow_the_forward_pass) {
  Tensor a = test_mixed_values({5, 40}, 1).to(float32).requires_grad_(),
         b = test_mixed_values({40, 6}, 2).to(float32).requires_grad_();
  const Tensor grad = test_mixed_values({5, 6}, 3).to(float32);
  Tensor y;
  {
    const MatmulAlgorithmGuard guard(Algorithm::exact);
    y = matmul(a, b);
  }
  y.backward(grad);
  EXPECT_EQ(bytes_of(a.grad()), by_rule5(grad, b.detach().t().contiguous()));
  EXPECT_EQ(bytes_of(b.grad()), by_rule5(a.detach().t().contiguous(), grad));
  EXPECT_NE(bytes_of(a.grad()), bytes_of(matmul(grad, b.detach().t()))) << "both orders round alike: a weak test";
}

TEST(ExactProduct, the_setting) {
  EXPECT_EQ(matmul_algorithm(), Algorithm::automatic);
  const Tensor a = test_mixed_values({4, 300}, 1).to(float32), b = test_mixed_values({300, 4}, 2).to(float32);
  const auto chosen = [](const Tensor& x, const Tensor& y) {
    Algorithm found = Algorithm::automatic;
    const OpListener listener([&](const OpEvent& event) {
      if (event.depth == 0) found = event.algorithm;
    });
    (void)matmul(x, y);
    return found;
  };
  set_matmul_algorithm(Algorithm::exact);
  EXPECT_EQ(chosen(a, b), Algorithm::exact);
  EXPECT_EQ(bytes_of(einsum("ij,jk->ik", {a, b})), bytes_of(matmul(a, b)));
  EXPECT_NE(chosen(a.to(float64), b.to(float64)), Algorithm::exact);
  {
    const MatmulAlgorithmGuard guard(Algorithm::automatic);
    EXPECT_NE(chosen(a, b), Algorithm::exact);
  }
  set_matmul_algorithm(Algorithm::automatic);
  EXPECT_NE(chosen(a, b), Algorithm::exact);
  EXPECT_THROW(set_matmul_algorithm(Algorithm::sorted), ValueError);
  EXPECT_THROW((void)MatmulAlgorithmGuard(Algorithm::library), ValueError);
}

}  // namespace
}  // namespace ordo::test::exact_product_test
