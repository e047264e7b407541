#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::interpolate_samples_test {
namespace {

using Mode = InterpolateMode;

struct Case {
  const char* label;
  Dims sizes, size;
  std::vector<double> scale = {};
  Mode mode = Mode::nearest;
  std::optional<bool> align_corners = {};
};

struct Tap {
  int64_t cell;
  double weight;
};

double cubic(double x) {
  const double a = -0.75;
  x = std::abs(x);
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

// The cells of output o of an axis; scale: cells per output where it was given.
std::vector<Tap> taps_of(int64_t o, int64_t input, int64_t output, double scale, const Case& c) {
  const auto inside = [input](double x) { return std::clamp<int64_t>(int64_t(std::floor(x)), 0, input - 1); };
  if (c.mode == Mode::nearest || c.mode == Mode::nearest_exact) {
    const float s = scale > 0 ? float(scale) : float(input) / float(output);
    return {{inside((float(o) + (c.mode == Mode::nearest ? 0.0f : 0.5f)) * s), 1.0}};
  }
  const double s = scale > 0 ? scale : double(input) / double(output);
  double x = s * (double(o) + 0.5) - 0.5;
  if (c.align_corners.value_or(false)) x = output > 1 ? double(o) * double(input - 1) / double(output - 1) : 0;
  if (c.mode != Mode::bicubic) x = std::max(x, 0.0);
  std::vector<Tap> taps;
  for (int64_t i = int64_t(std::floor(x)) - 1; i <= int64_t(std::floor(x)) + 2; ++i) {
    const double away = std::abs(x - double(i));
    taps.push_back({inside(double(i)), c.mode == Mode::bicubic ? cubic(away) : std::max(0.0, 1 - away)});
  }
  return taps;
}

std::vector<double> reference(const Tensor& x, const Case& c) {
  const int rank = x.dim() - 2;
  const auto from = x.to_vector<double>();
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  double scale[3] = {0, 0, 0};
  for (int i = 0; i < rank; ++i) {
    const int k = 3 - rank + i, at = int(c.size.size() + int(c.scale.size())) == 1 ? 0 : i;
    in[k] = x.size(2 + i);
    if (c.scale.empty()) {
      out[k] = c.size[at];
    } else {
      out[k] = int64_t(double(in[k]) * c.scale[size_t(at)]);
      scale[k] = 1 / c.scale[size_t(at)];
    }
  }
  std::vector<std::vector<Tap>> taps[3];
  for (int k = 0; k < 3; ++k)
    for (int64_t o = 0; o < out[k]; ++o)
      taps[k].push_back(k < 3 - rank ? std::vector<Tap>{{0, 1.0}} : taps_of(o, in[k], out[k], scale[k], c));
  std::vector<double> result;
  for (int64_t v = 0; v < x.size(0) * x.size(1); ++v)
    for (const auto& layers : taps[0])
      for (const auto& rows : taps[1])
        for (const auto& columns : taps[2]) {
          double sum = 0;
          for (const Tap& d : layers)
            for (const Tap& h : rows)
              for (const Tap& w : columns)
                sum += d.weight * h.weight * w.weight *
                       from[size_t(((v * in[0] + d.cell) * in[1] + h.cell) * in[2] + w.cell)];
          result.push_back(sum);
        }
  return result;
}

Sample sample_of(const Case& c) {
  Sample s = new_sample(c.label, {test_values(c.sizes, 1)});
  s.run = [c](const TensorList& in) {
    return interpolate(in[0],
                       {.size = c.size, .scale_factor = c.scale, .mode = c.mode, .align_corners = c.align_corners});
  };
  s.reference = [c](const TensorList& in) { return reference(in[0], c); };
  s.gradient = s.inputs[0].numel() < 60;
  // A place among n cells rounds by n / 2 epsilon, a few times, and its weights with it.
  int64_t largest = 1;
  for (int64_t size : c.sizes) largest = std::max(largest, size);
  for (int64_t size : c.size) largest = std::max(largest, size);
  s.tolerance = 8 + 4 * double(largest);
  return s;
}
std::vector<Sample> samples(const std::vector<Case>& cases) { return samples_of(cases, sample_of); }

ORDO_OP_SAMPLES(interpolate) {
  return samples({
      {"nearest1", {2, 1, 5}, {8}},
      {"nearest2", {1, 2, 3, 4}, {5, 3}},
      {"nearest3", {1, 1, 2, 3, 2}, {3, 2, 5}},
      {"nearest_doubled", {1, 2, 3, 4}, {}, {2.0}},
      {"nearest_scale", {1, 1, 5, 4}, {}, {1.3, 0.6}},
      {"nearest_same_width", {1, 2, 3, 4}, {2, 4}},
      {"exact1", {1, 2, 7}, {4}, {}, Mode::nearest_exact},
      {"exact2", {1, 1, 3, 5}, {7, 3}, {}, Mode::nearest_exact},
      {"exact_scale", {1, 1, 5, 4}, {}, {1.7, 0.6}, Mode::nearest_exact},
      {"linear", {2, 1, 5}, {8}, {}, Mode::linear},
      {"linear_corners", {1, 2, 5}, {3}, {}, Mode::linear, true},
      {"linear_one", {1, 2, 5}, {1}, {}, Mode::linear, true},
      {"bilinear", {1, 2, 3, 4}, {5, 7}, {}, Mode::bilinear},
      {"bilinear_smaller", {1, 1, 6, 8}, {2, 5}, {}, Mode::bilinear},
      {"bilinear_corners", {1, 1, 3, 4}, {5, 2}, {}, Mode::bilinear, true},
      {"bilinear_scale", {1, 1, 4, 3}, {}, {1.4, 2.3}, Mode::bilinear, false},
      {"bilinear_one_cell", {1, 2, 1, 1}, {3, 2}, {}, Mode::bilinear},
      {"bicubic", {1, 1, 4, 5}, {7, 6}, {}, Mode::bicubic},
      {"bicubic_corners", {1, 1, 5, 3}, {4, 5}, {}, Mode::bicubic, true},
      {"bicubic_few_cells", {1, 2, 2, 1}, {5, 3}, {}, Mode::bicubic},
      {"bicubic_scale", {1, 1, 4, 6}, {}, {1.6, 0.5}, Mode::bicubic},
      {"trilinear", {1, 1, 2, 3, 4}, {3, 5, 2}, {}, Mode::trilinear},
      {"trilinear_corners", {1, 1, 3, 2, 3}, {4, 3, 5}, {}, Mode::trilinear, true},
      {"no_samples", {0, 2, 3, 4}, {5, 5}, {}, Mode::bilinear},
      {"many_outputs", {1, 1, 2, 3}, {130, 200}, {}, Mode::bilinear},
      {"image", {2, 3, 33, 41}, {66, 50}, {}, Mode::bilinear},
  });
}
ORDO_OP_SIZES(interpolate) {
  return samples({{"width", {1, 2, 2, n}, {3, n + n / 2}, {}, Mode::bilinear},
                  {"height", {1, 2, n, 2}, {n / 2 + 1, 3}},
                  {"volumes", {n, 1, 2, 2}, {3, 3}, {}, Mode::bicubic},
                  {"outputs", {1, 1, 2, 3}, {2, n}, {}, Mode::bilinear, true},
                  {"rows", {1, 1, 2, 3}, {n, 2}, {}, Mode::bilinear},
                  {"depth", {1, 1, 3, 2, 2}, {n, 2, 3}, {}, Mode::trilinear}});
}

ORDO_OP_INTEGER(interpolate, "size", interpolate(some(d).view({1, 2, 3}), {.size = v}));
ORDO_OP_INTEGER(interpolate, "height",
                interpolate(some(d).view({1, 1, 2, 3}), {.size = {v, 2}, .mode = Mode::bilinear}));
ORDO_OP_INTEGER(interpolate, "scale_factor",
                interpolate(some(d).view({1, 2, 3}), {.scale_factor = {double(v)}, .mode = Mode::linear}));
ORDO_OP_INTEGER(interpolate, "area", interpolate(some(d).view({1, 1, 2, 3}), {.size = {2, v}, .mode = Mode::area}));

TEST(Interpolate, area_is_adaptive_average_pooling) {
  const Tensor x = test_values({2, 3, 7, 5}).to(float32);
  EXPECT_EQ(bytes_of(interpolate(x, {.size = {3, 4}, .mode = Mode::area})), bytes_of(adaptive_avg_pool2d(x, {3, 4})));
}

TEST(Interpolate, scale_factor_is_used_unless_recomputed) {
  const Tensor x = arange(10).to(float32).view({1, 1, 10});
  const Tensor given = interpolate(x, {.scale_factor = {1.55}, .mode = Mode::linear}),
               computed = interpolate(x, {.size = 15, .mode = Mode::linear});
  EXPECT_NE(bytes_of(given), bytes_of(computed));
  EXPECT_EQ(bytes_of(interpolate(x, {.scale_factor = {1.55}, .mode = Mode::linear, .recompute_scale_factor = true})),
            bytes_of(computed));
}

TEST(Interpolate, a_cell_without_weight_beyond_the_border_takes_no_part) {
  const Tensor x = from_vector<float>({INFINITY, 1, 2}, {1, 1, 3});
  const auto y = interpolate(x, {.size = 6, .mode = Mode::linear}).to_vector<float>();
  EXPECT_EQ(y[5], 2);
  EXPECT_EQ(y[4], 1.75f);
  EXPECT_EQ(y[1], INFINITY);
}

TEST(Interpolate, refuses) {
  const Tensor x = ones({1, 2, 3, 4});
  EXPECT_ORDO_ERROR(interpolate(x), ValueError, "[interpolate] takes either size or scale_factor");
  EXPECT_ORDO_ERROR(interpolate(x, {.size = 2, .scale_factor = {2.0}}), ValueError, "either size or scale_factor");
  EXPECT_ORDO_ERROR(interpolate(x, {.size = 2, .mode = Mode::area, .align_corners = true}), ValueError,
                    "align_corners");
}

}  // namespace
}  // namespace ordo::test::interpolate_samples_test
