// Samples of copies and fills.
#include <cmath>

#include "tests/support/op_samples.h"

namespace ordo::test::copy_samples_test {
namespace {

std::vector<double> values_of(const Tensor& t) { return t.to_vector<double>(); }

const Dims kShapes[] = {{}, {0, 3}, {7}, {3, 5}, {33, 35}, {2, 40, 41}};

Sample clone_sample(const Dims& sizes) {
  return {.label = sizes.str(),
          .inputs = {test_values(sizes)},
          .run = [](const TensorList& in) { return in[0].clone(); },
          .reference = [](const TensorList& in) { return values_of(in[0]); },
          .gradient = sizes.product() < 100};
}
ORDO_OP_SIZES(clone) { return {clone_sample({n})}; }
ORDO_OP_SAMPLES(clone) {
  std::vector<Sample> samples;
  for (const Dims& sizes : kShapes) samples.push_back(clone_sample(sizes));
  return samples;
}

Sample transposed_sample(const Dims& sizes) {
  return {.label = "transposed " + sizes.str(),
          .inputs = {test_values(sizes)},
          .run = [](const TensorList& in) { return in[0].transpose(0, -1).contiguous(); },
          .reference = [](const TensorList& in) { return values_of(in[0].transpose(0, -1)); },
          .gradient = sizes.product() < 100};
}
ORDO_OP_SIZES(contiguous) {
  return {transposed_sample({n, 3}), transposed_sample({3, n}), transposed_sample({n, 33}),
          transposed_sample({2, 3, n})};
}
ORDO_OP_SAMPLES(contiguous) {
  std::vector<Sample> samples;
  for (const Dims& sizes : {Dims{5, 3}, Dims{35, 40}, Dims{64, 8}, Dims{3, 70, 33}})
    samples.push_back(transposed_sample(sizes));
  return samples;
}

Sample to_sample(DType dtype, const Tensor& input, double (*value)(double)) {
  return {.label = std::string(name(dtype)),
          .inputs = {input},
          .run = [dtype](const TensorList& in) { return in[0].to(dtype); },
          .reference =
              [value](const TensorList& in) {
                auto v = values_of(in[0]);
                for (double& x : v) x = value(x);
                return v;
              },
          .gradient = is_floating(dtype)};
}
std::vector<Sample> to_samples(const Dims& sizes) {
  return {to_sample(float64, test_values(sizes), [](double x) { return x; }),
          to_sample(int32, test_values(sizes, 0, -100, 100), [](double x) { return std::trunc(x); }),
          to_sample(boolean, test_indices(sizes, 3).to(float64), [](double x) { return double(x != 0); })};
}
ORDO_OP_SAMPLES(to) { return to_samples({3, 15}); }
ORDO_OP_SIZES(to) { return to_samples({n}); }

Sample copy_sample(const Dims& to, const Dims& from) {
  return {.label = to.str() + " from " + from.str(),
          .inputs = {test_values(to, 1), test_values(from, 2)},
          .run =
              [](const TensorList& in) {
                Tensor t = in[0].clone();
                return t.copy_(in[1]);
              },
          .reference = [](const TensorList& in) { return values_of(in[1].expand(in[0].sizes())); },
          .gradient = to.product() < 100};
}
ORDO_OP_SIZES(copy_) { return {copy_sample({n}, {n}), copy_sample({3, n}, {3, 1}), copy_sample({n, 3}, {3})}; }
ORDO_OP_SAMPLES(copy_) {
  std::vector<Sample> samples;
  const Dims shapes[][2] = {{{5}, {5}},   {{3, 4}, {4}}, {{3, 4}, {3, 1}},
                            {{2, 3}, {}}, {{0, 3}, {3}}, {{3, 7, 31}, {7, 1}}};
  for (const auto& [to, from] : shapes) samples.push_back(copy_sample(to, from));
  return samples;
}

Sample fill_sample(const Dims& sizes) {
  return {.label = sizes.str(),
          .inputs = {test_values(sizes)},
          .run =
              [](const TensorList& in) {
                Tensor t = in[0].clone();
                return t.fill_(3);
              },
          .reference = [](const TensorList& in) { return std::vector<double>(size_t(in[0].numel()), 3.0); },
          .gradient = sizes.product() < 100,
          .second_order = false};
}
ORDO_OP_SIZES(fill_) { return {fill_sample({n}), fill_sample({3, n})}; }
ORDO_OP_SAMPLES(fill_) {
  std::vector<Sample> samples;
  for (const Dims& sizes : kShapes) samples.push_back(fill_sample(sizes));
  return samples;
}

/// From -1 in quarters, or whole numbers from 0; the input gives dtype and device.
Sample arange_sample(int64_t numbers) {
  return {.label = "like the input",
          .inputs = {test_values({1})},
          .run =
              [=](const TensorList& in) {
                const TensorOptions options{.dtype = in[0].dtype(), .device = in[0].device()};
                return is_floating(options.dtype) ? arange(-1, -1 + 0.25 * double(numbers), 0.25, options)
                                                  : arange(0, numbers, 1, options);
              },
          .reference =
              [=](const TensorList&) {
                std::vector<double> v;
                for (int64_t i = 0; i < numbers; ++i) v.push_back(-1 + 0.25 * double(i));
                return v;
              },
          .gradient = false};
}
ORDO_OP_SAMPLES(arange) { return {arange_sample(12)}; }
ORDO_OP_SIZES(arange) { return {arange_sample(n)}; }

Sample linspace_sample(double end, int64_t numbers) {
  return {.label = "like the input",
          .inputs = {test_values({1})},
          .run =
              [=](const TensorList& in) {
                return linspace(-1, end, numbers, {.dtype = in[0].dtype(), .device = in[0].device()});
              },
          .reference =
              [=](const TensorList&) {
                std::vector<double> v;
                for (int64_t i = 0; i < numbers; ++i)
                  v.push_back(numbers == 1 ? -1 : -1 + (end + 1) * double(i) / double(numbers - 1));
                return v;
              },
          .gradient = false};
}
ORDO_OP_SAMPLES(linspace) { return {linspace_sample(2, 7)}; }
ORDO_OP_SIZES(linspace) { return {linspace_sample(2, n)}; }

}  // namespace
}  // namespace ordo::test::copy_samples_test
