// Samples of arithmetic, comparisons and where.
#include <bit>
#include <random>

#include <ordo/kernels/math/math.h>
#include "tests/kernels/samples.h"

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
                                const std::function<double(double)>& formula, Range range = {-2, 2}) {
  for (const Dims& sizes : {Dims{4, 3}, Dims{3, 7, 31}}) {
    Sample s;
    s.label = std::string(label) + " " + sizes.str();
    s.inputs = {test_values(sizes, 77, range.low, range.high)};
    s.run = [run](const TensorList& in) { return run(in[0]); };
    s.reference = [formula](const TensorList& in) { return each_value(in[0], formula); };
    s.gradient = sizes.product() < 100;
    samples.push_back(std::move(s));
  }
  return samples;
}

using T = const Tensor&;

/// Of tensors a and b, or of a tensor t and a number; the formula is of numbers called so.
#define BINARY_SAMPLES(call, formula, ...) \
  binary([](T a, T b) { return call; }, [](double a, double b) -> double { return formula; } __VA_OPT__(, ) __VA_ARGS__)
#define NUMBER_SAMPLES(samples, label, call, formula, ...) \
  with_number(                                             \
      samples, label, [](T t) { return call; }, [](double t) -> double { return formula; } __VA_OPT__(, ) __VA_ARGS__)
#define BINARY_SIZES(op, call, formula, ...) \
  ORDO_OP_SIZES(op) { return BINARY_SAMPLES(call, formula, shapes_of_size(n) __VA_OPT__(, ) __VA_ARGS__); }
BINARY_SIZES(add, add(a, b, 2), a + 2 * b)
BINARY_SIZES(sub, a - b, a - b)
BINARY_SIZES(mul, a* b, a* b)
BINARY_SIZES(div, a / b, a / b, {-2, 2}, {0.5, 2})
BINARY_SIZES(pow, pow(a, b), std::pow(a, b), {0.5, 2}, {-2, 2})
BINARY_SIZES(minimum, minimum(a, b), std::min(a, b))
BINARY_SIZES(maximum, maximum(a, b), std::max(a, b))
ORDO_OP_SAMPLES(minimum) { return BINARY_SAMPLES(minimum(a, b), std::min(a, b)); }
ORDO_OP_SAMPLES(maximum) { return BINARY_SAMPLES(maximum(a, b), std::max(a, b)); }

ORDO_OP_SAMPLES(add) {
  auto s = BINARY_SAMPLES(a + b, a + b);
  s = NUMBER_SAMPLES(s, "scalar", 1 + t, 1 + t);
  s = NUMBER_SAMPLES(s, "scaled scalar", add(t, 2, 0.5), t + 1);
  for (Sample& more : BINARY_SAMPLES(add(a, b, 0.25), a + 0.25 * b)) {
    more.label = "alpha " + more.label;
    s.push_back(more);
  }
  return s;
}

ORDO_OP_SAMPLES(sub) {
  auto s = BINARY_SAMPLES(a - b, a - b);
  s = NUMBER_SAMPLES(s, "scalar", t - 1, t - 1);
  s = NUMBER_SAMPLES(s, "from scalar", 1 - t, 1 - t);
  for (Sample& more : BINARY_SAMPLES(sub(a, b, 2), a - 2 * b)) {
    more.label = "alpha " + more.label;
    s.push_back(more);
  }
  return s;
}

ORDO_OP_SAMPLES(mul) { return NUMBER_SAMPLES(BINARY_SAMPLES(a * b, a * b), "scalar", 0.5 * t, 0.5 * t); }

ORDO_OP_SAMPLES(div) {
  const auto s = BINARY_SAMPLES(a / b, a / b, {-2, 2}, {0.5, 2});
  return NUMBER_SAMPLES(NUMBER_SAMPLES(s, "scalar", t / 4, t / 4), "of scalar", 2 / t, 2 / t, {0.5, 2});
}

ORDO_OP_SAMPLES(pow) {
  auto s = BINARY_SAMPLES(pow(a, b), std::pow(a, b), {0.5, 2}, {-2, 2});
  s = NUMBER_SAMPLES(s, "square", pow(t, 2), t * t);
  s = NUMBER_SAMPLES(s, "cube", pow(t, 3), t * t * t);
  s = NUMBER_SAMPLES(s, "root", pow(t, 0.5), std::sqrt(t), {0.5, 2});
  return NUMBER_SAMPLES(s, "of scalar", pow(3, t), std::pow(3.0, t));
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
#define ORDO_FUNCTION2(op, kind, formula, of_a, of_b, a_least, a_most, b_least, b_most, reference)               \
  ORDO_OP_SAMPLES(op) {                                                                                          \
    const Formula f = [](double a, double b) -> double { return reference; };                                    \
    const auto left = [f](double a) { return f(a, 2); };                                                         \
    const auto right = [f](double b) { return f(2, b); };                                                        \
    auto s = binary([](T a, T b) { return ordo::op(a, b); }, f, {a_least, a_most}, {b_least, b_most});           \
    s = with_number(s, "scalar", [](T a) { return ordo::op(a, 2); }, left, {a_least, a_most});                   \
    return as_##kind(with_number(s, "of scalar", [](T b) { return ordo::op(2, b); }, right, {b_least, b_most})); \
  }                                                                                                              \
  ORDO_OP_SIZES(op) {                                                                                            \
    return as_##kind(                                                                                            \
        BINARY_SAMPLES(ordo::op(a, b), reference, shapes_of_size(n), {a_least, a_most}, {b_least, b_most}));     \
  }
#include <ordo/kernels/elementwise/binary_functions.def>

/// Few distinct values, so that equality happens.
std::vector<Sample> comparison(std::vector<Sample> samples) {
  for (Sample& s : samples)
    for (Tensor& t : s.inputs) t = test_indices(t.sizes(), 4, uint64_t(t.numel()), int32).to(float64) - 1;
  return samples;
}

#define COMPARISON_SAMPLES(op, expression)                                               \
  ORDO_OP_SAMPLES(op) { return comparison(BINARY_SAMPLES(ordo::op(a, b), expression)); } \
  ORDO_OP_SIZES(op) { return comparison(BINARY_SAMPLES(ordo::op(a, b), expression, shapes_of_size(n))); }
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
  const auto two = [] { return full({}, 2, {float64}); };
  return {where_sample({5}, {5}, {5}),
          where_sample({3, 1}, {4}, {3, 4}),
          where_sample({}, {3}, {2, 1}),
          where_sample({0, 3}, {3}, {}),
          where_sample({3, 7, 31}, {3, 7, 31}, {3, 7, 31}),
          where_sample({7, 31}, {3, 1, 1}, {3, 7, 1}),
          {.label = "other is a number",
           .inputs = {mask({3, 4}), test_values({3, 4}, 1)},
           .run = [](const TensorList& in) { return where(in[0], in[1], 2); },
           .reference = [=](const TensorList& in) { return choose(in[0], in[1], two()); }},
          {.label = "input is a number",
           .inputs = {mask({3, 4}), test_values({3, 4}, 1)},
           .run = [](const TensorList& in) { return where(in[0], 2, in[1]); },
           .reference = [=](const TensorList& in) { return choose(in[0], two(), in[1]); }}};
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
  return {masked_fill_sample({5}, {5}),   masked_fill_sample({3, 4}, {4}), masked_fill_sample({3, 4}, {3, 1}),
          masked_fill_sample({2, 3}, {}), masked_fill_sample({0, 3}, {3}), masked_fill_sample({3, 7, 31}, {7, 1})};
}

// Functions of two operands where samples do not go: signs, zeros, infinities, NaN, ends of ranges, and dtypes.

using Function = Tensor (*)(const Tensor&, const Tensor&);

template <class T>
void expect(const char* name, Function f, const std::vector<T>& a, const std::vector<T>& b,
            const std::vector<double>& want) {
  for (Device device : test_devices()) {
    const Dims sizes{int64_t(a.size())};
    const Tensor x = from_vector(a, sizes).to(device), y = from_vector(b, sizes).to(device);
    const std::vector<double> got = f(x, y).template to_vector<double>();
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(std::isnan(want[i]) ? std::isnan(got[i]) : got[i] == want[i])
          << name << "(" << double(a[i]) << ", " << double(b[i]) << ") is " << got[i] << ", not " << want[i] << " on "
          << device.str();
  }
}
#define EXPECT_FUNCTION(name, T, ...) \
  expect<T>(                          \
      #name, [](const Tensor& a, const Tensor& b) { return name(a, b); }, __VA_ARGS__)

TEST(BinaryFunctions, divisions_of_integers) {
  constexpr int32_t least = std::numeric_limits<int32_t>::min();
  const std::vector<int32_t> a = {7, -7, 7, -7, 6, -6, 5, least, least, 0}, b = {3, 3, -3, -3, 3, 3, 0, -1, 0, 5};
  EXPECT_FUNCTION(fmod, int32_t, a, b, {1, -1, 1, -1, 0, 0, 0, 0, 0, 0});
  EXPECT_FUNCTION(remainder, int32_t, a, b, {1, 2, -2, -1, 0, 0, 0, 0, 0, 0});
  EXPECT_FUNCTION(floor_divide, int32_t, a, b, {2, -3, -3, 2, 2, -2, 0, double(least), 0, 0});
  EXPECT_FUNCTION(remainder, uint8_t, {250, 7, 9}, {7, 250, 0}, {5, 7, 0});
  EXPECT_FUNCTION(floor_divide, uint8_t, {250, 7, 9}, {7, 250, 0}, {35, 0, 0});
}

TEST(BinaryFunctions, divisions_of_floating_numbers) {
  const std::vector<double> a = {7, -7, 7, -7, 1, 5, -5, INFINITY, 3, -3, 0, NAN, 1e300},
                            b = {3, 3, -3, -3, 0.1, 0, 0, 2, INFINITY, INFINITY, 3, 1, 7};
  EXPECT_FUNCTION(fmod, double, a, b,
                  {1, -1, 1, -1, std::fmod(1, 0.1), NAN, NAN, NAN, 3, -3, 0, NAN, std::fmod(1e300, 7)});
  // As Python's % and //.
  EXPECT_FUNCTION(remainder, double, a, b,
                  {1, 2, -2, -1, std::fmod(1, 0.1), NAN, NAN, NAN, 3, INFINITY, 0, NAN, std::fmod(1e300, 7)});
  EXPECT_FUNCTION(floor_divide, double, a, b,
                  {2, -3, -3, 2, 9, INFINITY, -INFINITY, NAN, 0, -1, 0, NAN, (1e300 - std::fmod(1e300, 7)) / 7});
}

TEST(BinaryFunctions, fmod_is_exact) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t x = random(), y = i % 3 == 0 ? x ^ (random() >> 20) : random();
    const double a = std::bit_cast<double>(x), b = std::bit_cast<double>(y), want = std::fmod(a, b);
    const double got = math::fmod(a, b);
    ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : std::bit_cast<uint64_t>(got) == std::bit_cast<uint64_t>(want))
        << a << " " << b << ": " << got << ", not " << want;
    const float c = std::bit_cast<float>(uint32_t(x)), d = std::bit_cast<float>(uint32_t(y)), exact = std::fmod(c, d);
    ASSERT_TRUE(std::isnan(exact) ? std::isnan(math::fmod(c, d)) : math::fmod(c, d) == exact) << c << " " << d;
  }
  EXPECT_EQ(math::fmod(1.0, 5e-324), 0);
  EXPECT_EQ(math::fmod(0x1p-1074 * 7, 0x1p-1074 * 3), 0x1p-1074);
  EXPECT_TRUE(std::signbit(math::fmod(-4.0, 2.0)));
}

TEST(BinaryFunctions, infinities_zeros_and_nan) {
  EXPECT_FUNCTION(fmax, double, {1, NAN, 2, NAN, -INFINITY}, {2, 1, NAN, NAN, -1}, {2, 1, 2, NAN, -1});
  EXPECT_FUNCTION(fmin, double, {1, NAN, 2, NAN, -INFINITY}, {2, 1, NAN, NAN, -1}, {1, 1, 2, NAN, -INFINITY});
  EXPECT_FUNCTION(hypot, double, {1e300, 0, INFINITY, NAN, NAN, 3e-320}, {1e300, 0, NAN, -INFINITY, 1, 4e-320},
                  {std::hypot(1e300, 1e300), 0, INFINITY, INFINITY, NAN, 5e-320});
  EXPECT_FUNCTION(hypot, float, {3e38f, INFINITY, 3}, {1e38f, NAN, 4}, {double(std::hypot(3e38f, 1e38f)), INFINITY, 5});
  EXPECT_FUNCTION(logaddexp, double, {INFINITY, -INFINITY, -INFINITY, 1000, NAN, 0}, {INFINITY, -INFINITY, 3, 0, 1, 0},
                  {INFINITY, -INFINITY, 3, 1000, NAN, std::log(2)});
  EXPECT_FUNCTION(xlogy, double, {0, 0, 0, 2, 2, NAN}, {0, -1, NAN, 0, -1, 1}, {0, 0, NAN, -INFINITY, NAN, NAN});
  EXPECT_FUNCTION(copysign, double, {1, -1, 0, INFINITY}, {-0.0, 0, -5, -1}, {-1, 1, -0.0, -INFINITY});
}

TEST(BinaryFunctions, dtypes) {
  const Tensor flags = tensor<bool>({true, false}), bytes = tensor<uint8_t>({6, 3}), x = tensor<float>({1.5f, 2});
  EXPECT_EQ(bitwise_xor(flags, tensor<bool>({true, true})).dtype(), boolean);
  EXPECT_EQ(bitwise_and(bytes, 5).to_vector<int>(), (std::vector<int>{4, 1}));
  EXPECT_EQ(bitwise_or(bytes, tensor<int64_t>({8, 8})).dtype(), int64);
  EXPECT_EQ(hypot(bytes, 8).dtype(), float32);
  EXPECT_EQ((bytes % 4).to_vector<int>(), (std::vector<int>{2, 3}));
  EXPECT_EQ((7 % bytes).to_vector<int>(), (std::vector<int>{1, 1}));
  EXPECT_ORDO_ERROR(fmod(flags, flags), DTypeError, "[fmod]");
}

}  // namespace
}  // namespace ordo::test::binary_samples_test
