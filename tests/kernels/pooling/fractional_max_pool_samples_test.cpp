#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::fractional_max_pool_samples_test {
namespace {

struct Case {
  const char* label;
  Dims sizes;
  Size3 kernel, output;  // of 2: the last two
  bool many = false;     // for sums of many gradients
  bool smooth = false;   // the random samples are no input, so that gradients can be checked
};

template <int N>
MaxPoolResult pool(const TensorList& in, const Case& c) {
  if constexpr (N == 2)
    return fractional_max_pool2d_with_indices(
        in[0], {c.kernel[1], c.kernel[2]}, {.output_size = Size2{c.output[1], c.output[2]}, .random_samples = in[1]});
  else
    return fractional_max_pool3d_with_indices(in[0], c.kernel, {.output_size = c.output, .random_samples = in[1]});
}
template <int N>
Tensor pool_values(const TensorList& in, const Case& c) {
  if constexpr (N == 2)
    return fractional_max_pool2d(in[0], {c.kernel[1], c.kernel[2]},
                                 {.output_size = Size2{c.output[1], c.output[2]}, .random_samples = in[1]});
  else
    return fractional_max_pool3d(in[0], c.kernel, {.output_size = c.output, .random_samples = in[1]});
}

template <int N>
std::vector<double> reference(const TensorList& in, const Case& c) {
  const auto x = in[0].to_vector<double>();
  const auto u = in[1].to_vector<double>();
  int64_t size[3] = {1, 1, 1};
  for (int i = 0; i < N; ++i) size[3 - N + i] = in[0].size(i - N);
  const int64_t inputs = size[0] * size[1] * size[2], volumes = in[1].numel() / N;
  std::vector<double> out;
  for (int64_t v = 0; v < volumes; ++v) {
    std::vector<int64_t> begin[3] = {{0}, {0}, {0}};
    for (int axis = 3 - N; axis < 3; ++axis) {
      const int64_t last = size[axis] - c.kernel[axis], outputs = c.output[axis];
      const double r = u[size_t(v * N + (N == 2 ? 2 - axis : axis))];
      begin[axis].clear();
      for (int64_t o = 0; o + 1 < outputs; ++o) {
        const double a = double(last) / double(outputs - 1);
        begin[axis].push_back(int64_t(std::floor((double(o) + r) * a) - std::floor(r * a)));
      }
      begin[axis].push_back(last);
    }
    for (int64_t d0 : begin[0])
      for (int64_t h0 : begin[1])
        for (int64_t w0 : begin[2]) {
          double best = -std::numeric_limits<double>::infinity();
          for (int64_t d = d0; d < d0 + c.kernel[0]; ++d)
            for (int64_t h = h0; h < h0 + c.kernel[1]; ++h)
              for (int64_t w = w0; w < w0 + c.kernel[2]; ++w)
                best = std::max(best, x[size_t(v * inputs + (d * size[1] + h) * size[2] + w)]);
          out.push_back(best);
        }
  }
  return out;
}

template <int N>
Sample sample_of(const Case& c, bool with_indices) {
  Sample s;
  s.label = c.label;
  const bool batched = c.sizes.size() == N + 2;
  const Dims drawn = {batched ? c.sizes[0] : 1, c.sizes[batched ? 1 : 0], N};
  std::vector<double> u;  // exact in every dtype
  for (int64_t i = 0; i < drawn[0] * drawn[1] * N; ++i) u.push_back(double(i * 5 % 16) / 16);
  // `atomic` adds 128 neighbouring items in a fixed order: what shows the others' must be the maximum of many windows.
  auto cells = (c.many ? test_mixed_values(c.sizes, 1) : test_values(c.sizes, 1)).to_vector<double>();
  if (c.many && N == 2) cells[cells.size() / 2 + size_t(c.sizes[3]) / 2] = 8192;
  const Tensor x = from_vector(cells, c.sizes), drawn_at = from_vector(u, drawn);
  s.inputs = c.smooth ? TensorList{x} : TensorList{x, drawn_at};
  const auto both = [c, drawn_at](const TensorList& in) {
    return c.smooth ? TensorList{in[0], drawn_at.to(in[0].device(), in[0].dtype())} : in;
  };
  s.run = [c, with_indices, both](const TensorList& in) {
    return with_indices ? pool<N>(both(in), c).values : pool_values<N>(both(in), c);
  };
  s.forced = [c, both](const TensorList& in, Algorithm algorithm) {
    const auto p = pool<N>(both(in), c);
    const Tensor grad = test_gradient(p.values.sizes(), in[0]);
    return scatter_add(zeros(in[0].sizes(), in[0].options()).flatten(-N, -1), -1, p.indices.flatten(-N, -1),
                       grad.flatten(-N, -1), algorithm);
  };
  s.reference = [c, both](const TensorList& in) { return reference<N>(both(in), c); };
  s.gradient = c.smooth;
  s.tolerance = 0;  // a maximum is one of the inputs
  s.order_sensitive = c.many;
  return s;
}
template <int N>
std::vector<Sample> samples(const std::vector<Case>& cases, bool with_indices) {
  std::vector<Sample> out;
  for (const Case& c : cases) out.push_back(sample_of<N>(c, with_indices));
  return out;
}

const std::vector<Case> kCases2 = {{"plane", {1, 2, 6, 9}, {1, 2, 3}, {1, 3, 4}},
                                   {"no_batch", {2, 5, 5}, {1, 2, 2}, {1, 1, 4}},
                                   {"no_samples", {0, 2, 5, 5}, {1, 2, 2}, {1, 2, 2}},
                                   {"few_windows", {1, 2, 4, 17}, {1, 2, 2}, {1, 2, 3}},
                                   {"overlap", {1, 1, 47, 47}, {1, 16, 16}, {1, 32, 32}, true},
                                   {"gradient", {2, 1, 5, 6}, {1, 2, 3}, {1, 3, 3}, false, true}};
const std::vector<Case> kCases3 = {{"volume", {1, 2, 5, 6, 7}, {2, 2, 3}, {2, 3, 3}},
                                   {"no_batch", {2, 3, 4, 4}, {1, 2, 2}, {3, 2, 1}},
                                   {"overlap", {1, 1, 11, 11, 11}, {4, 4, 4}, {8, 8, 8}, true},
                                   {"gradient", {1, 2, 3, 4, 3}, {2, 2, 2}, {2, 2, 1}, false, true}};
std::vector<Case> sized2(int64_t n) {
  return {{"width", {1, 1, 4, n + 3}, {1, 2, 2}, {1, 2, n}}, {"planes", {n, 1, 4, 4}, {1, 2, 2}, {1, 2, 2}}};
}
std::vector<Case> sized3(int64_t n) {
  return {{"width", {1, 1, 2, 4, n + 3}, {1, 2, 2}, {2, 2, n}}, {"volumes", {n, 1, 2, 3, 3}, {1, 2, 2}, {1, 2, 2}}};
}

#define ORDO_FRACTIONAL_SAMPLES(N)                                                                \
  ORDO_OP_SAMPLES(fractional_max_pool##N##d) { return samples<N>(kCases##N, false); }             \
  ORDO_OP_SIZES(fractional_max_pool##N##d) { return samples<N>(sized##N(n), false); }             \
  ORDO_OP_SAMPLES(fractional_max_pool##N##d_with_indices) { return samples<N>(kCases##N, true); } \
  ORDO_OP_SIZES(fractional_max_pool##N##d_with_indices) { return samples<N>(sized##N(n), true); }
ORDO_FRACTIONAL_SAMPLES(2)
ORDO_FRACTIONAL_SAMPLES(3)

Tensor halves(int64_t n, Device d) { return (ones({1, 1, n}) * 0.5).to(d); }
#define ORDO_FRACTIONAL_INTEGERS(name, N, ...)                                                         \
  ORDO_OP_INTEGER(name, "kernel", [&] {                                                                \
    const auto r = name(some(d).view(__VA_ARGS__), v,                                                  \
                        {.output_size = OptionalSize##N(Size##N(1)), .random_samples = halves(N, d)}); \
    return values_of(r);                                                                               \
  }());                                                                                                \
  ORDO_OP_INTEGER(name, "output_size", [&] {                                                           \
    const auto r = name(some(d).view(__VA_ARGS__), 1,                                                  \
                        {.output_size = OptionalSize##N(Size##N(v)), .random_samples = halves(N, d)}); \
    return values_of(r);                                                                               \
  }());
Tensor values_of(const Tensor& t) { return t; }
Tensor values_of(const MaxPoolResult& r) { return r.values; }
ORDO_FRACTIONAL_INTEGERS(fractional_max_pool2d, 2, {1, 2, 3})
ORDO_FRACTIONAL_INTEGERS(fractional_max_pool2d_with_indices, 2, {1, 2, 3})
ORDO_FRACTIONAL_INTEGERS(fractional_max_pool3d, 3, {1, 1, 2, 3})
ORDO_FRACTIONAL_INTEGERS(fractional_max_pool3d_with_indices, 3, {1, 1, 2, 3})

TEST(FractionalMaxPool, columns_and_windows_find_the_same_places) {
  // Many ties, zeros of both signs and NaNs: what a plain walk over each window finds.
  std::vector<float> x;
  for (int i = 0; i < 8 * 13; ++i) {
    const int k = i * i * 7 % 23;
    x.push_back(k == 1 ? NAN : k < 6 ? -INFINITY : k < 12 ? -0.0f : k < 20 ? 0.0f : 1.0f);
  }
  for (int64_t kernel : {1, 2, 3, 5}) {
    const int64_t outputs = 4;
    const auto r =
        fractional_max_pool2d_with_indices(from_vector<float>(x, {1, 8, 13}), {2, kernel},
                                           {.output_size = Size2(outputs), .random_samples = halves(2, "cpu")});
    const auto at = r.indices.to_vector<int64_t>();
    const auto begin = [&](int64_t o, int64_t last) {
      return o == outputs - 1 ? last : int64_t((double(o) + 0.5) * double(last) / 3) - int64_t(0.5 * double(last) / 3);
    };
    for (int64_t i = 0; i < outputs * outputs; ++i) {
      const int64_t h0 = begin(i / outputs, 6), w0 = begin(i % outputs, 13 - kernel);
      int64_t best = h0 * 13 + w0;
      for (int64_t h = h0; h < h0 + 2; ++h)
        for (int64_t w = w0; w < w0 + kernel; ++w) {
          const float v = x[size_t(h * 13 + w)];
          if (v > x[size_t(best)] || v != v) best = h * 13 + w;
        }
      EXPECT_EQ(at[size_t(i)], best) << "kernel " << kernel << ", output " << i;
    }
  }
}

TEST(FractionalMaxPool, draws_from_the_generator) {
  const Tensor x = test_values({2, 3, 9, 9, 9}).to(float32);
  Generator a(7), b(7);
  const Tensor u = rand({2, 3, 3}, {}, &a), y = fractional_max_pool3d(x, 2, {.output_size = 4, .generator = &b});
  EXPECT_EQ(bytes_of(fractional_max_pool3d(x, 2, {.output_size = 4, .random_samples = u})), bytes_of(y));
  EXPECT_NE(bytes_of(fractional_max_pool3d(x, 2, {.output_size = 4, .generator = &b})), bytes_of(y));
  for (Device d : test_devices()) {
    Generator c(7);
    EXPECT_EQ(bytes_of(fractional_max_pool3d(x.to(d), 2, {.output_size = 4, .generator = &c})), bytes_of(y));
  }
}

TEST(FractionalMaxPool, ratios) {
  const Tensor x = ones({1, 9, 10});
  EXPECT_EQ(fractional_max_pool2d(x, 2, {.output_ratio = {0.5}}).sizes(), (Dims{1, 4, 5}));
  EXPECT_EQ(fractional_max_pool2d(x, 2, {.output_ratio = {0.5, 0.75}}).sizes(), (Dims{1, 4, 7}));
  EXPECT_EQ(nn::FractionalMaxPool2d(2, {.output_ratio = {0.5}}).forward(x).sizes(), (Dims{1, 4, 5}));
  EXPECT_EQ(nn::FractionalMaxPool3d(2, {.output_size = {2, 3, 4}}).forward(ones({1, 1, 4, 5, 6})).sizes(),
            (Dims{1, 1, 2, 3, 4}));
}

TEST(FractionalMaxPool, refuses) {
  const Tensor x = ones({1, 4, 4});
  EXPECT_ORDO_ERROR(fractional_max_pool2d(x, 2), ValueError, "either an output_size or an output_ratio");
  EXPECT_ORDO_ERROR(fractional_max_pool2d(x, 2, {.output_ratio = {1.5}}), ValueError, "between 0 and 1");
}

}  // namespace
}  // namespace ordo::test::fractional_max_pool_samples_test
