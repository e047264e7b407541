// Methods that call the free function of their name.
#include <gtest/gtest.h>

#include <ordo/ordo.h>
#include "tests/support/op_samples.h"

namespace ordo::test {
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

TEST(MethodNames, functions_of_elements) {
  const Tensor x = test_values({2, 3}, 1, -1, 1), y = test_values({2, 3}, 2), z = test_values({3}, 3, 1, 2);
  expect_same(x.tan(), tan(x));
  expect_same(x.asin(), asin(x));
  expect_same(x.acos(), acos(x));
  expect_same(x.atan(), atan(x));
  expect_same(x.erfc(), erfc(x));
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

TEST(MethodNames, shapes_and_products) {
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
}  // namespace ordo::test
