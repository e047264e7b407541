// Random tensors: samples for the registry's tests, the numbers themselves, and what the functions refuse.
#include <ordo/engine/run/philox.h>
#include "tests/kernels/samples.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::random_test {
namespace {

using T = const Tensor&;
using G = Generator&;

/// The input gives dtype and device; every run draws from a fresh stream.
Sample drawn(const Dims& sizes, Tensor (*run)(T like, G g), bool gradient) {
  return {.label = sizes.str(),
          .inputs = {test_values(sizes, 4, 0.1, 0.9)},
          .run =
              [run](const TensorList& in) {
                Generator g(11, 2);
                return run(in[0], g);
              },
          .reference = nullptr,
          .gradient = gradient && sizes.product() < 100};
}

std::vector<Sample> drawn(Tensor (*run)(T like, G g), bool gradient) {
  const auto of = [=](const Dims& sizes) { return drawn(sizes, run, gradient); };
  return {of({}), of({0, 2}), of({7}), of({3, 5, 71})};
}

#define RANDOM_SAMPLES(op, call, gradient)                 \
  ORDO_OP_SAMPLES(op) {                                    \
    return drawn([](T x, G g) { return call; }, gradient); \
  }                                                        \
  ORDO_OP_SIZES(op) {                                      \
    return {drawn(                                         \
        {n}, [](T x, G g) { return call; }, gradient)};    \
  }

RANDOM_SAMPLES(rand, rand_like(x, &g), false)
RANDOM_SAMPLES(randn, randn_like(x, &g), false)
RANDOM_SAMPLES(randint,
               randint(x.dtype() == uint8 || x.dtype() == boolean ? 0 : -3, x.dtype() == boolean ? 2 : 9, x.sizes(),
                       x.options(), &g),
               false)
RANDOM_SAMPLES(randperm, randperm(x.dtype() == uint8 ? x.numel() % 100 : x.numel(), x.options(), &g), false)
RANDOM_SAMPLES(bernoulli, is_floating(x.dtype()) ? bernoulli(x, &g) : bernoulli(x.sizes(), 0.4, x.options(), &g), false)
RANDOM_SAMPLES(uniform_, uniform_(x.detach().clone(), -1, 3, &g), false)
RANDOM_SAMPLES(normal_, normal_(x.detach().clone(), 1, 2, &g), false)
RANDOM_SAMPLES(dropout, dropout(x, 0.4, true, &g), true)

TEST(Random, documented_numbers) {
  Generator g(5, 1);
  g.reserve(3);
  const uint64_t first = g.state().offset;
  const auto u = rand({9}, {}, &g).to_vector<float>();
  EXPECT_EQ(g.state().offset, first + 3);
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(u[size_t(i)], float(philox(5, 1, first + uint64_t(i / 4)).v[i % 4] >> 8) * 0x1p-24f);
  const auto d = rand({3}, {float64}, &g).to_vector<double>();
  const PhiloxBlock b = philox(5, 1, first + 3);
  EXPECT_EQ(d[1], double((uint64_t(b.v[2]) << 32 | b.v[3]) >> 11) * 0x1p-53);
}

TEST(Random, the_same_on_every_device_and_thread_count) {
  for (DType dtype : {float32, float64, float16, bfloat16}) {
    const auto draw = [dtype](Device device) -> TensorList {
      Generator g(9);
      return {rand({20001}, {dtype, device}, &g),         randn({20001}, {dtype, device}, &g),
              randint(100, {20001}, {int64, device}, &g), randint(-5, int64_t(1) << 40, {333}, {int64, device}, &g),
              bernoulli({777}, 0.3, {dtype, device}, &g), randperm(333, {int64, device}, &g)};
    };
    expect_same_with_any_threads("random", [&] { return draw(cpu); });
    const TensorList want = draw(cpu);
    for (Device device : test_devices()) {
      const TensorList got = draw(device);
      for (size_t i = 0; i < want.size(); ++i)
        EXPECT_EQ(bytes_of(got[i]), bytes_of(want[i])) << name(dtype) << " on " << device.str() << ", tensor " << i;
    }
  }
}

struct Moments {
  double mean, variance, least, most;
};
Moments moments(const Tensor& t) {
  const auto v = t.to_vector<double>();
  double sum = 0, squares = 0;
  for (double x : v) sum += x;
  const double mean = sum / double(v.size());
  for (double x : v) squares += (x - mean) * (x - mean);
  return {mean, squares / double(v.size()), *std::min_element(v.begin(), v.end()),
          *std::max_element(v.begin(), v.end())};
}

// Limits are five standard errors of 200,000 draws; the seed is fixed, so they pass always or never.
TEST(Random, distributions) {
  Generator g(1);
  constexpr int64_t n = 200000;
  for (DType dtype : {float32, float64, float16, bfloat16}) {
    SCOPED_TRACE(name(dtype));
    const Moments u = moments(rand({n}, {dtype}, &g));
    const double step = dtype == bfloat16 ? 0x1p-8 : dtype == float16 ? 0x1p-11 : 0;
    EXPECT_NEAR(u.mean, 0.5 - step / 2, 5 * std::sqrt(1.0 / 12 / n));
    EXPECT_NEAR(u.variance, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / n) + step);
    EXPECT_GE(u.least, 0);
    EXPECT_LT(u.most, 1);
    const Moments z = moments(randn({n}, {dtype}, &g));
    EXPECT_NEAR(z.mean, 0, 5 / std::sqrt(double(n)));
    EXPECT_NEAR(z.variance, 1, 5 * std::sqrt(2.0 / n) + step);
  }
  const Moments shifted = moments(uniform_(empty({n}), 2, 5, &g));
  EXPECT_NEAR(shifted.mean, 3.5, 0.01);
  EXPECT_GE(shifted.least, 2);
  EXPECT_LT(shifted.most, 5);
  EXPECT_NEAR(moments(normal_(empty({n}), -3, 0.5, &g)).variance, 0.25, 0.005);
  EXPECT_NEAR(moments(bernoulli({n}, 0.3, {}, &g)).mean, 0.3, 5 * std::sqrt(0.21 / n));
  const auto dice = randint(1, 7, {n}, {int64}, &g).to_vector<int64_t>();
  std::map<int64_t, int> counts;
  for (int64_t v : dice) ++counts[v];
  ASSERT_EQ(counts.size(), 6u);
  for (const auto& [face, count] : counts) {
    EXPECT_TRUE(face >= 1 && face <= 6);
    EXPECT_NEAR(count, n / 6.0, 5 * std::sqrt(n * 5 / 36.0));
  }
  const Moments wide = moments(randint(0, int64_t(1) << 62, {n}, {int64}, &g));
  EXPECT_NEAR(wide.mean * 0x1p-62, 0.5, 5 * std::sqrt(1.0 / 12 / n));
}

TEST(Random, randperm_is_a_permutation) {
  Generator g(3);
  for (int64_t n : {0, 1, 2, 1000}) {
    auto v = randperm(n, {int64}, &g).to_vector<int64_t>();
    std::sort(v.begin(), v.end());
    EXPECT_EQ(v, arange(n).to_vector<int64_t>());
  }
}

TEST(Random, the_seed_and_the_state_decide) {
  manual_seed(42);
  const auto a = bytes_of(rand({10}));
  const auto b = bytes_of(rand({10}));
  EXPECT_NE(a, b);
  manual_seed(42);
  EXPECT_EQ(bytes_of(rand({10})), a);
  Generator g(1);
  randn({5}, {}, &g);
  const GeneratorState state = g.state();
  const auto c = bytes_of(randn({5}, {}, &g));
  g.set_state(state);
  EXPECT_EQ(bytes_of(randn({5}, {}, &g)), c);
  EXPECT_NE(bytes_of(rand({10}, {}, &g)), bytes_of(rand({10}, {}, &g)));
}

TEST(Random, dropout_keeps_scales_and_repeats_its_mask) {
  for (Device device : test_devices()) {
    Generator g(8);
    const Tensor x = ones({1000}, {float32, device, true});
    const Tensor y = dropout(x, 0.25, true, &g);
    int dropped = 0;
    for (float v : y.to_vector<float>()) {
      EXPECT_TRUE(v == 0 || v == float(1 / 0.75));
      dropped += v == 0;
    }
    EXPECT_NEAR(dropped, 250, 70);
    EXPECT_EQ(bytes_of(grad({y}, {x}, {ones_like(y)})[0]), bytes_of(y));
    EXPECT_TRUE(dropout(x, 0.25, false).is_same(x));
    EXPECT_EQ(moments(dropout(x, 1.0)).most, 0);
  }
}

TEST(Random, strided_targets) {
  Generator g(4);
  Tensor t = zeros({4, 6});
  uniform_(t.t(), 0, 1, &g);
  g.set_state({4, 0, 0});
  EXPECT_EQ(bytes_of(t.t().contiguous()), bytes_of(rand({6, 4}, {}, &g)));
}

TEST(BadInput, random) {
  EXPECT_ORDO_ERROR(randn({2}, {boolean}), DTypeError, "[randn]");
  EXPECT_ORDO_ERROR(bernoulli({2}, 1.5), ValueError, "[bernoulli]");
  EXPECT_ORDO_ERROR(bernoulli(ones({2}, {int64})), DTypeError, "bernoulli");
  EXPECT_ORDO_ERROR(uniform_(ones({2}), 2, 1), ValueError, "[uniform_]");
  EXPECT_ORDO_ERROR(uniform_(ones({2}), 0, INFINITY), ValueError, "[uniform_]");
  EXPECT_ORDO_ERROR(normal_(ones({2}), 0, -1), ValueError, "[normal_]");
  EXPECT_ORDO_ERROR(normal_(Tensor()), ValueError, "[normal_]");
  EXPECT_ORDO_ERROR(dropout(ones({2}), -0.1), ValueError, "[dropout]");
  EXPECT_EQ(rand({0, 3}).numel(), 0);
}

}  // namespace
}  // namespace ordo::test::random_test
