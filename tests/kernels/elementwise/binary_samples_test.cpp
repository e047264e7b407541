// Samples of arithmetic, comparisons and where.
#include <cmath>

#include "tests/support/op_samples.h"

namespace ordo::test::binary_samples_test {
namespace {

using Formula = double (*)(double, double);
using Run = std::function<Tensor(const Tensor&, const Tensor&)>;

std::vector<double> expanded_values(const Tensor& t, const Dims& sizes) { return t.expand(sizes).to_vector<double>(); }

std::vector<double> elementwise(const Tensor& a, const Tensor& b, Formula formula) {
  const Dims sizes = broadcast_sizes("test", a.sizes(), b.sizes());
  const auto x = expanded_values(a, sizes), y = expanded_values(b, sizes);
  std::vector<double> out;
  for (size_t i = 0; i < x.size(); ++i) out.push_back(formula(x[i], y[i]));
  return out;
}

struct Range {
  double low, high;
};

using Shapes = std::vector<std::pair<Dims, Dims>>;

std::vector<Sample> binary(const Run& run, Formula formula, const Shapes& shapes, Range a = {-2, 2},
                           Range b = {-2, 2}) {
  std::vector<Sample> samples;
  uint64_t stream = 10;
  for (const auto& [left, right] : shapes) {
    Sample s;
    s.label = left.str() + " " + right.str();
    s.inputs = {test_values(left, ++stream, a.low, a.high), test_values(right, ++stream, b.low, b.high)};
    s.run = [run](const TensorList& in) { return run(in[0], in[1]); };
    s.reference = [formula](const TensorList& in) { return elementwise(in[0], in[1], formula); };
    s.gradient = left.product() < 100 && right.product() < 100;
    samples.push_back(std::move(s));
  }
  return samples;
}

/// Shapes that are equal, broadcast in every way a loop distinguishes, empty, and above a block of 256 threads.
std::vector<Sample> binary(const Run& run, Formula formula, Range a = {-2, 2}, Range b = {-2, 2}) {
  return binary(run, formula,
                {{{}, {}},
                 {{5}, {5}},
                 {{3, 4}, {}},
                 {{}, {3, 4}},
                 {{3, 1}, {1, 4}},
                 {{2, 1, 3}, {4, 1}},
                 {{0, 3}, {1, 3}},
                 {{3, 7, 31}, {3, 7, 31}},
                 {{3, 7, 31}, {7, 1}},
                 {{31}, {5, 3, 31}}},
                a, b);
}

Shapes shapes_of_size(int64_t n) { return {{{n}, {n}}, {{n, 3}, {n, 1}}, {{3, 1}, {n}}}; }

/// Samples of forms with a number on one side.
std::vector<Sample> with_number(std::vector<Sample> samples, const char* label, Tensor (*run)(const Tensor&),
                                double (*formula)(double), Range range = {-2, 2}) {
  for (const Dims& sizes : {Dims{4, 3}, Dims{3, 7, 31}}) {
    Sample s;
    s.label = std::string(label) + " " + sizes.str();
    s.inputs = {test_values(sizes, 77, range.low, range.high)};
    s.run = [run](const TensorList& in) { return run(in[0]); };
    s.reference = [formula](const TensorList& in) {
      std::vector<double> out;
      for (double v : in[0].to_vector<double>()) out.push_back(formula(v));
      return out;
    };
    s.gradient = sizes.product() < 100;
    samples.push_back(std::move(s));
  }
  return samples;
}

using T = const Tensor&;

#define BINARY_SIZES(op, call, formula, ...)                                                           \
  ORDO_OP_SIZES(op) {                                                                                  \
    return binary([](T a, T b) { return call; }, [](double a, double b) -> double { return formula; }, \
                  shapes_of_size(n) __VA_OPT__(, ) __VA_ARGS__);                                       \
  }
BINARY_SIZES(add, add(a, b, 2), a + 2 * b)
BINARY_SIZES(sub, a - b, a - b)
BINARY_SIZES(mul, a* b, a* b)
BINARY_SIZES(div, a / b, a / b, {-2, 2}, {0.5, 2})
BINARY_SIZES(pow, pow(a, b), std::pow(a, b), {0.5, 2}, {-2, 2})
BINARY_SIZES(minimum, minimum(a, b), std::min(a, b))
BINARY_SIZES(maximum, maximum(a, b), std::max(a, b))

ORDO_OP_SAMPLES(add) {
  auto s = binary([](T a, T b) { return a + b; }, [](double a, double b) { return a + b; });
  s = with_number(
      s, "scalar", [](T t) { return 1 + t; }, [](double v) { return 1 + v; });
  s = with_number(
      s, "scaled scalar", [](T t) { return add(t, 2, 0.5); }, [](double v) { return v + 1; });
  for (Sample& more :
       binary([](T a, T b) { return add(a, b, 0.25); }, [](double a, double b) { return a + 0.25 * b; })) {
    more.label = "alpha " + more.label;
    s.push_back(more);
  }
  return s;
}

ORDO_OP_SAMPLES(sub) {
  auto s = binary([](T a, T b) { return a - b; }, [](double a, double b) { return a - b; });
  s = with_number(
      s, "scalar", [](T t) { return t - 1; }, [](double v) { return v - 1; });
  s = with_number(
      s, "from scalar", [](T t) { return 1 - t; }, [](double v) { return 1 - v; });
  for (Sample& more : binary([](T a, T b) { return sub(a, b, 2); }, [](double a, double b) { return a - 2 * b; })) {
    more.label = "alpha " + more.label;
    s.push_back(more);
  }
  return s;
}

ORDO_OP_SAMPLES(mul) {
  auto s = binary([](T a, T b) { return a * b; }, [](double a, double b) { return a * b; });
  return with_number(
      s, "scalar", [](T t) { return 0.5 * t; }, [](double v) { return 0.5 * v; });
}

ORDO_OP_SAMPLES(div) {
  auto s = binary([](T a, T b) { return a / b; }, [](double a, double b) { return a / b; }, {-2, 2}, {0.5, 2});
  s = with_number(
      s, "scalar", [](T t) { return t / 4; }, [](double v) { return v / 4; });
  return with_number(
      s, "of scalar", [](T t) { return 2 / t; }, [](double v) { return 2 / v; }, {0.5, 2});
}

ORDO_OP_SAMPLES(pow) {
  auto s =
      binary([](T a, T b) { return pow(a, b); }, [](double a, double b) { return std::pow(a, b); }, {0.5, 2}, {-2, 2});
  s = with_number(
      s, "square", [](T t) { return pow(t, 2); }, [](double v) { return v * v; });
  s = with_number(
      s, "cube", [](T t) { return pow(t, 3); }, [](double v) { return v * v * v; });
  s = with_number(
      s, "root", [](T t) { return pow(t, 0.5); }, [](double v) { return std::sqrt(v); }, {0.5, 2});
  return with_number(
      s, "of scalar", [](T t) { return pow(3, t); }, [](double v) { return std::pow(3.0, v); });
}

/// Samples for a kind of function: what takes integers only has them in every dtype.
std::vector<Sample> as_number(std::vector<Sample> samples) { return samples; }
std::vector<Sample> as_floating(std::vector<Sample> samples) { return samples; }
std::vector<Sample> as_integral(const std::vector<Sample>& samples) {
  std::vector<Sample> all;
  for (DType dtype : {boolean, uint8, int32, int64})
    for (Sample s : samples) {
      s.label += " " + std::string(name(dtype));
      s.gradient = false;
      for (Tensor& t : s.inputs) t = t.to(dtype);
      all.push_back(std::move(s));
    }
  return all;
}

/// With 2 for the number on either side.
#define ORDO_FUNCTION2(op, kind, formula, of_a, of_b, a_least, a_most, b_least, b_most, reference)                   \
  ORDO_OP_SAMPLES(op) {                                                                                              \
    auto s = binary([](T a, T b) { return ordo::op(a, b); }, [](double a, double b) -> double { return reference; }, \
                    {a_least, a_most}, {b_least, b_most});                                                           \
    s = with_number(                                                                                                 \
        s, "scalar", [](T a) { return ordo::op(a, 2); },                                                             \
        [](double a) -> double {                                                                                     \
          const double b = 2;                                                                                        \
          return reference;                                                                                          \
        },                                                                                                           \
        {a_least, a_most});                                                                                          \
    s = with_number(                                                                                                 \
        s, "of scalar", [](T b) { return ordo::op(2, b); },                                                          \
        [](double b) -> double {                                                                                     \
          const double a = 2;                                                                                        \
          return reference;                                                                                          \
        },                                                                                                           \
        {b_least, b_most});                                                                                          \
    return as_##kind(s);                                                                                             \
  }                                                                                                                  \
  ORDO_OP_SIZES(op) {                                                                                                \
    return as_##kind(binary([](T a, T b) { return ordo::op(a, b); },                                                 \
                            [](double a, double b) -> double { return reference; }, shapes_of_size(n),               \
                            {a_least, a_most}, {b_least, b_most}));                                                  \
  }
#include <ordo/kernels/elementwise/binary_functions.def>

ORDO_OP_SAMPLES(minimum) {
  return binary([](T a, T b) { return minimum(a, b); }, [](double a, double b) { return std::min(a, b); });
}

ORDO_OP_SAMPLES(maximum) {
  return binary([](T a, T b) { return maximum(a, b); }, [](double a, double b) { return std::max(a, b); });
}

/// Few distinct values, so that equality happens.
std::vector<Sample> comparison(std::vector<Sample> samples) {
  for (Sample& s : samples)
    for (Tensor& t : s.inputs) t = test_indices(t.sizes(), 4, uint64_t(t.numel()), int32).to(float64) - 1;
  return samples;
}

#define COMPARISON_SAMPLES(op, expression)                                                                         \
  ORDO_OP_SAMPLES(op) {                                                                                            \
    return comparison(                                                                                             \
        binary([](T a, T b) { return ordo::op(a, b); }, [](double a, double b) -> double { return expression; })); \
  }                                                                                                                \
  ORDO_OP_SIZES(op) {                                                                                              \
    return comparison(binary([](T a, T b) { return ordo::op(a, b); },                                              \
                             [](double a, double b) -> double { return expression; }, shapes_of_size(n)));         \
  }
#define ORDO_COMPARISON(name, formula, reference) COMPARISON_SAMPLES(name, reference)
#define ORDO_EXCHANGED_COMPARISON(name, other, reference) COMPARISON_SAMPLES(name, reference)
#define ORDO_LOGICAL ORDO_COMPARISON
#include <ordo/kernels/elementwise/comparison.def>

Tensor mask(const Dims& sizes, uint64_t stream = 5) { return test_indices(sizes, 2, stream, int32).to(boolean); }

std::vector<double> choose(const Tensor& c, const Tensor& a, const Tensor& b) {
  const Dims sizes = broadcast_sizes("test", c.sizes(), broadcast_sizes("test", a.sizes(), b.sizes()));
  const auto z = expanded_values(c, sizes), x = expanded_values(a, sizes), y = expanded_values(b, sizes);
  std::vector<double> out;
  for (size_t i = 0; i < z.size(); ++i) out.push_back(z[i] != 0 ? x[i] : y[i]);
  return out;
}

Sample where_sample(const Dims& c, const Dims& a, const Dims& b) {
  return {.label = c.str() + " " + a.str() + " " + b.str(),
          .inputs = {mask(c), test_values(a, 1), test_values(b, 2)},
          .run = [](const TensorList& in) { return where(in[0], in[1], in[2]); },
          .reference = [](const TensorList& in) { return choose(in[0], in[1], in[2]); },
          .gradient = c.product() < 100};
}

ORDO_OP_SIZES(where) { return {where_sample({n}, {n}, {n}), where_sample({3, 1}, {n}, {3, n})}; }
ORDO_OP_SAMPLES(where) {
  std::vector<Sample> samples;
  const Dims shapes[][3] = {{{5}, {5}, {5}},
                            {{3, 1}, {4}, {3, 4}},
                            {{}, {3}, {2, 1}},
                            {{0, 3}, {3}, {}},
                            {{3, 7, 31}, {3, 7, 31}, {3, 7, 31}},
                            {{7, 31}, {3, 1, 1}, {3, 7, 1}}};
  for (const auto& [c, a, b] : shapes) samples.push_back(where_sample(c, a, b));
  samples.push_back({.label = "other is a number",
                     .inputs = {mask({3, 4}), test_values({3, 4}, 1)},
                     .run = [](const TensorList& in) { return where(in[0], in[1], 2); },
                     .reference = [](const TensorList& in) { return choose(in[0], in[1], full({}, 2, {float64})); }});
  samples.push_back({.label = "input is a number",
                     .inputs = {mask({3, 4}), test_values({3, 4}, 1)},
                     .run = [](const TensorList& in) { return where(in[0], 2, in[1]); },
                     .reference = [](const TensorList& in) { return choose(in[0], full({}, 2, {float64}), in[1]); }});
  return samples;
}

Sample masked_fill_sample(const Dims& t, const Dims& m) {
  return {.label = t.str() + " " + m.str(),
          .inputs = {test_values(t, 1), mask(m)},
          .run =
              [](const TensorList& in) {
                return masked_fill(in[0], in[1], in[0].dtype() == boolean ? Scalar(true) : Scalar(2));
              },
          .reference = [](const TensorList& in) { return choose(in[1], full({}, 2, {float64}), in[0]); },
          .gradient = t.product() < 100};
}

ORDO_OP_SIZES(masked_fill) { return {masked_fill_sample({n}, {n}), masked_fill_sample({n, 3}, {n, 1})}; }
ORDO_OP_SAMPLES(masked_fill) {
  std::vector<Sample> samples;
  const Dims shapes[][2] = {{{5}, {5}},   {{3, 4}, {4}}, {{3, 4}, {3, 1}},
                            {{2, 3}, {}}, {{0, 3}, {3}}, {{3, 7, 31}, {7, 1}}};
  for (const auto& [t, m] : shapes) samples.push_back(masked_fill_sample(t, m));
  return samples;
}

}  // namespace
}  // namespace ordo::test::binary_samples_test
