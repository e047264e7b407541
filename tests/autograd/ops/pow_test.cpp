// Gradients at singular points, as in PyTorch: of pow where the base or the exponent is 0, the limit where there is
// one; of maximum and minimum where both are equal, halves.
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

TEST(Maximum, a_tie_shares_the_gradient) {
  for (const auto f : {maximum, minimum}) {
    Tensor a = from_vector<double>({1, 2, 3}, {3}).set_requires_grad();
    Tensor b = from_vector<double>({1, 3, 2}, {3}).set_requires_grad();
    f(a, b).sum().backward();
    const double larger = f == maximum;
    EXPECT_EQ(a.grad().to_vector<double>(), (std::vector<double>{0.5, 1 - larger, larger}));
    EXPECT_EQ(b.grad().to_vector<double>(), (std::vector<double>{0.5, larger, 1 - larger}));
  }
}

}  // namespace
}  // namespace ordo::test
