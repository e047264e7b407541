// The fused gradients against the composed ones, which serve when the gradient is differentiated again.
#include <cmath>

#include <ordo/kernels/elementwise/functions.h>
#include "tests/support/op_samples.h"

namespace ordo::test::activation_gradients_test {
namespace {

TEST(ActivationGradients, have_the_bits_of_the_composed_ones_where_one_operation_rounds_as_several) {
  const std::pair<const char*, Tensor (*)(const Tensor&)> functions[] = {
      {"hardsigmoid", [](const Tensor& t) { return hardsigmoid(t); }},
      {"hardswish", [](const Tensor& t) { return hardswish(t); }},
      {"hardshrink", [](const Tensor& t) { return hardshrink(t, 0.3); }},
      {"softshrink", [](const Tensor& t) { return softshrink(t, 0.3); }},
      {"selu", [](const Tensor& t) { return selu(t); }},
      {"frac", [](const Tensor& t) { return frac(t); }}};
  const std::vector<double> ends = {0, -0.0, 3, -3, 0.3, -0.3, 0.5, INFINITY, -INFINITY, NAN};
  for (Device device : test_devices())
    for (DType dtype : {float32, float64, float16, bfloat16})
      for (const auto& [label, f] : functions) {
        SCOPED_TRACE(std::string(label) + " " + std::string(name(dtype)) + " " + device.str());
        if (label == std::string("selu") && size_of(dtype) == 2) continue;  // rounds p e^x in between
        const Tensor x = cat({test_values({990}, 1, -6, 6), from_vector(ends, {10}).to(float32)})
                             .to(device, dtype)
                             .set_requires_grad();
        const Tensor weights = test_values({1000}, 2).to(device, dtype), y = f(x);
        const auto fused = grad({y}, {x}, {weights}, true)[0].to_vector<double>();
        const auto composed = grad({y}, {x}, {weights}, true, true)[0].detach().to_vector<double>();
        for (size_t i = 0; i < fused.size(); ++i) {
          if (std::isnan(fused[i]) && std::isnan(composed[i])) continue;
          ASSERT_EQ(fused[i], composed[i]) << "element " << i;
          ASSERT_EQ(std::signbit(fused[i]), std::signbit(composed[i])) << "element " << i;
        }
      }
}

TEST(ActivationGradients, of_gelu_have_the_limits_at_infinities_and_far_out) {
  const std::vector<double> points = {-INFINITY, -1e30, -100, -41, 41, 100, 1e30, INFINITY};
  for (Device device : test_devices())
    for (DType dtype : {float32, float64, float16, bfloat16})
      for (const auto approximate : {GELUApproximate::none, GELUApproximate::tanh}) {
        SCOPED_TRACE(std::to_string(int(approximate)) + " " + std::string(name(dtype)) + " " + device.str());
        const Tensor x = from_vector(points, {8}).to(device, dtype).set_requires_grad(), y = gelu(x, approximate);
        const auto fused = grad({y}, {x}, {ones_like(y)}, true)[0].to_vector<double>();
        const auto composed = grad({y}, {x}, {ones_like(y)}, true, true)[0].detach().to_vector<double>();
        for (size_t i = 0; i < points.size(); ++i) {
          EXPECT_EQ(fused[i], points[i] > 0) << points[i];
          EXPECT_EQ(composed[i], points[i] > 0) << points[i] << " with create_graph";
        }
      }
}

/// Public gradients of half types are made of several operations, which round each.
TEST(ActivationGradients, plain_functions_of_half_types_compute_in_float_and_round_once) {
  const auto f = kernels::hardswish_backward;
  for (Device device : test_devices())
    for (DType dtype : {float16, bfloat16}) {
      const Tensor grad = test_values({1000}, 1).to(device, dtype), x = test_values({1000}, 2, -6, 6).to(device, dtype);
      EXPECT_EQ(f(grad, x).to_vector<float>(), f(grad.to(float32), x.to(float32)).to(dtype).to_vector<float>());
    }
}

}  // namespace
}  // namespace ordo::test::activation_gradients_test
