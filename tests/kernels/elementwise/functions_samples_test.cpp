// Samples of the unary functions.
#include <cmath>

#include <ordo/kernels/math/function_functors.h>
#include "tests/support/op_samples.h"

namespace ordo::test::functions_samples_test {
namespace {

using Formula = double (*)(double);

/// Values in [low, high).
Sample unary(Tensor (*run)(const Tensor&), Formula formula, double low, double high, const Dims& sizes) {
  Sample s;
  s.label = sizes.str();
  s.inputs = {test_values(sizes, uint64_t(sizes.size()), low, high)};
  s.run = [run](const TensorList& in) { return run(in[0]); };
  s.reference = [formula](const TensorList& in) {
    std::vector<double> out;
    for (double v : in[0].to_vector<double>()) out.push_back(formula(v));
    return out;
  };
  s.gradient = sizes.product() < 100;
  return s;
}

/// Shapes from 0-d and empty to just above a block of 256 threads.
std::vector<Sample> unary(Tensor (*run)(const Tensor&), Formula formula, double low, double high) {
  std::vector<Sample> samples;
  for (const Dims& sizes : {Dims{}, Dims{0, 3}, Dims{7}, Dims{3, 5}, Dims{3, 11, 31}})
    samples.push_back(unary(run, formula, low, high, sizes));
  return samples;
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

}  // namespace
}  // namespace ordo::test::functions_samples_test
