#include "tests/kernels/samples.h"

namespace ordo::test::batch_norm_samples_test {
namespace {

/// Exact in every dtype.
std::vector<double> running(int64_t channels, double first) {
  std::vector<double> out;
  for (int64_t c = 0; c < channels; ++c) out.push_back(first + 0.25 * double(c));
  return out;
}

std::vector<double> reference(const TensorList& in, bool training, double eps) {
  const auto x = in[0].to_vector<double>();
  const int64_t n = in[0].sizes()[0], c = in[0].sizes()[1], inner = in[0].numel() / (n * c);
  std::vector<double> out(x.size());
  for (int64_t k = 0; k < c; ++k) {
    const auto at = [&](int64_t i) { return size_t((i / inner * c + k) * inner + i % inner); };
    double mean = 0, var = 0;
    for (int64_t i = 0; i < n * inner; ++i) mean += x[at(i)] / double(n * inner);
    for (int64_t i = 0; i < n * inner; ++i) var += (x[at(i)] - mean) * (x[at(i)] - mean) / double(n * inner);
    if (!training) mean = running(c, -0.5)[size_t(k)], var = running(c, 0.5)[size_t(k)];
    const double w = in.size() > 1 ? in[1].to_vector<double>()[size_t(k)] : 1;
    const double b = in.size() > 2 ? in[2].to_vector<double>()[size_t(k)] : 0;
    for (int64_t i = 0; i < n * inner; ++i) out[at(i)] = (x[at(i)] - mean) / std::sqrt(var + eps) * w + b;
  }
  return out;
}

Sample sample(const char* label, const Dims& sizes, bool training, bool affine = true) {
  const int64_t c = sizes[1];
  Sample s{.label = label,
           .inputs = {test_values(sizes)},
           .run =
               [=](const TensorList& in) {
                 const auto like = [&](std::vector<double> v) {
                   return from_vector<double>(v, {c}).to(in[0].device(), in[0].dtype());
                 };
                 return batch_norm(in[0], like(running(c, -0.5)), like(running(c, 0.5)),
                                   in.size() > 1 ? in[1] : Tensor(), in.size() > 2 ? in[2] : Tensor(), training);
               },
           .reference = [=](const TensorList& in) { return reference(in, training, 1e-5); },
           .gradient = sizes.product() <= 100,
           .tolerance = 16};
  if (affine) s.inputs = {test_values(sizes), test_values({c}, 1), test_values({c}, 2)};
  return s;
}

ORDO_OP_SAMPLES(batch_norm) {
  return {
      sample("rows", {6, 3}, true),
      sample("images", {3, 2, 2, 3}, true),
      sample("plain", {5, 2, 2}, true, false),
      sample("eval rows", {4, 3}, false),
      sample("eval images", {2, 3, 2, 2}, false),
      sample("eval plain", {3, 2, 4}, false, false),
      sample("large images", {5, 4, 9, 11}, true),
      sample("many rows", {300, 40}, true),
      sample("two blocks", {3, 2, 37, 45}, true),
      sample("one channel", {4, 1, 30, 40}, true),
  };
}

ORDO_OP_SIZES(batch_norm) {
  return {
      sample("samples", {n, 2, 2}, true),      sample("channels", {5, n}, true), sample("cells", {2, 3, n}, true),
      sample("plain", {2, 3, n}, true, false), sample("eval", {2, 3, n}, false),
  };
}

TEST(BatchNorm, running_statistics) {
  for (Device device : test_devices())
    for (DType stats : {float32, float16}) {
      const Tensor x = from_vector<float>({1, 2, 3, 6, 4, 8}, {3, 2}).to(device, stats == float16 ? float16 : float32);
      const Tensor mean = zeros({2}, {stats, device}), var = ones({2}, {stats, device});
      batch_norm(x, mean, var, {}, {}, true, 0.5);
      // Channels 1, 3, 4 and 2, 6, 8: means 8/3 and 16/3, unbiased variances 7/3 and 28/3.
      const double tolerance = stats == float16 ? 4e-3 : 1e-6;
      EXPECT_NEAR(mean.to_vector<double>()[0], 4.0 / 3, tolerance);
      EXPECT_NEAR(mean.to_vector<double>()[1], 8.0 / 3, tolerance);
      EXPECT_NEAR(var.to_vector<double>()[0], 0.5 + 7.0 / 6, tolerance);
      EXPECT_NEAR(var.to_vector<double>()[1], 0.5 + 28.0 / 6, tolerance);
    }
}

TEST(BatchNorm, counts_the_change_of_running_statistics) {
  Tensor mean = zeros({2}), var = ones({2});
  const Tensor w = ones({2}).set_requires_grad();
  const Tensor y = sum(mul(w, mean));
  batch_norm(test_values({4, 2}).to(float32), mean, var, {}, {}, true);
  EXPECT_ORDO_ERROR(y.backward(), AutogradError, "batch_norm");
}

TEST(BatchNorm, not_training_the_inputs_gradient_is_independent_of_input_and_mean) {
  for (Device device : test_devices())
    for (DType dtype : {float32, float64})
      for (int64_t inner : {1, 10}) {
        const auto channels = [&](double a, double b, double c) {
          return from_vector<double>({a, b, c}, {3}).to(device, dtype);
        };
        Tensor x = test_values({2, 3, inner}).to(device, dtype);
        x.select(0, 0).select(0, 0).fill_(INFINITY);
        x.set_requires_grad();
        const Tensor y =
            batch_norm(x, channels(0, INFINITY, NAN), channels(1, 3, 8), channels(2, 4, 6), {}, false, 0.1, 1);
        const Tensor g = test_values({2, 3, inner}, 1).to(device, dtype);
        const Tensor scale = (channels(2, 4, 6) / sqrt(channels(1, 3, 8) + 1)).view({3, 1});
        for (bool again : {false, true}) {
          const auto got = grad({y}, {x}, {g}, true, again)[0].to_vector<double>(),
                     want = (g * scale).to_vector<double>();
          for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5) << i << " " << again;
        }
      }
}

TEST(BatchNorm, half_input_with_float_parameters) {
  for (Device device : test_devices()) {
    const Tensor x = test_values({8, 4}).to(device, float16).set_requires_grad();
    const Tensor w = ones({4}, {float32, device, true}), mean = zeros({4}, {float32, device}),
                 var = ones({4}, {float32, device});
    const Tensor y = batch_norm(x, mean, var, w, {}, true);
    EXPECT_EQ(y.dtype(), float16);
    sum(y * y).backward();
    EXPECT_EQ(x.grad().dtype(), float16);
    EXPECT_EQ(w.grad().dtype(), float32);
  }
}

TEST(BatchNorm, bad_input) {
  const Tensor x = ones({4, 3}), m = zeros({3}), v = ones({3});
  EXPECT_ORDO_ERROR(batch_norm(x, {}, {}), ValueError, "running_mean");
  EXPECT_ORDO_ERROR(batch_norm(x, m, {}, {}, {}, true), ValueError, "running");
  EXPECT_EQ(batch_norm(empty({0, 3}), m, v).numel(), 0);
}

}  // namespace
}  // namespace ordo::test::batch_norm_samples_test
