#include "tests/kernels/samples.h"

namespace ordo::test::softmax_samples_test {
namespace {

std::vector<double> reference(const Tensor& t, int dim, bool log) {
  std::vector<double> x = t.to_vector<double>(), out(x.size());
  const int64_t length = t.dim() ? t.sizes()[dim] : 1;
  int64_t inner = 1;
  for (int d = dim + 1; d < t.dim(); ++d) inner *= t.sizes()[d];
  for (int64_t first = 0; first < t.numel(); ++first) {
    if (first / inner % length) continue;  // not the first of a row
    double max = -HUGE_VAL, sum = 0;
    for (int64_t k = 0; k < length; ++k) max = std::max(max, x[size_t(first + k * inner)]);
    for (int64_t k = 0; k < length; ++k) sum += std::exp(x[size_t(first + k * inner)] - max);
    for (int64_t k = 0; k < length; ++k) {
      const double shifted = x[size_t(first + k * inner)] - max;
      out[size_t(first + k * inner)] = log ? shifted - std::log(sum) : std::exp(shifted) / sum;
    }
  }
  return out;
}

Sample sample(bool log, const char* label, const Dims& sizes, int dim) {
  return {.label = label,
          .inputs = {test_values(sizes)},
          .run = [=](const TensorList& in) { return log ? log_softmax(in[0], dim) : softmax(in[0], dim); },
          .reference = [=](const TensorList& in) { return reference(in[0], dim, log); },
          .gradient = sizes.product() <= 100,
          // In float64 the reference sums a row in plain order, with the error of that.
          .tolerance = sizes.product() > 4096 ? 64.0 : 8.0};
}

std::vector<Sample> samples(bool log) {
  return {sample(log, "rows", {3, 10}, 1),      sample(log, "columns", {4, 5}, 0),
          sample(log, "middle", {2, 3, 4}, 1),  sample(log, "0-d", {}, 0),
          sample(log, "one", {3, 1}, 1),        sample(log, "empty", {0, 3}, 1),
          sample(log, "33 lanes", {5, 33}, 1),  sample(log, "a block and one", {2, 4097}, 1),
          sample(log, "empty rows", {3, 0}, 1), sample(log, "across", {70, 40}, 0)};
}

std::vector<Sample> sized(bool log, int64_t n) {
  return {sample(log, "along", {2, n}, 1), sample(log, "across", {n, 3}, 0),
          sample(log, "rows", {std::min<int64_t>(n, 257), 5}, 1),  // a block each
          sample(log, "columns", {5, n}, 0)};
}

ORDO_OP_SAMPLES(softmax) { return samples(false); }
ORDO_OP_SAMPLES(log_softmax) { return samples(true); }
ORDO_OP_SIZES(softmax) { return sized(false, n); }
ORDO_OP_SIZES(log_softmax) { return sized(true, n); }

TEST(Softmax, large_values_do_not_overflow) {
  for (Device device : test_devices()) {
    const Tensor t = from_vector<float>({1e30f, 1e30f, -1e30f}, {3}).to(device);
    EXPECT_EQ(softmax(t, 0).to_vector<float>(), (std::vector<float>{0.5f, 0.5f, 0}));
    const Tensor masked = from_vector<float>({0, -INFINITY}, {2}).to(device);
    EXPECT_EQ(softmax(masked, -1).to_vector<float>(), (std::vector<float>{1, 0}));
  }
}

}  // namespace
}  // namespace ordo::test::softmax_samples_test
