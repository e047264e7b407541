// Gradients of pow where the base or the exponent is 0, as in PyTorch: the limit where there is one.
#include <gtest/gtest.h>
#include <ordo/ordo.h>

#include <cmath>

namespace ordo::test {
namespace {

TEST(Pow, gradients_where_base_or_exponent_is_zero) {
  Tensor a = from_vector<double>({0, 0, 0, 2}, {4}).set_requires_grad();
  Tensor b = from_vector<double>({0, 2, -1, 0}, {4}).set_requires_grad();
  pow(a, b).sum().backward();
  EXPECT_EQ(a.grad().to_vector<double>(), (std::vector<double>{0, 0, -INFINITY, 0}));
  EXPECT_EQ(b.grad().to_vector<double>(), (std::vector<double>{0, 0, -INFINITY, std::log(2.0)}));
}

}  // namespace
}  // namespace ordo::test
