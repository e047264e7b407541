// Which dtype a result has, and what elementwise operations refuse.
#include "tests/kernels/samples.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::promotion_test {
namespace {

Tensor of(DType t, const Dims& sizes = {2}) { return ones(sizes, {t}); }

// Expected values are PyTorch's (torch.result_type).
TEST(Promotion, two_tensors) {
  EXPECT_EQ((of(int32) + of(int64)).dtype(), int64);
  EXPECT_EQ((of(uint8) + of(boolean)).dtype(), uint8);
  EXPECT_EQ((of(int64) * of(float16)).dtype(), float16);
  EXPECT_EQ((of(float16) * of(bfloat16)).dtype(), float32);
  EXPECT_EQ((of(float32) - of(float64)).dtype(), float64);
  EXPECT_EQ((of(boolean) + of(boolean)).dtype(), boolean);
}

TEST(Promotion, zero_dimensional_tensors_raise_the_kind_only) {
  EXPECT_EQ((of(float32) + of(float64, {})).dtype(), float32);
  EXPECT_EQ((of(int32) + of(int64, {})).dtype(), int32);
  EXPECT_EQ((of(int32) + of(float64, {})).dtype(), float64);
  EXPECT_EQ((of(int32, {}) + of(int64, {})).dtype(), int64);
  EXPECT_EQ((of(boolean) + of(uint8, {})).dtype(), uint8);
}

TEST(Promotion, numbers_raise_the_kind_only) {
  EXPECT_EQ((of(int32) * 2).dtype(), int32);
  EXPECT_EQ((of(int32) * 2.5).dtype(), float32);
  EXPECT_EQ((of(float16) * 2.5).dtype(), float16);
  EXPECT_EQ((of(float64) + 1).dtype(), float64);
  EXPECT_EQ((of(boolean) + 1).dtype(), int64);
  EXPECT_EQ((of(uint8) + true).dtype(), uint8);
  EXPECT_EQ((of(int64, {}) + 2.5).dtype(), float32);
}

TEST(Promotion, division_and_functions_of_integers_are_floating) {
  EXPECT_EQ((of(int64) / of(int32)).dtype(), float32);
  EXPECT_EQ((of(int64) / 2).to_vector<double>(), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ((of(boolean) / of(boolean)).dtype(), float32);
  EXPECT_EQ(exp(of(int64)).dtype(), float32);
  EXPECT_EQ(sqrt(of(boolean)).dtype(), float32);
  EXPECT_EQ(exp(of(float16)).dtype(), float16);
  EXPECT_EQ(floor(of(int32)).dtype(), int32);
  EXPECT_EQ(clamp(of(int32), 0.5).dtype(), float32);
  EXPECT_EQ(clamp(of(int32), 2).dtype(), int32);
}

TEST(Promotion, comparisons_are_bool) {
  EXPECT_EQ((of(float32) < of(int64)).dtype(), boolean);
  EXPECT_EQ(eq(of(int32), 0.5).to_vector<int64_t>(), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(logical_and(of(float32), of(int64)).dtype(), boolean);
  EXPECT_EQ(where(of(boolean), of(int32), 0.5).dtype(), float32);
}

TEST(Arithmetic, integers_wrap) {
  for (Device device : test_devices()) {
    const Tensor t = tensor<int32_t>({2147483647, -2147483647 - 1}).to(device);
    EXPECT_EQ((t + 1).to_vector<int64_t>(), (std::vector<int64_t>{-2147483648LL, -2147483647}));
    EXPECT_EQ(neg(t).to_vector<int64_t>(), (std::vector<int64_t>{-2147483647, -2147483648LL}));
    EXPECT_EQ((t * 2).to_vector<int64_t>(), (std::vector<int64_t>{-2, 0}));
    EXPECT_EQ((tensor<uint8_t>({1, 255}).to(device) - 2).to_vector<int64_t>(), (std::vector<int64_t>{255, 253}));
    const Tensor base = tensor<int64_t>({2, -1, 1, 0, -3}).to(device);
    EXPECT_EQ(pow(base, tensor<int64_t>({10, -3, -2, -1, 3}).to(device)).to_vector<int64_t>(),
              (std::vector<int64_t>{1024, -1, 1, 0, -27}));
  }
}

TEST(Arithmetic, nan_and_signed_zero) {
  for (Device device : test_devices()) {
    const Tensor t = tensor<float>({NAN, -0.0f, 3}).to(device);
    EXPECT_TRUE(std::isnan(maximum(t, zeros_like(t)).to_vector<float>()[0]));
    EXPECT_TRUE(std::isnan(minimum(zeros_like(t), t).to_vector<float>()[0]));
    EXPECT_TRUE(std::isnan(relu(t).to_vector<float>()[0]));
    EXPECT_TRUE(std::isnan(clamp(t, 0, 1).to_vector<float>()[0]));
    EXPECT_TRUE(std::isnan(sign(t).to_vector<float>()[0]));
    EXPECT_EQ((t == t).to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 1}));
    EXPECT_EQ((t != t).to_vector<int64_t>(), (std::vector<int64_t>{1, 0, 0}));
    EXPECT_EQ(isnan(t).to_vector<int64_t>(), (std::vector<int64_t>{1, 0, 0}));
    EXPECT_EQ(isinf(t / 0).to_vector<int64_t>(), (std::vector<int64_t>{0, 0, 1}));
    EXPECT_EQ(isfinite(tensor<int32_t>({1, 2}).to(device)).to_vector<int64_t>(), (std::vector<int64_t>{1, 1}));
    EXPECT_EQ(logical_not(t).to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 0}));
    EXPECT_TRUE(std::signbit(sqrt(t).to_vector<float>()[1]));
  }
}

/// Whole ranges of threads, tails of vector loops and strides: every element on its own must give the same.
TEST(Arithmetic, large_tensors_agree_with_their_parts) {
  const ThreadsScope scope;
  for (int n : {1, 3}) {
    set_num_threads(n);
    const Tensor a = test_values({70001}, 1).to(float32), b = test_values({70001}, 2).to(float32);
    const Tensor sum = a + b, sine = sin(a * 1e6), transposed = a.slice(0, 0, 70000).view({200, 350}).t() * 2;
    for (int64_t i : {0, 1, 32767, 32768, 35000, 69999, 70000}) {
      EXPECT_EQ(sum[i].item<float>(), a[i].item<float>() + b[i].item<float>());
      EXPECT_EQ(sine[i].item<float>(), sin(a[i] * 1e6).item<float>());
    }
    EXPECT_EQ(transposed.select(0, 349)[199].item<float>(), a[69999].item<float>() * 2);
  }
}

TEST(InPlace, keeps_the_dtype_or_refuses) {
  for (Device device : test_devices()) {
    Tensor t = tensor<float>({1, 2}).to(device);
    t.add_(tensor<double>({0.5, 0.25}).to(device), 2)
        .mul_(2)
        .sub_(tensor<int64_t>({1, 1}).to(device))
        .div_(2)
        .add_(0.25);
    EXPECT_EQ(t.dtype(), float32);
    EXPECT_EQ(t.to_vector<double>(), (std::vector<double>{1.75, 2.25}));
    Tensor i = tensor<int32_t>({6, 7}).to(device);
    EXPECT_ORDO_ERROR(i.add_(0.5), DTypeError, "[add_]");
    EXPECT_ORDO_ERROR(i.mul_(t), DTypeError, "[mul_]");
    EXPECT_ORDO_ERROR(i.div_(2), DTypeError, "[div_]");
    EXPECT_ORDO_ERROR(i.masked_fill_(i == 6, 0.5), DTypeError, "[masked_fill_]");
    i.masked_fill_(i == 6, 9);
    EXPECT_EQ(i.to_vector<int64_t>(), (std::vector<int64_t>{9, 7}));
    Tensor f = (i == 9);
    EXPECT_ORDO_ERROR(f.add_(1), DTypeError, "[add_]");
    // A transposed operand of the same memory is read before it is overwritten.
    Tensor square = tensor<float>({1, 2, 3, 4}).view({2, 2}).to(device);
    square.add_(square.t());
    EXPECT_EQ(square.to_vector<double>(), (std::vector<double>{2, 5, 5, 8}));
  }
}

TEST(InPlace, gradients) {
  const Tensor x = tensor<double>({1, 2, 3}), y = tensor<double>({2, 0.5, 4});
  const auto leaf = [](const Tensor& t) { return t.clone().set_requires_grad(); };
  const auto check = [&](auto f) { EXPECT_EQ(gradcheck(f, {leaf(x), leaf(y)}, {.second_order = true}), ""); };
  check([](const TensorList& in) {
    Tensor t = in[0] * 3;
    t.add_(in[1], 2).mul_(in[1]).sub_(in[0]).div_(in[1]).mul_(0.5).add_(1).div_(3);
    return t * t;
  });
  check([](const TensorList& in) {
    Tensor t = in[0] * in[1];
    t.mul_(t);
    return t;
  });
  check([](const TensorList& in) {
    Tensor t = in[0] * in[1];
    t.div_(t).add_(in[0]);
    return t;
  });
  check([](const TensorList& in) {
    Tensor t = in[0] * in[1];
    return t.masked_fill_(in[0] > 1.5, 7) + in[0];
  });
}

TEST(BadInput, elementwise) {
  const Tensor flag = of(boolean, {2, 3});
  EXPECT_ORDO_ERROR(clamp(of(float32), std::nullopt, std::nullopt), ValueError, "[clamp]");
  EXPECT_ORDO_ERROR(flag - flag, DTypeError, "[sub]");
  EXPECT_ORDO_ERROR(pow(flag, flag), DTypeError, "[pow]");
  EXPECT_ORDO_ERROR(gelu(of(float32), GELUApproximate(2)), ValueError, "[gelu]");
  Tensor t = ones({3});
  EXPECT_ORDO_ERROR(t.add_(ones({2, 3})), ShapeError, "[add_]");
  EXPECT_ORDO_ERROR(t.mul_(ones({2})), ShapeError, "[mul_]");
  EXPECT_ORDO_ERROR(Tensor().add_(t), ValueError, "[add_]");
  EXPECT_ORDO_ERROR(t.mul_(Tensor()), ValueError, "[mul_]");
  if (test_devices().size() > 1) EXPECT_ORDO_ERROR(t.add_(t.to("cuda")), DeviceError, "[add_]");
}

}  // namespace
}  // namespace ordo::test::promotion_test
