// Samples of the unary functions.
#include <ordo/kernels/elementwise/functions.h>
#include <ordo/kernels/math/function_functors.h>
#include "tests/kernels/samples.h"

namespace ordo::test::functions_samples_test {
namespace {

using Formula = double (*)(double);

/// Values in [low, high).
Sample unary(Tensor (*run)(const Tensor&), Formula formula, double low, double high, const Dims& sizes) {
  Sample s = new_sample(sizes.str(), {test_values(sizes, uint64_t(sizes.size()), low, high)});
  s.run = [run](const TensorList& in) { return run(in[0]); };
  s.reference = [formula](const TensorList& in) { return each_value(in[0], formula); };
  s.gradient = sizes.product() < 100;
  return s;
}

/// Shapes from 0-d and empty to just above a block of 256 threads.
std::vector<Sample> unary(Tensor (*run)(const Tensor&), Formula formula, double low, double high) {
  const auto of = [=](const Dims& sizes) { return unary(run, formula, low, high, sizes); };
  return {of({}), of({0, 3}), of({7}), of({3, 5}), of({3, 11, 31})};
}

/// By halving: erf ascends.
double erfinv_reference(double x) {
  double low = -3, high = 3;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erf(middle) < x ? low : high) = middle;
  }
  return (low + high) / 2;
}

using kernels::kSeluAlpha;
using kernels::kSeluScale;

#define UNARY_SAMPLES(op, low, high, ...)                                                                             \
  ORDO_OP_SAMPLES(op) {                                                                                               \
    return unary([](const Tensor& t) { return ordo::op(t); }, [](double x) -> double { __VA_ARGS__; }, low, high);    \
  }                                                                                                                   \
  ORDO_OP_SIZES(op) {                                                                                                 \
    return {                                                                                                          \
        unary([](const Tensor& t) { return ordo::op(t); }, [](double x) -> double { __VA_ARGS__; }, low, high, {n})}; \
  }

#define ORDO_FUNCTION(name, kind, group, formula, derivative, least, most, reference) \
  UNARY_SAMPLES(name, least, most, return reference)
// With the standard numbers, and with others.
constexpr double kOther = 1.5;
#define SAMPLES_WITH_NUMBERS(name, call, standard, other, least, most, reference)                                     \
  ORDO_OP_SAMPLES(name) {                                                                                             \
    auto samples = unary([](const Tensor& t) { return ordo::name(t); },                                               \
                         [](double x) -> double { standard return reference; }, least, most);                         \
    samples.push_back(unary([](const Tensor& t) { return call; }, [](double x) -> double { other return reference; }, \
                            least, most, {11}));                                                                      \
    return samples;                                                                                                   \
  }                                                                                                                   \
  ORDO_OP_SIZES(name) {                                                                                               \
    return {unary([](const Tensor& t) { return call; }, [](double x) -> double { other return reference; }, least,    \
                  most, {n})};                                                                                        \
  }
#define ORDO_FUNCTION_OF(name, p, standard, group, formula, derivative, least, most, reference) \
  SAMPLES_WITH_NUMBERS(name, ordo::name(t, kOther* standard), constexpr double p = standard;    \
                       , constexpr double p = kOther * standard;, least, most, reference)
#define ORDO_FUNCTION_OF2(name, p, p_standard, q, q_standard, group, formula, derivative, least, most, reference) \
  SAMPLES_WITH_NUMBERS(name, ordo::name(t, kOther* p_standard, q_standard / 16), constexpr double p = p_standard; \
                       constexpr double q = q_standard;, constexpr double p = kOther * p_standard;                \
                       constexpr double q = q_standard / 16;, least, most, reference)
#define ORDO_PREDICATE(name, kind, group, formula, least, most, reference) \
  UNARY_SAMPLES(name, least, most, return reference)
#include <ordo/kernels/elementwise/functions.def>

Tensor gelu_exact(const Tensor& t) { return gelu(t); }
double gelu_exact_reference(double x) { return x * 0.5 * std::erfc(-x * std::sqrt(0.5)); }
Tensor gelu_tanh(const Tensor& t) { return gelu(t, GELUApproximate::tanh); }
double gelu_tanh_reference(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

ORDO_OP_SAMPLES(gelu) {
  auto samples = unary(gelu_exact, gelu_exact_reference, -4, 4);
  for (Sample s : unary(gelu_tanh, gelu_tanh_reference, -4, 4)) {
    s.label = "tanh " + s.label;
    samples.push_back(std::move(s));
  }
  return samples;
}
ORDO_OP_SIZES(gelu) {
  return {unary(gelu_exact, gelu_exact_reference, -4, 4, {n}), unary(gelu_tanh, gelu_tanh_reference, -4, 4, {n})};
}

Tensor clamp_both(const Tensor& t) { return clamp(t, -1, 0.5); }
double clamp_reference(double x) { return std::min(std::max(x, -1.0), 0.5); }

ORDO_OP_SIZES(clamp) { return {unary(clamp_both, clamp_reference, -2, 2, {n})}; }
ORDO_OP_SAMPLES(clamp) {
  auto samples = unary(clamp_both, clamp_reference, -2, 2);
  Sample low =
      unary([](const Tensor& t) { return clamp(t, 0.25); }, [](double x) { return std::max(x, 0.25); }, -2, 2, {17});
  Sample high = unary([](const Tensor& t) { return clamp(t, std::nullopt, 0.25); },
                      [](double x) { return std::min(x, 0.25); }, -2, 2, {17});
  low.label = "low only", high.label = "high only";
  for (Sample* s : {&low, &high}) {
    s->inputs = {test_values({17})};
    samples.push_back(std::move(*s));
  }
  return samples;
}

// The fused gradients against the composed ones, which serve when the gradient is differentiated again.
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
}  // namespace ordo::test::functions_samples_test
