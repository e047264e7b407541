// Samples and rules of functions of three operands, of activations with a gate, and of isclose, nan_to_num and
// bitwise_not.
#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::ternary_samples_test {
namespace {

using T = const Tensor&;
using Formula = double (*)(double, double, double);
using Run = Tensor (*)(T, T, T);

Sample ternary(Run run, Formula formula, const Dims& a, const Dims& b, const Dims& c, double c_least) {
  const Dims sizes = broadcast_sizes("test", a, broadcast_sizes("test", b, c));
  return {.label = a.str() + " " + b.str() + " " + c.str(),
          .inputs = {test_values(a, 1), test_values(b, 2), test_values(c, 3, c_least, 2)},
          .run = [run](const TensorList& in) { return run(in[0], in[1], in[2]); },
          .reference =
              [=](const TensorList& in) {
                const auto x = in[0].expand(sizes).to_vector<double>(), y = in[1].expand(sizes).to_vector<double>(),
                           z = in[2].expand(sizes).to_vector<double>();
                std::vector<double> out;
                for (size_t i = 0; i < x.size(); ++i) out.push_back(formula(x[i], y[i], z[i]));
                return out;
              },
          .gradient = sizes.product() < 100};
}

std::vector<Sample> ternary(Run run, Formula formula, double c_least) {
  std::vector<Sample> samples;
  const Dims shapes[][3] = {{{}, {}, {}},
                            {{5}, {5}, {5}},
                            {{3, 4}, {3, 4}, {}},
                            {{4}, {3, 1}, {3, 4}},
                            {{}, {2, 1}, {3}},
                            {{0, 3}, {3}, {1, 1}},
                            {{3, 7, 31}, {3, 7, 31}, {3, 7, 31}},
                            {{7, 31}, {3, 1, 1}, {7, 1}}};
  for (const auto& [a, b, c] : shapes) samples.push_back(ternary(run, formula, a, b, c, c_least));
  return samples;
}

std::vector<Sample> ternary_sizes(Run run, Formula formula, double c_least, int64_t n) {
  return {ternary(run, formula, {n}, {n}, {n}, c_least), ternary(run, formula, {3, n}, {n}, {3, 1}, c_least)};
}

Tensor lerp3(T a, T b, T c) { return lerp(a, b, c); }
double lerp_reference(double a, double b, double c) { return a + c * (b - a); }
ORDO_OP_SIZES(lerp) { return ternary_sizes(lerp3, lerp_reference, -1, n); }
ORDO_OP_SAMPLES(lerp) {
  auto samples = ternary(lerp3, lerp_reference, -1);
  for (double weight : {0.25, 0.75}) {
    Sample s = ternary(lerp3, lerp_reference, {3, 4}, {4}, {1}, -1);
    s.label = "a number for the weight";
    s.inputs.pop_back();
    s.run = [weight](const TensorList& in) { return lerp(in[0], in[1], weight); };
    s.reference = [weight, of_three = s.reference](const TensorList& in) {
      return of_three({in[0], in[1], full({1}, weight, float64)});
    };
    samples.push_back(s);
  }
  return samples;
}

Tensor addcmul3(T a, T b, T c) { return addcmul(a, b, c, 2); }
double addcmul_reference(double a, double b, double c) { return a + 2 * b * c; }
ORDO_OP_SIZES(addcmul) { return ternary_sizes(addcmul3, addcmul_reference, -2, n); }
ORDO_OP_SAMPLES(addcmul) { return ternary(addcmul3, addcmul_reference, -2); }

Tensor addcdiv3(T a, T b, T c) { return addcdiv(a, b, c, -0.5); }
double addcdiv_reference(double a, double b, double c) { return a - 0.5 * b / c; }
ORDO_OP_SIZES(addcdiv) { return ternary_sizes(addcdiv3, addcdiv_reference, 0.5, n); }
ORDO_OP_SAMPLES(addcdiv) { return ternary(addcdiv3, addcdiv_reference, 0.5); }

ORDO_OP_INTEGER(lerp, "weight", lerp(some(d), some(d), v));
ORDO_OP_INTEGER(addcmul, "value of uint8", [&] {
  const Tensor t = some(d).to(uint8);
  return addcmul(t, t, t, v);
}());
ORDO_OP_INTEGER(addcmul, "value", addcmul(some(d), some(d), some(d), v));
ORDO_OP_INTEGER(addcdiv, "value", addcdiv(some(d), some(d), some(d), v));

// -- gates

/// x has dimension 1.
Sample prelu_sample(const Dims& x, int64_t weights) {
  int64_t inner = 1;
  for (int d = 2; d < x.size(); ++d) inner *= x[d];
  return {.label = x.str() + ", weights " + std::to_string(weights),
          .inputs = {test_values(x, 1), test_values({weights}, 2)},
          .run = [](const TensorList& in) { return prelu(in[0], in[1]); },
          .reference =
              [inner, weights](const TensorList& in) {
                auto v = in[0].to_vector<double>();
                const auto w = in[1].to_vector<double>();
                for (size_t i = 0; i < v.size(); ++i)
                  if (!(v[i] > 0)) v[i] *= w[size_t(int64_t(i) / inner % weights)];
                return v;
              },
          .gradient = x.product() < 100,
          .tolerance = 4};
}
ORDO_OP_SAMPLES(prelu) {
  return {prelu_sample({5}, 1),       prelu_sample({3, 4}, 4), prelu_sample({2, 3, 5}, 3),
          prelu_sample({2, 3, 5}, 1), prelu_sample({0, 3}, 3), prelu_sample({3, 7, 31}, 7)};
}
ORDO_OP_SIZES(prelu) { return {prelu_sample({n, 3}, 3), prelu_sample({2, n}, n), prelu_sample({2, 3, n}, 3)}; }

Sample glu_sample(const Dims& x, int64_t dim) {
  int64_t inner = 1;
  for (int d = int(dim) + 1; d < x.size(); ++d) inner *= x[d];
  return {.label = x.str() + " dim " + std::to_string(dim),
          .inputs = {test_values(x, 1)},
          .run = [dim](const TensorList& in) { return glu(in[0], dim); },
          .reference =
              [=](const TensorList& in) {
                const auto v = in[0].to_vector<double>();
                std::vector<double> out;
                const size_t half = size_t(x[int(dim)] / 2 * inner);
                for (size_t start = 0; start < v.size(); start += 2 * half)
                  for (size_t i = 0; i < half; ++i) out.push_back(v[start + i] / (1 + std::exp(-v[start + half + i])));
                return out;
              },
          .gradient = x.product() < 100};
}
ORDO_OP_SAMPLES(glu) {
  return {glu_sample({6}, 0), glu_sample({3, 4}, 1), glu_sample({2, 4, 3}, 1), glu_sample({0, 4}, 1),
          glu_sample({6, 7, 31}, 0)};
}
ORDO_OP_SIZES(glu) { return {glu_sample({2 * n}, 0), glu_sample({n, 4}, 1)}; }
ORDO_OP_INTEGER(glu, "dim", glu(some(d).t(), v));

// -- of one or two operands

Sample isclose_sample(const Dims& a, const Dims& b) {
  return {.label = a.str() + " " + b.str(),
          .inputs = {test_indices(a, 4, 1, int32).to(float64), test_indices(b, 4, 2, int32).to(float64)},
          .run = [](const TensorList& in) { return isclose(in[0], in[1], 0.25, 0.5); },
          .reference =
              [=](const TensorList& in) {
                const Dims sizes = broadcast_sizes("test", a, b);
                const auto x = in[0].expand(sizes).to_vector<double>(), y = in[1].expand(sizes).to_vector<double>();
                std::vector<double> out;
                for (size_t i = 0; i < x.size(); ++i)
                  out.push_back(std::abs(x[i] - y[i]) <= 0.5 + 0.25 * std::abs(y[i]));
                return out;
              },
          .gradient = false};
}
ORDO_OP_SAMPLES(isclose) {
  return {isclose_sample({}, {}), isclose_sample({3, 4}, {4}), isclose_sample({0}, {0}),
          isclose_sample({7, 31}, {7, 31})};
}
ORDO_OP_SIZES(isclose) { return {isclose_sample({n}, {n})}; }

/// Of two tensors, the second one `off` at its last element.
Sample comparison_sample(const char* label, const Dims& sizes, double off, bool expected,
                         bool (*compare)(const Tensor&, const Tensor&)) {
  Tensor a = test_indices(sizes, 4, 1, int32).to(float64), b = a.clone();
  if (b.numel() > 0) {
    Tensor last = b.reshape({-1}).narrow(0, b.numel() - 1, 1);
    last += off;
  }
  return {.label = label,
          .inputs = {a, b},
          .run =
              [=](const TensorList& in) {
                return full({}, compare(in[0], in[1]), {boolean, in[0].device()});
              },
          .reference = [=](const TensorList&) { return std::vector<double>{double(expected)}; },
          .gradient = false};
}
bool within_one(const Tensor& a, const Tensor& b) { return allclose(a, b, 0, 1); }
ORDO_OP_SAMPLES(allclose) {
  return {comparison_sample("close", {3, 4}, 1, true, within_one),
          comparison_sample("far", {3, 4}, 2, false, within_one), comparison_sample("none", {0}, 0, true, within_one)};
}
ORDO_OP_SIZES(allclose) { return {comparison_sample("far", {n}, 2, n == 0, within_one)}; }
ORDO_OP_SAMPLES(equal) {
  return {comparison_sample("equal", {3, 4}, 0, true, equal), comparison_sample("not equal", {3, 4}, 1, false, equal),
          comparison_sample("none", {0}, 0, true, equal)};
}
ORDO_OP_SIZES(equal) { return {comparison_sample("not equal", {n}, 1, n == 0, equal)}; }

Sample nan_to_num_sample(const Dims& sizes) {
  return {.label = sizes.str(),
          .inputs = {test_values(sizes)},
          .run = [](const TensorList& in) { return nan_to_num(in[0]); },
          .reference = [](const TensorList& in) { return in[0].to_vector<double>(); },
          .gradient = sizes.product() < 100,
          .tolerance = 0};
}
ORDO_OP_SAMPLES(nan_to_num) {
  return {nan_to_num_sample({}), nan_to_num_sample({0, 3}), nan_to_num_sample({3, 11, 31})};
}
ORDO_OP_SIZES(nan_to_num) { return {nan_to_num_sample({n})}; }

std::vector<Sample> bitwise_not_samples(const Dims& sizes) {
  std::vector<Sample> samples;
  for (DType dtype : {boolean, uint8, int32, int64})
    samples.push_back(
        {.label = std::string(name(dtype)) + " " + sizes.str(),
         .inputs = {test_indices(sizes, 200).to(dtype)},
         .run = [](const TensorList& in) { return bitwise_not(in[0]); },
         .reference = [highest = dtype == boolean ? 1
                                 : dtype == uint8 ? 255
                                                  : -1](
                          const TensorList& in) { return each_value(in[0], [=](double x) { return highest - x; }); },
         .gradient = false,
         .tolerance = 0});
  return samples;
}
ORDO_OP_SAMPLES(bitwise_not) { return bitwise_not_samples({3, 11}); }
ORDO_OP_SIZES(bitwise_not) { return bitwise_not_samples({n}); }

// -- what samples cannot say

void expect_values(T got, const std::vector<double>& want) {
  const auto v = got.to_vector<double>();
  ASSERT_EQ(v.size(), want.size());
  for (size_t i = 0; i < v.size(); ++i)
    EXPECT_TRUE(v[i] == want[i] || (std::isnan(v[i]) && std::isnan(want[i]))) << i << ": " << v[i] << " " << want[i];
}

TEST(Ternary, ends_dtypes_and_refusals) {
  for (Device device : test_devices()) {
    const Tensor a = tensor<double>({0.1, 1e16, -3}).to(device), b = tensor<double>({0.7, 1, 5}).to(device);
    EXPECT_EQ(bytes_of(lerp(a, b, 0)), bytes_of(a));
    EXPECT_EQ(bytes_of(lerp(a, b, 1)), bytes_of(b));
    const Tensor whole = tensor({2, 3}).to(device, int32), more = whole.to(float32);
    EXPECT_EQ(addcmul(whole, whole, whole, 3).to_vector<int>(), (std::vector<int>{14, 30}));
    EXPECT_EQ(addcmul(whole, more, whole).dtype(), float32);
    const Tensor wide = scalar_tensor(2, {float64, device}), single = scalar_tensor(2, {float32, device});
    EXPECT_EQ(addcmul(wide, more, wide).dtype(), float32) << "0-d tensors do not decide";
    EXPECT_EQ(addcmul(wide, whole, single).dtype(), float64) << "but for the kind";
    EXPECT_EQ(addcmul(wide, single, single).dtype(), float64);
    EXPECT_EQ(addcdiv(more, whole, whole).to_vector<float>(), (std::vector<float>{3, 4}));
    EXPECT_ORDO_ERROR(addcmul(whole, whole, whole, 0.5), DTypeError, "[addcmul] value = 0.5");
    EXPECT_ORDO_ERROR(addcdiv(whole, whole, whole), DTypeError, "[addcdiv]");
    EXPECT_ORDO_ERROR(lerp(whole, whole, 0.5), DTypeError, "[lerp]");
  }
}

TEST(Gates, shapes_zeros_and_refusals) {
  const Tensor x = tensor<double>({0, -2, 3}).set_requires_grad(), w = tensor<double>({0.5}).set_requires_grad();
  prelu(x, w).sum().backward();
  expect_values(x.grad(), {0.5, 0.5, 1});
  expect_values(w.grad(), {-2});
  expect_values(prelu(tensor<double>({NAN, INFINITY, -INFINITY}), w), {NAN, INFINITY, -INFINITY});
}

TEST(IsClose, infinities_nan_and_dtypes) {
  for (Device device : test_devices()) {
    const Tensor a = tensor<double>({INFINITY, INFINITY, NAN, 1, INFINITY}).to(device),
                 b = tensor<double>({INFINITY, -INFINITY, NAN, 1 + 1e-6, 1}).to(device);
    expect_values(isclose(a, b), {1, 0, 0, 1, 0});
    expect_values(isclose(a, b, 0, 0), {1, 0, 0, 0, 0});
    expect_values(isclose(a, b, 1e-5, 1e-8, true), {1, 0, 1, 1, 0});
    EXPECT_FALSE(allclose(a, b));
    EXPECT_TRUE(allclose(a.narrow(0, 3, 1), b.narrow(0, 3, 1)));
    EXPECT_TRUE(allclose(a.narrow(0, 0, 0), b.narrow(0, 0, 0)));
    const Tensor flags = tensor<bool>({true, false}).to(device), numbers = tensor({1000000, 3}).to(device);
    expect_values(isclose(flags, flags), {1, 1});
    expect_values(isclose(numbers, numbers + 5), {1, 0});
    EXPECT_TRUE(equal(numbers, numbers.clone()));
    EXPECT_FALSE(equal(numbers, numbers + 1));
    EXPECT_FALSE(equal(numbers, numbers.unsqueeze(0)));
    EXPECT_FALSE(equal(a, a)) << "NaN";
    EXPECT_TRUE(equal(a.narrow(0, 0, 0), a.narrow(0, 0, 0)));
    EXPECT_TRUE(equal(numbers, numbers.to(float64)));
    EXPECT_ORDO_ERROR(isclose(a, b, -1), ValueError, "[isclose] rtol");
  }
}

TEST(NanToNum, replaces) {
  for (Device device : test_devices()) {
    const Tensor x = tensor<float>({NAN, INFINITY, -INFINITY, -0.0f, 2}).to(device).set_requires_grad();
    constexpr double most = std::numeric_limits<float>::max();
    expect_values(nan_to_num(x), {0, most, -most, -0.0, 2});
    expect_values(nan_to_num(x, 7, 8, -9), {7, 8, -9, -0.0, 2});
    expect_values(nan_to_num(x.to(float16)), {0, 65504, -65504, 0, 2});
    expect_values(nan_to_num(x.to(bfloat16), 1, INFINITY), {1, INFINITY, -0x1.fep127, 0, 2});
    nan_to_num(x).sum().backward();
    expect_values(x.grad(), {0, 0, 0, 1, 1});
    EXPECT_EQ(nan_to_num(tensor({3}).to(device)).dtype(), int64);
    EXPECT_ORDO_ERROR(nan_to_num(x, 1e300), ValueError, "[nan_to_num]");
  }
}

}  // namespace
}  // namespace ordo::test::ternary_samples_test
