// What a model author writes without thinking: methods, operators, one dimension or several, truth values.
#include <cmath>

#include "tests/support/op_samples.h"

namespace ordo::test::methods_test {
namespace {

void expect_same(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.dtype(), b.dtype());
  EXPECT_EQ(a.sizes(), b.sizes());
  EXPECT_EQ(bytes_of(a), bytes_of(b));
}

void expect_same(const TensorList& a, const TensorList& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

TEST(Truth, asks_for_the_only_element) {
  for (Device device : test_devices()) {
    for (DType dtype : {boolean, uint8, int32, int64, float16, bfloat16, float32, float64}) {
      EXPECT_TRUE(ones({1, 1}, {dtype, device}) ? true : false) << name(dtype);
      EXPECT_FALSE(zeros({}, {dtype, device}) ? true : false) << name(dtype);
    }
    const Tensor loss = tensor<double>({0.5}).to(device);
    EXPECT_FALSE(bool(loss < 0.1));
    EXPECT_TRUE(bool(loss < 0.6));
    EXPECT_TRUE(bool(loss)) << "0.5 is not zero";
    EXPECT_TRUE(bool(loss / 0.0 - loss / 0.0)) << "NaN is not zero";
    EXPECT_TRUE(!(loss == 2) && loss != 2);
  }
}

TEST(Truth, of_anything_else_is_an_error) {
  EXPECT_ORDO_ERROR(bool(ones({2})), ShapeError, "[bool] only a tensor of one element");
  EXPECT_ORDO_ERROR(bool(ones({2}) == ones({2})), ShapeError, "any() or all()");
  EXPECT_ORDO_ERROR(bool(empty({0})), ShapeError, "shape [0]");
  static_assert(!std::is_convertible_v<Tensor, bool>, "only where a condition is wanted");
}

TEST(Dims, one_number_or_several) {
  const Tensor x = test_values({2, 3, 4});
  EXPECT_EQ(x.sum(1).sizes(), (Dims{2, 4}));
  EXPECT_EQ(x.sum(-1, true).sizes(), (Dims{2, 3, 1}));
  expect_same(x.sum({0, -1}), sum(x, Dims{0, 2}));
  expect_same(x.mean(-1), mean(x, {2}));
  expect_same(x.nansum(-1, true), nansum(x, {2}, true));
  expect_same(x.nanmean(), nanmean(x));
  expect_same(x.prod(), prod(x));
  expect_same(x.prod(1), prod(x, {1}));
  expect_same(x.logsumexp({0, 2}), logsumexp(x, {0, 2}));
  expect_same(x.amax(0), amax(x, {0}));
  expect_same(x.amin({0, 1}), amin(x, {0, 1}));
  expect_same(x.var(1, 0), var(x, {1}, 0));
  expect_same(x.norm(2, -2), norm(x, 2, {1}));
  expect_same((x > 0).any(1), any(x > 0, {1}));
  expect_same((x > 0).all({0, 1}, true), all(x > 0, {0, 1}, true));
  EXPECT_EQ(zeros(3).sizes(), (Dims{3}));
  EXPECT_EQ(x.view(-1).sizes(), (Dims{24}));
  static_assert(!std::is_convertible_v<bool, Dims>, "x.sum(true) is a mistake");
  static_assert(!std::is_convertible_v<double, Dims>);
}

TEST(Dims, squeeze_of_several) {
  const Tensor x = test_values({1, 3, 1, 1});
  EXPECT_EQ(x.squeeze({0, -1}).sizes(), (Dims{3, 1}));
  EXPECT_EQ(x.squeeze({0, 1}).sizes(), (Dims{3, 1, 1}));
  EXPECT_EQ(x.squeeze(0).sizes(), (Dims{3, 1, 1}));
  EXPECT_EQ(x.squeeze(Dims()).sizes(), x.sizes());
  EXPECT_EQ(ones({}).squeeze(-1).sizes(), Dims());
  EXPECT_ORDO_ERROR(x.squeeze({0, -4}), ValueError, "[squeeze] dimension -4 appears twice");
  const auto f = [](const TensorList& in) { return in[0].squeeze(dims(0, 2)) * 2; };
  EXPECT_EQ(gradcheck(f, {x.clone().set_requires_grad()}), "");
}

TEST(Options, a_dtype_or_a_device_alone) {
  for (Device device : test_devices()) {
    EXPECT_EQ(ones({3}, device).device(), device);
    EXPECT_EQ(ones({3}, device).dtype(), float32);
    EXPECT_EQ(randperm(4, device).dtype(), int64);
    EXPECT_EQ(from_vector<int32_t>({1, 2}, {2}, device).dtype(), int32);
    EXPECT_EQ(from_vector<int32_t>({1, 2}, {2}, device).device(), device);
  }
  EXPECT_EQ(zeros({3}, int64).dtype(), int64);
  EXPECT_EQ(empty(3, float64).dtype(), float64);
  EXPECT_EQ(full({3}, 2, uint8).dtype(), uint8);
  EXPECT_EQ(scalar_tensor(2, int32).dtype(), int32);
  EXPECT_EQ(rand({3}, float64).dtype(), float64);
  EXPECT_EQ(randn(3, float64).dtype(), float64);
  EXPECT_EQ(randint(5, {3}, int32).dtype(), int32);
  EXPECT_EQ(randint(2, 5, {3}, int32).dtype(), int32);
  EXPECT_EQ(bernoulli({3}, 0.5, float64).dtype(), float64);
  EXPECT_EQ(arange(0, 3, 1, float64).dtype(), float64);
  EXPECT_EQ(zeros({3}, {}).dtype(), float32);
}

TEST(Operators, in_place) {
  for (Device device : test_devices()) {
    Tensor x = tensor<double>({1.0, 2.0, 4.0}).to(device);
    const Tensor same = x, y = tensor<double>({2.0, 4.0, 8.0}).to(device);
    x += y;
    EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{3, 6, 12}));
    x -= 1;
    EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{2, 5, 11}));
    x *= y;
    EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{4, 20, 88}));
    x /= 4;
    EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{1, 5, 22}));
    x /= y, x -= y, x += 0.5, x *= 2;
    EXPECT_EQ(x.to_vector<double>(), (std::vector<double>{-2, -4.5, -9.5}));
    EXPECT_TRUE(x.is_same(same)) << "the same memory";
  }
  Tensor integers = ones({2}, int64);
  EXPECT_ORDO_ERROR(integers -= 0.5, DTypeError, "[sub_]");
  EXPECT_ORDO_ERROR(Tensor().sub_(1), ValueError, "[sub_]");
}

TEST(Operators, masks) {
  for (Device device : test_devices()) {
    const Tensor a = from_vector<bool>({false, false, true, true}, {4}).to(device),
                 b = from_vector<bool>({false, true, false, true}, {4}).to(device);
    EXPECT_EQ((a & b).to_vector<int>(), (std::vector<int>{0, 0, 0, 1}));
    EXPECT_EQ((a | b).to_vector<int>(), (std::vector<int>{0, 1, 1, 1}));
    EXPECT_EQ((a ^ b).to_vector<int>(), (std::vector<int>{0, 1, 1, 0}));
    EXPECT_EQ((~a).to_vector<int>(), (std::vector<int>{1, 1, 0, 0}));
    EXPECT_EQ((a.view({4, 1}) & b).sizes(), (Dims{4, 4}));
    EXPECT_EQ((a & b).dtype(), boolean);
  }
  const Tensor x = ones({2});
  EXPECT_ORDO_ERROR((x > 0) | x, DTypeError, "[|]");
  const Tensor i = tensor({6, 3});
  EXPECT_EQ((i & 2).to_vector<int64_t>(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ((i | tensor({1, 4})).to_vector<int64_t>(), (std::vector<int64_t>{7, 7}));
  EXPECT_EQ((i ^ 5).to_vector<int64_t>(), (std::vector<int64_t>{3, 6}));
  EXPECT_EQ((~i).to_vector<int64_t>(), (std::vector<int64_t>{-7, -4}));
  expect_same(0.5 < x, x > 0.5);
  expect_same(0.5 <= x, x >= 0.5);
  expect_same(0.5 > x, x < 0.5);
  expect_same(0.5 >= x, x <= 0.5);
  expect_same(0.5 == x, x == 0.5);
  expect_same(0.5 != x, x != 0.5);
  EXPECT_ORDO_ERROR(~x, DTypeError, "[~]");
  EXPECT_ORDO_ERROR((x > 0) ^ Tensor(), ValueError, "[^]");
}

TEST(Operators, assigning_to_an_expression_writes) {
  for (Device device : test_devices()) {
    Tensor x = zeros({3, 2}, device);
    x[1] = 5;
    x[0] = tensor({1.0f, 2.0f}).to(device);
    x.select(1, 1)[2] = x[0][0];
    x[2] += 1;
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2, 5, 5, 1, 2}));
    Tensor row = x[1];
    row = ones({2}, device);  // a name takes another tensor
    EXPECT_EQ(x[1].to_vector<float>(), (std::vector<float>{5, 5}));
  }
}

TEST(Operators, assigning_to_a_view_is_recorded) {
  using namespace indexing;
  const Tensor x = test_values({3, 4}, 1).set_requires_grad(), y = test_values({4}, 2).set_requires_grad();
  const auto f = [](const TensorList& in) {
    Tensor a = in[0] * 2;
    a[0] = in[1];
    a[1] += in[1];
    a[{Slice(), 2}] = 3;
    a.select(1, 3) *= in[1].sum();
    a[2].index_put_({tensor<int64_t>({0, 1})}, in[1].slice(0, 2, 4));
    a[1][in[0].detach()[1] > 0] = 0.5;
    return a.square();
  };
  EXPECT_EQ(gradcheck(f, {x, y}, {.second_order = true}), "");
}

// Each method gives the bytes of the function of its name.
TEST(Methods, are_the_functions) {
  const Tensor x = test_values({3, 4}, 1, 0.1, 0.9), y = test_values({3, 4}, 2, 0.5, 2), mask = x > 0.5;
  const Tensor m = test_values({4, 2}, 3), batch = test_values({2, 3, 4}), index = test_indices({2}, 3);
  const Tensor places = test_indices({2, 4}, 3, 4), rows = test_values({2, 4}, 5);
#define EXPECT_METHOD(f) expect_same(x.f(), ordo::f(x));
#define ORDO_METHODS(f)                                                                                                \
  f(neg) f(abs) f(square) f(sign) f(relu) f(floor) f(ceil) f(round) f(exp) f(expm1) f(log) f(log1p) f(sqrt) f(rsqrt)   \
      f(reciprocal) f(sin) f(cos) f(tanh) f(sigmoid) f(erf) f(isnan) f(isinf) f(isfinite) f(logical_not) f(sum) f(tan) \
          f(asin) f(acos) f(atan) f(erfc) f(mean) f(var) f(std) f(norm) f(max) f(min) f(amax) f(amin) f(argmax)        \
              f(argmin) f(any) f(all)
  ORDO_METHODS(EXPECT_METHOD)
#undef ORDO_METHODS
#undef EXPECT_METHOD
#define EXPECT_METHOD(f)              \
  expect_same(x.f(y), ordo::f(x, y)); \
  expect_same(x.f(2), ordo::f(x, 2));
#define ORDO_METHODS(f) f(add) f(sub) f(mul) f(div) f(pow) f(eq) f(ne) f(lt) f(le) f(gt) f(ge)
  ORDO_METHODS(EXPECT_METHOD)
#undef ORDO_METHODS
#undef EXPECT_METHOD
  expect_same(x.add(y, 3), add(x, y, 3));
  expect_same(x.sub(2, 3), sub(x, 2, 3));
  expect_same(x.minimum(y), minimum(x, y));
  expect_same(x.maximum(y), maximum(x, y));
  expect_same(mask.logical_and(y > 1), logical_and(mask, y > 1));
  expect_same(mask.logical_or(y > 1), logical_or(mask, y > 1));
  expect_same(x.max(1).values, max(x, 1).values);
  expect_same(x.min(0, true).indices, min(x, 0, true).indices);
  expect_same(x.argmax(1, true), argmax(x, 1, true));
  expect_same(x.argmin(0), argmin(x, 0));
  expect_same(x.std(1), stddev(x, 1));
  expect_same(x.std({0}, 0, true), ordo::std(x, {0}, 0, true));
  expect_same(x.norm(1, 0, true), norm(x, 1, {0}, true));
  expect_same(x.softmax(-1), softmax(x, -1));
  expect_same(x.log_softmax(0), log_softmax(x, 0));
  expect_same(x.clamp(0.2, 0.5), clamp(x, 0.2, 0.5));
  expect_same(x.clamp(std::nullopt, 0.5), clamp(x, std::nullopt, 0.5));
  expect_same(x.matmul(m), matmul(x, m));
  expect_same(x.mm(m), mm(x, m));
  expect_same(batch.bmm(batch.transpose(1, 2)), bmm(batch, batch.transpose(1, 2)));
  expect_same(x.where(mask, y), where(mask, x, y));
  expect_same(x.where(mask, 0), where(mask, x, 0));
  expect_same(x.masked_fill(mask, 2), masked_fill(x, mask, 2));
  expect_same(x.gather(0, places), gather(x, 0, places));
  expect_same(x.index_select(0, index), index_select(x, 0, index));
  expect_same(x.index_add(0, index, rows, 2), index_add(x, 0, index, rows, 2));
  expect_same(x.scatter_add(0, places, rows), scatter_add(x, 0, places, rows));
  for (Device device : test_devices()) EXPECT_TRUE(x.to(device).cpu().is_cpu());
}

// What an index gives is a tensor like any other once it has a name.
TEST(Operators, an_indexed_tensor_with_a_name) {
  using namespace indexing;
  Tensor x = arange(6, float32).view({2, 3});
  auto y = x[{Slice(), 0}];
  y += 1;
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 1, 2, 4, 4, 5})) << "a view";
  y = relu(y - 2);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 2}));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 1, 2, 4, 4, 5}));
  auto z = x[x > 3];
  z *= 2;
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{8, 8, 10}));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 1, 2, 4, 4, 5})) << "a copy";
  z = y;
  EXPECT_TRUE(z.is_same(y));
  EXPECT_EQ(x.slice(1, 1).sizes(), Dims({2, 2}));
  EXPECT_EQ(x.slice(1, -1).to_vector<float>(), (std::vector<float>{2, 5}));
  const ValuesAndIndices sorted = x.sort(1, true);
  EXPECT_EQ(sorted.indices.dtype(), int64);
  EXPECT_EQ(zeros_like(x, int64).dtype(), int64);
  EXPECT_EQ(ones_like(x, "cpu").dtype(), float32);
  EXPECT_EQ(full_like(x, 2, float64).dtype(), float64);
}

TEST(Methods, functions_of_elements) {
  const Tensor x = test_values({2, 3}, 1, -1, 1), y = test_values({2, 3}, 2), z = test_values({3}, 3, 1, 2);
  expect_same(x.atan2(z), atan2(x, z));
  expect_same((x > 0).bitwise_not(), bitwise_not(x > 0));
  expect_same((x / 0).nan_to_num(1, 2, 3), nan_to_num(x / 0, 1, 2, 3));
  expect_same(x.lerp(y, z), lerp(x, y, z));
  expect_same(x.lerp(y, 0.25), lerp(x, y, 0.25));
  expect_same(x.addcmul(y, z, 2), addcmul(x, y, z, 2));
  expect_same(x.addcdiv(y, z, 2), addcdiv(x, y, z, 2));
  expect_same(x.isclose(y, 1, 0.5), isclose(x, y, 1, 0.5));
  EXPECT_TRUE(x.allclose(x) && x.equal(x) && !x.allclose(y) && !x.equal(y));
}

TEST(Methods, shapes_and_products) {
  const Tensor t = test_values({2, 3, 4}), m = t[0], square = m.slice(1, 0, 3), v = m[0];
  expect_same(t.unflatten(2, {2, -1}), unflatten(t, 2, {2, -1}));
  expect_same(t.movedim(0, 2), movedim(t, 0, 2));
  expect_same(t.swapaxes(0, 2), swapaxes(t, 0, 2));
  expect_same(v.broadcast_to({3, 4}), broadcast_to(v, {3, 4}));
  expect_same(v.expand_as(m), expand_as(v, m));
  expect_same(t.diagonal(1, 1, 2), diagonal(t, 1, 1, 2));
  expect_same(t.unbind(1), unbind(t, 1));
  expect_same(t.split(2, 1), split(t, 2, 1));
  expect_same(t.split({1, 3}, 2), split(t, std::vector<int64_t>{1, 3}, 2));
  expect_same(t.chunk(2, 2), chunk(t, 2, 2));
  expect_same(v.dot(v), dot(v, v));
  expect_same(m.mv(v), mv(m, v));
  expect_same(v.outer(v), outer(v, v));
  expect_same(m.addmm(square, m, 2, 3), addmm(m, square, m, 2, 3));
  expect_same(t.baddbmm(square.expand({2, 3, 3}), t, 2), baddbmm(t, square.expand({2, 3, 3}), t, 2));
  expect_same(t.tril(1), tril(t, 1));
  expect_same(t.triu(1), triu(t, 1));
  expect_same(m.diag(1), diag(m, 1));
  expect_same(m.trace(), trace(m));
  expect_same(t.flip({0, 1}), flip(t, {0, 1}));
  expect_same(t.roll(1, 0), roll(t, 1, 0));
  expect_same(t.repeat({1, 2, 1}), repeat(t, {1, 2, 1}));
  expect_same(t.tile(2), tile(t, 2));
}

}  // namespace
}  // namespace ordo::test::methods_test

// As in a user's program: the standard library's names and the library's.
using namespace ordo;
TEST(Methods, deviation_beside_the_standard_library) {
  const Tensor x = tensor<double>({1.0, 3.0});
  EXPECT_EQ(x.std().item(), std::sqrt(2.0));
  EXPECT_EQ(stddev(x).item(), std::sqrt(2.0));
  EXPECT_EQ(ordo::std(x).item(), std::sqrt(2.0));
}
