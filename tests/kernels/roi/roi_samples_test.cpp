#include <ordo/kernels/roi/roi_align.h>
#include <ordo/kernels/roi/roi_pool.h>
#include <ordo/nn/layers/resampling.h>
#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::roi_samples_test {
namespace {

using Boxes = std::vector<double>;  // image, x1, y1, x2, y2, ...; multiples of 1/4, which every dtype has

struct Case {
  const char* label;
  Dims input;
  Boxes boxes;
  Size2 output;
  double scale = 1;
  int64_t sampling_ratio = -1;
  bool aligned = false;
  bool smooth = true;  // finite differences may be taken
  bool many = false;   // bits depend on the order
};

Tensor boxes_of(const Case& c) { return from_vector(c.boxes, {int64_t(c.boxes.size() / 5), 5}); }

/// `count` boxes on images of that size, which hold its middle.
Boxes spread_boxes(int64_t count, const Dims& input) {
  Boxes boxes;
  for (int64_t k = 0; k < count; ++k) {
    const double width = double(input[3]), height = double(input[2]);
    const double x1 = double(k * 7 % 16) / 16 * width / 2, y1 = double(k * 5 % 16) / 16 * height / 2;
    const double x2 = width - double(k * 3 % 16) / 16 * width / 2, y2 = height - double(k * 11 % 16) / 16 * height / 2;
    boxes.push_back(double(k % input[0]));
    for (double v : {x1, y1, x2, y2}) boxes.push_back(std::floor(v * 4) / 4);
  }
  return boxes;
}

/// How much cell `cell` counts in a sample at x.
double weight(int64_t cell, double x, int64_t size) {
  if (x < -1 || x > double(size)) return 0;
  return std::max(0.0, 1 - std::abs(std::clamp(x, 0.0, double(size - 1)) - double(cell)));
}

/// Of every cell of a line, the sum of its weights in the samples of a bin.
std::vector<double> weights(double from, double to, int64_t bin, int64_t bins, int64_t size, const Case& c,
                            double& samples) {
  const double offset = c.aligned ? 0.5 : 0, start = from * c.scale - offset;
  double extent = (to - from) * c.scale;
  if (!c.aligned) extent = std::max(extent, 1.0);
  const double width = extent / double(bins);
  samples = c.sampling_ratio > 0 ? double(c.sampling_ratio) : std::max(0.0, std::ceil(width));
  std::vector<double> out(size_t(size), 0.0);
  for (int64_t cell = 0; cell < size; ++cell)
    for (double i = 0; i < samples; ++i)
      out[size_t(cell)] += weight(cell, start + (double(bin) + (i + 0.5) / samples) * width, size);
  return out;
}

std::vector<double> align_reference(const TensorList& in, const Case& c) {
  const auto x = in[0].to_vector<double>(), boxes = in[1].to_vector<double>();
  const int64_t channels = in[0].size(1), height = in[0].size(2), width = in[0].size(3);
  std::vector<double> out;
  for (size_t k = 0; k < boxes.size(); k += 5)
    for (int64_t ch = 0; ch < channels; ++ch)
      for (int64_t row = 0; row < c.output[0]; ++row)
        for (int64_t column = 0; column < c.output[1]; ++column) {
          double down, across, sum = 0;
          const auto y = weights(boxes[k + 2], boxes[k + 4], row, c.output[0], height, c, down);
          const auto z = weights(boxes[k + 1], boxes[k + 3], column, c.output[1], width, c, across);
          for (int64_t h = 0; h < height; ++h)
            for (int64_t w = 0; w < width; ++w)
              sum += y[size_t(h)] * z[size_t(w)] *
                     x[size_t(((int64_t(boxes[k]) * channels + ch) * height + h) * width + w)];
          out.push_back(sum / std::max(1.0, down * across));
        }
  return out;
}

/// Whether bin `bin` has cell `cell` of a box of the cells first..last.
bool covers(int64_t first, int64_t last, int64_t bin, int64_t bins, int64_t cell) {
  const int64_t n = std::max<int64_t>(1, last - first + 1), at = cell - first;
  return bin * n < (at + 1) * bins && at * bins < (bin + 1) * n;
}

std::vector<double> pool_reference(const TensorList& in, const Case& c) {
  const auto x = in[0].to_vector<double>(), boxes = in[1].to_vector<double>();
  const int64_t channels = in[0].size(1), height = in[0].size(2), width = in[0].size(3);
  std::vector<double> out;
  for (size_t k = 0; k < boxes.size(); k += 5) {
    int64_t edges[5];
    for (size_t i = 1; i < 5; ++i) edges[i] = int64_t(std::round(boxes[k + i] * c.scale));
    for (int64_t ch = 0; ch < channels; ++ch)
      for (int64_t row = 0; row < c.output[0]; ++row)
        for (int64_t column = 0; column < c.output[1]; ++column) {
          double most = -std::numeric_limits<double>::infinity();
          bool any = false;
          for (int64_t h = 0; h < height; ++h)
            for (int64_t w = 0; w < width; ++w)
              if (covers(edges[2], edges[4], row, c.output[0], h) &&
                  covers(edges[1], edges[3], column, c.output[1], w)) {
                any = true;
                most = std::max(most, x[size_t(((int64_t(boxes[k]) * channels + ch) * height + h) * width + w)]);
              }
          out.push_back(any ? most : 0);
        }
  }
  return out;
}

Sample sample_of(const Case& c, bool pool) {
  Sample s;
  s.label = c.label;
  const Tensor boxes = boxes_of(c);
  // Maxima that stay where they are under a finite difference.
  const Tensor x =
      pool ? remainder(arange(c.input.product()).to(float64) * 0.37, 1.7).view(c.input) : test_values(c.input, 1);
  s.inputs = c.smooth ? TensorList{x} : TensorList{x, boxes};
  const auto both = [boxes, smooth = c.smooth](const TensorList& in) {
    return smooth ? TensorList{in[0], boxes.to(in[0].device(), in[0].dtype())} : in;
  };
  s.run = [c, both, pool](const TensorList& in) {
    const TensorList all = both(in);
    return pool ? roi_pool(all[0], all[1], c.output, c.scale)
                : roi_align(all[0], all[1], c.output, c.scale, c.sampling_ratio, c.aligned);
  };
  s.forced = [c, both, pool](const TensorList& in, Algorithm algorithm) {
    const TensorList all = both(in);
    const Tensor grad = test_gradient({all[1].size(0), c.input[1], c.output[0], c.output[1]}, all[0]);
    if (pool)
      return kernels::roi_pool_backward(grad, kernels::roi_pool(all[0], all[1], c.output, c.scale).places, c.input,
                                        algorithm);
    return kernels::roi_align_backward(grad, all[1], c.input, {c.output, {c.scale, c.sampling_ratio, c.aligned}},
                                       algorithm);
  };
  s.reference = [c, both, pool](const TensorList& in) {
    return pool ? pool_reference(both(in), c) : align_reference(both(in), c);
  };
  s.gradient = c.smooth && !c.many && c.input.product() <= 150;
  s.tolerance = pool ? 0 : 32 + double(c.input[2] + c.input[3]) / 2;  // coordinates round, which moves the values
  s.order_sensitive = c.many;
  return s;
}
std::vector<Sample> samples(const std::vector<Case>& cases, bool pool) {
  std::vector<Sample> out;
  for (const Case& c : cases) out.push_back(sample_of(c, pool));
  return out;
}

Case many(const char* label, const Dims& input, int64_t boxes, Size2 output, int64_t sampling_ratio = -1) {
  return {label, input, spread_boxes(boxes, input), output, 1, sampling_ratio, false, false, true};
}

ORDO_OP_SAMPLES(roi_align) {
  return samples(
      {{"two", {2, 2, 5, 6}, {0, 0.5, 1, 4.5, 4, 1, 1, 0, 5, 5}, 2},
       {"ratio", {1, 2, 5, 6}, {0, 0.25, 1, 4.25, 4.75}, {2, 3}, 1, 2},
       {"aligned", {1, 2, 4, 5}, {0, 1, 1, 3, 4, 0, 0.5, 0, 4.5, 4}, 2, 1, -1, true},
       {"scaled", {2, 1, 4, 4}, {1, 2, 0, 13, 12, 0, 4, 3, 6, 15}, {1, 2}, 0.25, 3, true},
       {"outside", {1, 1, 4, 4}, {0, -3, -2.5, 2, 6.5, 0, 3, 3, 9, 4.5, 0, 40, 40, 60, 50}, {2, 2}},
       {"no area", {1, 2, 3, 3}, {0, 1, 1, 1, 1, 0, 2, 2, 1, 1}, {1, 1}},
       {"no area aligned", {1, 2, 3, 3}, {0, 1, 1, 1, 1, 0, 2, 2, 1, 1}, {1, 1}, 1, -1, true},
       {"boxes", {3, 2, 6, 7}, {2, 0, 1, 6, 5.5, 0, 1.5, 2, 3, 3, 1, 0, 0, 7, 6}, {2, 4}, 1, -1, false, false},
       {"no boxes", {1, 2, 3, 3}, {}, 2, 1, -1, false, false},
       many("many", {1, 1, 4, 5}, 100, 2, 2),
       many("many samples", {2, 3, 12, 10}, 30, {2, 3})},
      false);
}
ORDO_OP_SIZES(roi_align) {
  std::vector<Case> cases{{"boxes", {2, 2, 4, 5}, {}, 2, 1, 2},
                          {"channels", {1, n, 4, 5}, {0, 0, 0.25, 4, 3}, 2},
                          {"columns", {1, 2, 4, 5}, {0, 0, 0.25, 4, 3}, {2, n}, 1, 1},
                          {"width", {1, 2, 3, n}, {0, 0, 0, double(n), 2}, {2, 2}}};
  cases[0].boxes = spread_boxes(n, cases[0].input);
  for (Case& c : cases) c.smooth = false;
  return samples(cases, false);
}

ORDO_OP_SAMPLES(roi_pool) {
  return samples({{"two", {2, 2, 5, 6}, {0, 0.5, 1, 4.75, 4, 1, 1, 0, 5, 5}, 2},
                  {"uneven", {1, 2, 5, 7}, {0, 0, 0, 6, 4}, {3, 4}},
                  {"scaled", {2, 1, 4, 4}, {1, 2, 0, 13, 12, 0, 4, 3, 7, 15}, {1, 2}, 0.25},
                  {"more bins than cells", {1, 1, 3, 4}, {0, 1, 1, 2, 2}, {5, 3}},
                  {"outside", {1, 1, 4, 4}, {0, -3, -2, 2, 6, 0, 3, 3, 9, 5, 0, 40, 40, 60, 50}, {2, 2}},
                  {"no area", {1, 2, 3, 3}, {0, 1, 1, 1, 1, 0, 2, 2, 1, 1}, {1, 2}},
                  {"boxes", {3, 2, 6, 7}, {2, 0, 1, 6, 5, 0, 1, 2, 3, 3, 1, 0, 0, 7, 6}, {2, 4}, 1, -1, false, false},
                  {"no boxes", {1, 2, 3, 3}, {}, 2, 1, -1, false, false},
                  many("many", {1, 1, 3, 4}, 600, 2)},
                 true);
}
ORDO_OP_SIZES(roi_pool) {
  std::vector<Case> cases{{"boxes", {2, 2, 4, 5}, {}, 2},
                          {"channels", {1, n, 4, 5}, {0, 0, 0, 4, 3}, 2},
                          {"columns", {1, 2, 4, 5}, {0, 0, 0, 4, 3}, {2, n}},
                          {"width", {1, 2, 3, n}, {0, 0, 0, double(n), 2}, {2, 2}}};
  cases[0].boxes = spread_boxes(n, cases[0].input);
  for (Case& c : cases) c.smooth = false;
  return samples(cases, true);
}

Tensor box(Device d, double image = 0) { return from_vector<float>({float(image), 0, 0, 2, 1}, {1, 5}).to(d); }
ORDO_OP_INTEGER(roi_align, "output_size", roi_align(some(d).view({1, 1, 2, 3}), box(d), {1, v}));
ORDO_OP_INTEGER(roi_align, "sampling_ratio", roi_align(some(d).view({1, 1, 2, 3}), box(d), 1, 1, v));
ORDO_OP_INTEGER(roi_align, "spatial_scale", roi_align(some(d).view({1, 1, 2, 3}), box(d), 1, double(v)));
ORDO_OP_INTEGER(roi_align, "image", roi_align(some(d).view({1, 1, 2, 3}), box(d, double(v)), 1));
ORDO_OP_INTEGER(roi_pool, "output_size", roi_pool(some(d).view({1, 1, 2, 3}), box(d), {1, v}));
ORDO_OP_INTEGER(roi_pool, "spatial_scale", roi_pool(some(d).view({1, 1, 2, 3}), box(d), 1, double(v)));
ORDO_OP_INTEGER(roi_pool, "image", roi_pool(some(d).view({1, 1, 2, 3}), box(d, double(v)), 1));

TEST(Roi, lists_of_boxes) {
  const Tensor x = test_values({3, 2, 6, 7}).to(float32);
  const TensorList lists{from_vector<float>({0, 0, 4, 3, 1, 2, 6, 5}, {2, 4}), zeros({0, 4}),
                         from_vector<float>({2, 1, 5, 4}, {1, 4})};
  const Tensor joined = from_vector<float>({0, 0, 0, 4, 3, 0, 1, 2, 6, 5, 2, 2, 1, 5, 4}, {3, 5});
  EXPECT_EQ(bytes_of(roi_align(x, lists, 2)), bytes_of(roi_align(x, joined, 2)));
  EXPECT_EQ(bytes_of(roi_pool(x, lists, {3, 2}, 0.5)), bytes_of(roi_pool(x, joined, {3, 2}, 0.5)));
  EXPECT_EQ(roi_align(x, TensorList{}, 2).sizes(), (Dims{0, 2, 2, 2}));
  EXPECT_EQ(bytes_of(nn::RoIAlign(2, {.spatial_scale = 0.5, .sampling_ratio = 2, .aligned = true})(x, lists)),
            bytes_of(roi_align(x, joined, 2, 0.5, 2, true)));
  EXPECT_EQ(bytes_of(nn::RoIPool(3)(x, joined)), bytes_of(roi_pool(x, joined, 3)));
  EXPECT_ORDO_ERROR(roi_pool(x, TensorList{joined}, 2), ShapeError, "[L, 4]");
  EXPECT_ORDO_ERROR(roi_align(x.to(bfloat16), TensorList(257, lists[0].to(bfloat16)), 2), ValueError, "256");
}

TEST(Roi, boxes_that_are_no_numbers) {
  for (Device d : test_devices()) {
    const Tensor x = ones({1, 1, 3, 3}, {.device = d}).set_requires_grad();
    const Tensor boxes = from_vector<float>({0, NAN,       0, 2,        2, 0, 0,      0,      INFINITY, 2,
                                             0, -INFINITY, 0, INFINITY, 2, 0, -3e38f, -3e38f, 3e38f,    3e38f},
                                            {4, 5})
                             .to(d);
    const Tensor y = roi_align(x, boxes, 2), p = roi_pool(x, boxes, 1);
    for (double v : y.to_vector<double>()) EXPECT_EQ(v, 0);
    EXPECT_EQ(p.to_vector<int>(), (std::vector<int>{1, 1, 1, 1}));
    y.backward(ones_like(y));
    EXPECT_EQ(x.grad().to_vector<int>(), std::vector<int>(9, 0));
    EXPECT_EQ(roi_align(x, boxes, 2, 1, 2).numel(), 16);
  }
}

TEST(Roi, a_box_far_larger_than_the_image) {
  // 3000 x 3000 samples, of which those within one cell of the image are looked at.
  const Tensor x = ones({1, 1, 2, 2}).set_requires_grad();
  const Tensor y = roi_align(x, from_vector<float>({0, -1000, -1000, 2000, 2000}, {1, 5}), 1);
  EXPECT_NEAR(y.item(), 9.0 / 9e6, 1e-12);
  y.backward();
  EXPECT_NEAR(x.grad().sum().item(), 9.0 / 9e6, 1e-12);
}

TEST(Roi, the_first_of_equal_maxima_and_the_last_nan) {
  const Tensor at = from_vector<float>({0, 0, 0, 2, 1}, {1, 5});
  const auto place = [&](const std::vector<float>& values) {
    return kernels::roi_pool(from_vector<float>(values, {1, 1, 2, 3}), at, 1, 1).places.item<int64_t>();
  };
  EXPECT_EQ(place({0, 3, 3, 1, 3, 2}), 1);
  EXPECT_EQ(place({0, NAN, 3, NAN, 3, 2}), 3);
}

}  // namespace
}  // namespace ordo::test::roi_samples_test
