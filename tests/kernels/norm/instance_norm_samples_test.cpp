#include "tests/kernels/samples.h"

namespace ordo::test::instance_norm_samples_test {
namespace {

constexpr double kEps = 0.25;  // large, so that finite differences stay smooth

/// Exact in every dtype.
double running(int64_t channel, double first) { return first + 0.25 * double(channel); }

std::vector<double> reference(const TensorList& in, bool own) {
  const auto x = in[0].to_vector<double>();
  const int64_t channels = in[0].size(1), rows = in[0].size(0) * channels;
  const int64_t n = rows > 0 ? int64_t(x.size()) / rows : 0;
  const auto w = in.size() > 1 ? in[1].to_vector<double>() : std::vector<double>(size_t(channels), 1.0);
  const auto b = in.size() > 2 ? in[2].to_vector<double>() : std::vector<double>(size_t(channels), 0.0);
  std::vector<double> out;
  for (int64_t r = 0; r < rows; ++r) {
    const double* row = x.data() + r * n;
    const int64_t c = r % channels;
    double mean = 0, var = 0;
    for (int64_t i = 0; i < n; ++i) mean += row[i] / double(n);
    for (int64_t i = 0; i < n; ++i) var += (row[i] - mean) * (row[i] - mean) / double(n);
    if (!own) mean = running(c, -0.5), var = running(c, 0.5);
    for (int64_t i = 0; i < n; ++i)
      out.push_back((row[i] - mean) / std::sqrt(var + kEps) * w[size_t(c)] + b[size_t(c)]);
  }
  return out;
}

Sample sample_of(const char* label, const Dims& sizes, bool affine = true, bool own = true) {
  const int64_t channels = sizes[1];
  Sample s = new_sample(label, {test_values(sizes)});
  if (affine) s.inputs = {test_values(sizes), test_values({channels}, 1), test_values({channels}, 2)};
  s.run = [=](const TensorList& in) {
    const auto like = [&](double first) {
      std::vector<double> v;
      for (int64_t c = 0; c < channels; ++c) v.push_back(running(c, first));
      return from_vector<double>(v, {channels}).to(in[0].device(), in[0].dtype());
    };
    return instance_norm(in[0], like(-0.5), like(0.5), affine ? in[1] : Tensor(), affine ? in[2] : Tensor(), own, 0.1,
                         kEps);
  };
  s.reference = [=](const TensorList& in) { return reference(in, own); };
  s.gradient = sizes.product() <= 100;
  s.tolerance = 64;
  return s;
}

ORDO_OP_SAMPLES(instance_norm) {
  return {sample_of("lines", {2, 3, 5}),
          sample_of("images", {2, 2, 3, 4}),
          sample_of("volumes", {1, 2, 2, 3, 2}),
          sample_of("plain", {3, 2, 4}, false),
          sample_of("running", {2, 3, 2, 2}, true, false),
          sample_of("running plain", {3, 2, 4}, false, false),
          sample_of("no samples", {0, 3, 4}),
          sample_of("large images", {3, 5, 31, 17}),
          sample_of("two blocks", {2, 3, 65, 64}),
          sample_of("many", {40, 30, 7})};
}
ORDO_OP_SIZES(instance_norm) {
  return {sample_of("samples", {n, 2, 3}), sample_of("channels", {3, n, 2}), sample_of("cells", {2, 3, n + 1})};
}

TEST(InstanceNorm, running_statistics_are_means_over_the_samples) {
  for (Device device : test_devices()) {
    const Tensor x = from_vector<float>({1, 3, 5, 9, 2, 2, 0, 8}, {2, 2, 2}).to(device);
    Tensor mean = zeros({2}, {.device = device}), var = ones({2}, {.device = device});
    instance_norm(x, mean, var, {}, {}, true, 0.5);
    // Means 2, 7 and 2, 4; unbiased variances 2, 8 and 0, 32.
    EXPECT_EQ(mean.to_vector<float>(), (std::vector<float>{1, 2.75}));
    EXPECT_EQ(var.to_vector<float>(), (std::vector<float>{1, 10.5}));
    instance_norm(x, mean, var, {}, {}, false);
    EXPECT_EQ(mean.to_vector<float>(), (std::vector<float>{1, 2.75}));
  }
}

TEST(InstanceNorm, half_input_with_float_parameters) {
  for (Device device : test_devices()) {
    const Tensor x = test_values({3, 2, 9}).to(device, float16), w = test_values({2}, 1).to(device, float16);
    EXPECT_EQ(bytes_of(instance_norm(x, {}, {}, w)), bytes_of(instance_norm(x, {}, {}, w.to(float32))));
  }
}

TEST(InstanceNorm, modules) {
  const Tensor x = test_values({3, 2, 5}).to(float32);
  nn::InstanceNorm1d plain(2);
  EXPECT_TRUE(plain.state_dict().empty());
  EXPECT_EQ(bytes_of(plain(x)), bytes_of(instance_norm(x)));
  EXPECT_EQ(bytes_of(plain(x[0])), bytes_of(instance_norm(x.narrow(0, 0, 1))));
  nn::InstanceNorm1d all(2, {.momentum = 0.5, .affine = true, .track_running_stats = true});
  EXPECT_EQ(all.state_dict().size(), 5u);
  all(x);
  Tensor mean = zeros({2}), var = ones({2});
  instance_norm(x, mean, var, {}, {}, true, 0.5);
  EXPECT_EQ(bytes_of(all.running_mean), bytes_of(mean));
  EXPECT_EQ(all.num_batches_tracked.item<int>(), 0);
  all.eval();
  EXPECT_EQ(bytes_of(all(x)), bytes_of(instance_norm(x, mean, var, ones({2}), zeros({2}), false)));
  EXPECT_EQ(nn::InstanceNorm2d(2)(ones({1, 2, 3, 3})).sizes(), (Dims{1, 2, 3, 3}));
  EXPECT_EQ(nn::InstanceNorm3d(2)(ones({2, 3, 3, 2})).sizes(), (Dims{2, 3, 3, 2}));
  EXPECT_ORDO_ERROR(nn::InstanceNorm2d(2)(ones({1, 2})), ShapeError, "[N, C, H, W]");
  EXPECT_ORDO_ERROR(nn::InstanceNorm1d(3)(x), ShapeError, "3 channels");
  EXPECT_ORDO_ERROR(nn::InstanceNorm1d(0), ValueError, "InstanceNorm1d");
}

TEST(InstanceNorm, bad_input) {
  const Tensor x = ones({4, 3, 2}), m = zeros({3}), v = ones({3});
  EXPECT_ORDO_ERROR(instance_norm(x, m, {}), ValueError, "running");
  EXPECT_ORDO_ERROR(instance_norm(x, {}, {}, {}, {}, false), ValueError, "running_mean");
}

}  // namespace
}  // namespace ordo::test::instance_norm_samples_test
