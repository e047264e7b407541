// The gradient of clamp at its bounds: none, as in PyTorch 2.15 (docs/derivatives.md) and as relu has none at 0.
#include <gtest/gtest.h>
#include <ordo/ordo.h>

namespace ordo::test {
namespace {

TEST(Clamp, stops_the_gradient_at_its_bounds) {
  const auto gradient = [](std::optional<Scalar> low, std::optional<Scalar> high) {
    Tensor x = from_vector<double>({-2, -1, 0, 1, 2}, {5}).set_requires_grad();
    clamp(x, low, high).sum().backward();
    return x.grad().to_vector<double>();
  };
  EXPECT_EQ(gradient(-1, 1), (std::vector<double>{0, 0, 1, 0, 0}));
  EXPECT_EQ(gradient(-1, {}), (std::vector<double>{0, 0, 1, 1, 1}));
  EXPECT_EQ(gradient({}, 1), (std::vector<double>{1, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace ordo::test
