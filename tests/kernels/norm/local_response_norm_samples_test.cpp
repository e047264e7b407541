#include <ordo/kernels/pooling/pool.h>
#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::local_response_norm_samples_test {
namespace {

struct Case {
  const char* label;
  Dims sizes;
  int64_t size;
  double alpha = 0.5, beta = 0.75, k = 1;
};

std::vector<double> reference(const TensorList& in, const Case& c) {
  const auto x = in[0].to_vector<double>();
  const int64_t channels = in[0].size(1);
  int64_t inner = 1;
  for (int d = 2; d < in[0].dim(); ++d) inner *= in[0].size(d);
  std::vector<double> out;
  for (int64_t i = 0; i < int64_t(x.size()); ++i) {
    const int64_t channel = i / inner % channels, first = channel - c.size / 2;
    double sum = 0;
    for (int64_t j = std::max<int64_t>(0, first); j < std::min(channels, first + c.size); ++j) {
      const double v = x[size_t(i + (j - channel) * inner)];
      sum += v * v;
    }
    out.push_back(x[size_t(i)] / std::pow(c.k + c.alpha * sum / double(c.size), c.beta));
  }
  return out;
}

Sample sample_of(const Case& c) {
  Sample s;
  s.label = c.label;
  s.order_sensitive = std::string_view(c.label) == "many";
  s.inputs = {test_values(c.sizes, 1)};
  s.run = [c](const TensorList& in) { return local_response_norm(in[0], c.size, c.alpha, c.beta, c.k); };
  s.forced = [c](const TensorList& in, Algorithm algorithm) {
    const Dims plane{c.sizes[0], 1, c.sizes[1], c.sizes.product() / std::max<int64_t>(1, c.sizes[0] * c.sizes[1])};
    const auto arguments = kernels::avg_pool_arguments<2>({c.size, 1}, OptionalSize2(1), {c.size / 2, 0});
    Dims outputs = plane;
    outputs[2] += 2 * (c.size / 2) - c.size + 1;
    return kernels::avg_pool_backward(test_gradient(outputs, in[0]), plane, arguments, algorithm);
  };
  s.reference = [c](const TensorList& in) { return reference(in, c); };
  s.gradient = c.sizes.product() <= 100;
  s.tolerance = 32;
  return s;
}
std::vector<Sample> samples(const std::vector<Case>& cases) { return samples_of(cases, sample_of); }

ORDO_OP_SAMPLES(local_response_norm) {
  return samples({{"lines", {2, 5, 3}, 3},
                  {"even", {1, 6, 2, 2}, 4, 1, 0.5, 2},
                  {"one", {2, 3, 2, 2}, 1},
                  {"more than channels", {1, 3, 4}, 9, 2, 1.5},
                  {"volumes", {1, 4, 2, 2, 3}, 2},
                  {"as_alexnet", {2, 16, 5, 7}, 5, 1e-4, 0.75, 2},
                  {"many", {2, 60, 9, 7}, 13}});
}
ORDO_OP_SIZES(local_response_norm) {
  return samples(
      {{"channels", {2, n, 3}, 3}, {"cells", {1, 4, n}, 3}, {"samples", {n, 4, 2}, 2}, {"window", {1, 9, 2}, n}});
}
ORDO_OP_INTEGER(local_response_norm, "size", local_response_norm(some(d).view({1, 2, 3}), v));
ORDO_OP_INTEGER(local_response_norm, "alpha", local_response_norm(some(d).view({1, 2, 3}), 2, double(v)));
ORDO_OP_INTEGER(local_response_norm, "k", local_response_norm(some(d).view({1, 2, 3}), 2, 1, 1, double(v)));

TEST(LocalResponseNorm, of_nothing) {
  EXPECT_EQ(local_response_norm(ones({0, 3, 4}), 2).sizes(), (Dims{0, 3, 4}));
  EXPECT_EQ(local_response_norm(ones({2, 0, 4}, {float16}), 2).dtype(), float16);
  EXPECT_EQ(local_response_norm(ones({2, 3, 0}), 2).sizes(), (Dims{2, 3, 0}));
}

TEST(LocalResponseNorm, half_squares_do_not_overflow) {
  const Tensor y = local_response_norm(full({1, 1, 1}, 1000, float16), 1, 1, 0.5, 0);
  EXPECT_EQ(y.to_vector<float>(), std::vector<float>{1});
}

}  // namespace
}  // namespace ordo::test::local_response_norm_samples_test
