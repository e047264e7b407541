#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::layer_norm_samples_test {
namespace {

/// Rows of n values are normalised; weight and bias belong to element i by `parameter_of(i)`.
std::vector<double> reference(const TensorList& in, int64_t n, bool centered,
                              const std::function<int64_t(int64_t)>& parameter_of) {
  const auto x = in[0].to_vector<double>();
  const auto w = in.size() > 1 ? in[1].to_vector<double>() : std::vector<double>();
  const auto b = in.size() > 2 ? in[2].to_vector<double>() : std::vector<double>();
  std::vector<double> out(x.size());
  for (int64_t first = 0; first < int64_t(x.size()); first += n) {
    double mean = 0, var = 0;
    for (int64_t i = first; centered && i < first + n; ++i) mean += x[size_t(i)] / double(n);
    for (int64_t i = first; i < first + n; ++i) var += (x[size_t(i)] - mean) * (x[size_t(i)] - mean) / double(n);
    for (int64_t i = first; i < first + n; ++i) {
      const auto p = size_t(parameter_of(i));
      out[size_t(i)] = (x[size_t(i)] - mean) / std::sqrt(var + 0.25) * (w.empty() ? 1 : w[p]) + (b.empty() ? 0 : b[p]);
    }
  }
  return out;
}

/// `parameters`: 0 none, 1 a weight, 2 a bias as well. eps is large so that finite differences stay smooth.
Sample row_sample(const char* label, bool centered, const Dims& sizes, const Dims& shape, int parameters) {
  const int64_t n = shape.product();
  Sample s{
      .label = label,
      .inputs = {test_values(sizes)},
      .run =
          [=](const TensorList& in) {
            const Tensor w = in.size() > 1 ? in[1] : Tensor(), b = in.size() > 2 ? in[2] : Tensor();
            return centered ? layer_norm(in[0], shape, w, b, 0.25) : rms_norm(in[0], shape, w, 0.25);
          },
      .reference = [=](const TensorList& in) { return reference(in, n, centered, [n](int64_t i) { return i % n; }); },
      .gradient = sizes.product() <= 100,
      .tolerance = 64};
  for (int p = 1; p <= parameters; ++p) s.inputs.push_back(test_values(shape, uint64_t(p)));
  return s;
}

std::vector<Sample> row_samples(bool centered) {
  const int all = centered ? 2 : 1;
  return {row_sample("rows", centered, {4, 5}, {5}, all),
          row_sample("two dimensions", centered, {2, 3, 4}, {3, 4}, all),
          row_sample("weight", centered, {2, 2, 3}, {3}, 1),
          row_sample("plain", centered, {3, 6}, {6}, 0),
          row_sample("one row", centered, {7}, {7}, all),
          row_sample("one column", centered, {5, 1}, {1}, all),
          row_sample("no rows", centered, {0, 4}, {4}, all),
          row_sample("a block and one", centered, {3, 4097}, {4097}, all),
          row_sample("one long row", centered, {1, 9000}, {9000}, all),
          row_sample("many rows", centered, {700, 33}, {33}, all)};
}
std::vector<Sample> row_sizes(int64_t n, bool centered) {
  const int all = centered ? 2 : 1;
  return {row_sample("rows", centered, {n, 5}, {5}, all), row_sample("columns", centered, {3, n}, {n}, all),
          row_sample("plain", centered, {2, n}, {n}, 0)};
}

ORDO_OP_SAMPLES(layer_norm) { return row_samples(true); }
ORDO_OP_SIZES(layer_norm) { return row_sizes(n, true); }
ORDO_OP_SAMPLES(rms_norm) { return row_samples(false); }
ORDO_OP_SIZES(rms_norm) { return row_sizes(n, false); }

Sample group_sample(const char* label, const Dims& sizes, int64_t groups, bool affine) {
  const int64_t channels = sizes[1], inner = sizes.product() / std::max<int64_t>(1, sizes[0] * channels);
  Sample s{.label = label,
           .inputs = {test_values(sizes)},
           .run =
               [=](const TensorList& in) {
                 return group_norm(in[0], groups, affine ? in[1] : Tensor(), affine ? in[2] : Tensor(), 0.25);
               },
           .reference =
               [=](const TensorList& in) {
                 return reference(in, std::max<int64_t>(1, channels / groups * inner), true,
                                  [=](int64_t i) { return i / inner % channels; });
               },
           .gradient = sizes.product() <= 100,
           .tolerance = 64};
  if (affine) s.inputs = {test_values(sizes), test_values({channels}, 1), test_values({channels}, 2)};
  return s;
}
ORDO_OP_SAMPLES(group_norm) {
  return {group_sample("two groups", {2, 4, 3}, 2, true), group_sample("plain", {2, 4, 2, 2}, 2, false),
          group_sample("rows", {3, 6}, 3, true), group_sample("a group each", {2, 3, 5}, 3, true),
          group_sample("images", {2, 6, 9, 11}, 3, true),
          // Fewer rows than threads: the kernels divide them otherwise.
          group_sample("one row", {1, 4, 3}, 1, true), group_sample("two rows", {1, 4, 3}, 2, true)};
}
ORDO_OP_SIZES(group_norm) {
  return {group_sample("samples", {n, 4, 2}, 2, true), group_sample("channels", {2, 2 * n, 2}, 2, true),
          group_sample("cells", {2, 4, n}, 2, true)};
}

ORDO_OP_INTEGER(layer_norm, "normalized_shape", layer_norm(some(d), Dims{v}));
ORDO_OP_INTEGER(rms_norm, "normalized_shape", rms_norm(some(d), Dims{v}));
ORDO_OP_INTEGER(group_norm, "num_groups", group_norm(some(d), v));

// In one pass, and as layer_norm, a product and a sum.
TEST(GroupNorm, has_the_bits_of_its_parts) {
  for (DType dtype : {float32, float16}) {
    const TensorList inputs{test_values({4, 6, 1500}).to(dtype).set_requires_grad(),
                            test_values({6}, 1).to(dtype).set_requires_grad(),
                            test_values({6}, 2).to(dtype).set_requires_grad()};
    const Tensor g = test_values({4, 6, 1500}, 3).to(dtype), x = inputs[0].to(float32);
    const auto per_channel = [](const Tensor& t) { return t.to(float32).reshape({1, 6, 1}); };
    const Tensor rows = layer_norm(x.reshape({12, 3000}), {3000}).reshape({4, 6, 1500});
    const Tensor parts = (rows * per_channel(inputs[1]) + per_channel(inputs[2])).to(dtype);
    const Tensor y = group_norm(inputs[0], 3, inputs[1], inputs[2]);
    EXPECT_EQ(bytes_of(y), bytes_of(parts));
    const TensorList of_y = grad({y}, inputs, {g}), of_parts = grad({parts}, inputs, {g});
    for (size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(bytes_of(of_y[i]), bytes_of(of_parts[i])) << "gradient " << i;
  }
}

TEST(LayerNorm, half_inputs_take_float_parameters) {
  for (Device device : test_devices()) {
    const Tensor x = test_values({3, 8}).to(device, float16), w = test_values({8}, 1).to(device, float16);
    EXPECT_EQ(bytes_of(layer_norm(x, {8}, w)), bytes_of(layer_norm(x, {8}, w.to(float32))));
    EXPECT_EQ(bytes_of(group_norm(x, 2, w)), bytes_of(group_norm(x, 2, w.to(float32))));
  }
}

}  // namespace
}  // namespace ordo::test::layer_norm_samples_test
