#include <ordo/kernels/resampling/grid_sample.h>
#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::grid_sample_samples_test {
namespace {

using Mode = InterpolateMode;
constexpr GridPadding kZeros = GridPadding::zeros, kBorder = GridPadding::border, kReflection = GridPadding::reflection;

struct Case {
  const char* label;
  Dims input, places;
  Mode mode = Mode::bilinear;
  GridPadding padding = kZeros;
  bool align_corners = false;
};

// Where x lies once padding has moved it.
double moved(double x, int64_t size, const Case& c) {
  const double low = c.align_corners ? 0 : -0.5, high = double(size - 1) - low;
  if (c.padding == kReflection) {
    if (low == high) return 0;
    while (x < low || x > high) x = x < low ? 2 * low - x : 2 * high - x;
  }
  return c.padding == kZeros ? x : std::clamp(x, 0.0, double(size - 1));
}

double cubic(double x) {
  const double a = -0.75;
  x = std::abs(x);
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

struct Tap {
  int64_t cell;
  double weight;
};
std::vector<Tap> taps_of(double coordinate, int64_t size, const Case& c) {
  const double n = double(size);
  double x = c.align_corners ? (coordinate + 1) / 2 * (n - 1) : ((coordinate + 1) * n - 1) / 2;
  std::vector<Tap> taps;
  if (c.mode == Mode::bicubic) {
    for (int k = -1; k <= 2; ++k) {
      const double cell = std::floor(x) + k;
      taps.push_back({int64_t(moved(cell, size, c)), cubic(x - cell)});
    }
  } else {
    x = moved(x, size, c);
    if (c.mode == Mode::nearest)
      taps = {{int64_t(std::nearbyint(x)), 1.0}};
    else
      taps = {{int64_t(std::floor(x)), std::floor(x) + 1 - x}, {int64_t(std::floor(x)) + 1, x - std::floor(x)}};
  }
  for (Tap& tap : taps)
    if (tap.cell < 0 || tap.cell >= size) tap = {0, 0.0};
  return taps;
}

std::vector<double> reference(const TensorList& in, const Case& c) {
  const auto x = in[0].to_vector<double>(), grid = in[1].to_vector<double>();
  const int rank = in[0].dim() - 2;
  const int64_t samples = in[0].size(0), channels = in[0].size(1);
  const int64_t depth = rank == 3 ? in[0].size(2) : 1, height = in[0].size(-2), width = in[0].size(-1);
  int64_t places = 1;
  for (int d = 1; d <= rank; ++d) places *= in[1].size(d);
  std::vector<double> out;
  for (int64_t n = 0; n < samples; ++n)
    for (int64_t ch = 0; ch < channels; ++ch)
      for (int64_t p = 0; p < places; ++p) {
        const double* at = grid.data() + (n * places + p) * rank;
        double sum = 0;
        for (const Tap& k : rank == 3 ? taps_of(at[2], depth, c) : std::vector<Tap>{{0, 1.0}})
          for (const Tap& j : taps_of(at[1], height, c))
            for (const Tap& i : taps_of(at[0], width, c))
              sum += k.weight * j.weight * i.weight *
                     x[size_t((((n * channels + ch) * depth + k.cell) * height + j.cell) * width + i.cell)];
        out.push_back(sum);
      }
  return out;
}

Sample sample_of(const Case& c) {
  Sample s;
  s.label = c.label;
  Dims grid = c.places;
  grid.insert(0, c.input[0]);
  grid.push_back(c.input.size() - 2);
  s.inputs = {test_values(c.input, 1), test_values(grid, 2, -1.3, 1.3)};
  s.run = [c](const TensorList& in) {
    return grid_sample(in[0], in[1], {.mode = c.mode, .padding_mode = c.padding, .align_corners = c.align_corners});
  };
  s.forced = [c](const TensorList& in, Algorithm algorithm) {
    Dims sizes = c.places;
    sizes.insert(0, c.input[1]);
    sizes.insert(0, c.input[0]);
    return kernels::grid_sample_backward_input(test_gradient(sizes, in[0]), in[1], c.input,
                                               kernels::grid_rules(c.mode, c.padding, c.align_corners), algorithm);
  };
  s.reference = [c](const TensorList& in) { return reference(in, c); };
  s.gradient = s.inputs[0].numel() + s.inputs[1].numel() < 150;
  s.second_order = c.mode != Mode::bicubic;
  int64_t largest = 1;
  for (int64_t size : c.input) largest = std::max(largest, size);
  s.tolerance = 16 + 8 * double(largest);  // a place among n cells rounds by about n epsilon
  s.order_sensitive = std::string_view(c.label) == "many_places";
  return s;
}

ORDO_OP_SAMPLES(grid_sample) {
  return samples_of<Case>(
      {
          {"bilinear", {2, 3, 4, 5}, {3, 2}},
          {"bilinear_border", {1, 2, 4, 3}, {4, 3}, Mode::bilinear, kBorder},
          {"bilinear_reflection", {1, 2, 3, 4}, {4, 3}, Mode::bilinear, kReflection},
          {"bilinear_corners", {1, 2, 4, 5}, {3, 3}, Mode::bilinear, kZeros, true},
          {"bilinear_border_corners", {1, 1, 4, 5}, {3, 3}, Mode::bilinear, kBorder, true},
          {"bilinear_reflection_corners", {1, 1, 4, 5}, {3, 3}, Mode::bilinear, kReflection, true},
          {"bicubic", {1, 2, 4, 5}, {3, 2}, Mode::bicubic},
          {"bicubic_border", {1, 1, 3, 4}, {3, 3}, Mode::bicubic, kBorder, true},
          {"bicubic_reflection", {1, 1, 3, 4}, {3, 3}, Mode::bicubic, kReflection},
          {"one_cell", {1, 2, 1, 1}, {3, 2}, Mode::bilinear, kReflection, true},
          {"bilinear3", {1, 2, 3, 2, 3}, {2, 2, 2}},
          {"bilinear3_reflection", {1, 1, 3, 2, 4}, {2, 3, 1}, Mode::bilinear, kReflection},
          {"no_places", {2, 1, 3, 3}, {0, 4}},
          {"no_samples", {0, 1, 3, 3}, {2, 4}},
          {"no_channels", {1, 0, 3, 3}, {2, 4}},
          {"many_places", {1, 1, 2, 3}, {40, 50}},
          {"many_places_and_channels", {1, 5, 2, 3}, {40, 50}, Mode::bilinear, kBorder},
      },
      sample_of);
}
ORDO_OP_SIZES(grid_sample) {
  auto all = samples_of<Case>({{"places", {1, 2, 3, 4}, {2, n}},
                               {"cells", {1, 2, 3, n}, {4, 5}},
                               {"channels", {2, n, 3, 2}, {2, 3}, Mode::bicubic},
                               {"samples", {n, 1, 2, 2, 2}, {1, 2, 1}}},
                              sample_of);
  for (Sample& s : all) s.gradient = false;
  return all;
}

// A place near the edge between two cells is one or the other, by the dtype: compared by hand.
TEST(GridSample, nearest_takes_the_even_cell_of_two) {
  const Tensor x = arange(8).to(float32).view({1, 1, 1, 8});
  // With 8 cells, (i + 1) / 4 - 1 lies between cells i and i + 1.
  std::vector<float> grid;
  for (int i = -1; i < 8; ++i) grid.insert(grid.end(), {float(i + 1) / 4 - 1, 0.0f});
  const Tensor at = from_vector<float>(grid, {1, 1, 9, 2});
  EXPECT_EQ(grid_sample(x, at, {.mode = Mode::nearest}).to_vector<int>(),
            (std::vector<int>{0, 0, 2, 2, 4, 4, 6, 6, 0}));
  EXPECT_EQ(grid_sample(x, at, {.mode = Mode::nearest, .padding_mode = kBorder}).to_vector<int>(),
            (std::vector<int>{0, 0, 2, 2, 4, 4, 6, 6, 7}));
  const Case c{"", {2, 3, 4, 5}, {6, 7}, Mode::nearest, kReflection};
  const Tensor image = test_values(c.input, 1), places = test_values({2, 6, 7, 2}, 2, -3, 3);
  EXPECT_EQ(grid_sample(image, places, {.mode = c.mode, .padding_mode = c.padding}).to_vector<double>(),
            reference({image, places}, c));
}

TEST(GridSample, places_that_are_no_numbers_are_outside) {
  const Tensor x = ones({1, 1, 3, 3});
  const Tensor at = from_vector<float>({NAN, 0, INFINITY, 0, -INFINITY, 0, 3e38f, 0, 0, 0}, {1, 1, 5, 2});
  for (Mode mode : {Mode::bilinear, Mode::nearest, Mode::bicubic})
    EXPECT_EQ(grid_sample(x, at, {.mode = mode}).to_vector<int>(), (std::vector<int>{0, 0, 0, 0, 1}));
  for (Mode mode : {Mode::bilinear, Mode::nearest})
    for (GridPadding padding : {kBorder, kReflection})
      EXPECT_EQ(grid_sample(x, at, {.mode = mode, .padding_mode = padding}).to_vector<int>(),
                (std::vector<int>{1, 1, 1, 1, 1}));
}

TEST(GridSample, second_derivatives) {
  Tensor x = test_values({1, 2, 3, 4}, 1), at = test_values({1, 2, 3, 2}, 2, -0.9, 0.9),
         g = test_values({1, 2, 2, 3}, 3);
  x.set_requires_grad();
  at.set_requires_grad();
  const auto of_grid = [&](Mode mode) { return grad({grid_sample(x, at, {.mode = mode})}, {at}, {g}, true, true)[0]; };
  const Tensor cubic = of_grid(Mode::bicubic);
  EXPECT_ORDO_ERROR(cubic.backward(ones_like(cubic)), AutogradError, "bicubic's gradient of a grid");
  of_grid(Mode::nearest).sum().backward();
  EXPECT_FALSE(x.grad().defined() && x.grad().abs().max().item() > 0) << "it is 0 everywhere";
}

// The gradient that can be differentiated again is the kernel's, to rounding; at places outside, too.
TEST(GridSample, composed_gradients) {
  for (const GridPadding padding : {kZeros, kBorder, kReflection})
    for (const bool corners : {false, true})
      for (const DType dtype : {float64, float32, bfloat16}) {
        const Tensor x = test_values({2, 3, 4, 5}, 1).to(dtype), g = test_values({2, 3, 6, 7}, 3).to(dtype);
        Tensor at = test_values({2, 6, 7, 2}, 2, -4, 4).to(dtype);
        at[0][0][0][0] = NAN, at[0][0][1][1] = INFINITY, at[0][0][2][0] = -INFINITY;
        at.set_requires_grad();
        const Tensor y =
            grid_sample(x, at, {.mode = Mode::bilinear, .padding_mode = padding, .align_corners = corners});
        const Tensor kernel = grad({y}, {at}, {g}, true, false)[0], composed = grad({y}, {at}, {g}, true, true)[0];
        EXPECT_EQ(composed.dtype(), dtype);
        const double rounding = dtype == float64 ? 1e-13 : dtype == float32 ? 1e-4 : 0.2;
        EXPECT_LT((kernel - composed).to(float64).abs().max().item(), rounding) << int(padding) << corners;
      }
}

TEST(GridSample, refuses) {
  const Tensor x = ones({1, 2, 3, 4}), at = zeros({1, 2, 2, 2});
  EXPECT_ORDO_ERROR(grid_sample(x, at, {.mode = Mode::area}), ValueError, "[grid_sample] takes the modes");
  EXPECT_ORDO_ERROR(grid_sample(ones({1, 1, 2, 2, 2}), zeros({1, 1, 1, 1, 3}), {.mode = Mode::bicubic}), ShapeError,
                    "bicubic");
}

Sample affine_sample(const char* label, Dims size, bool align_corners) {
  Sample s;
  s.label = label;
  const int rank = size.size() - 2;
  s.inputs = {test_values({size[0], rank, rank + 1}, 1)};
  s.run = [=](const TensorList& in) { return affine_grid(in[0], size, align_corners); };
  s.reference = [=](const TensorList& in) {
    const auto theta = in[0].to_vector<double>();
    const auto place = [&](int64_t i, int64_t n) {
      if (align_corners) return n > 1 ? -1 + 2 * double(i) / double(n - 1) : 0.0;
      return (2 * double(i) + 1) / double(n) - 1;
    };
    const int64_t depth = rank == 3 ? size[2] : 1, height = size[rank], width = size[rank + 1];
    std::vector<double> out;
    for (int64_t n = 0; n < size[0]; ++n)
      for (int64_t d = 0; d < depth; ++d)
        for (int64_t h = 0; h < height; ++h)
          for (int64_t w = 0; w < width; ++w)
            for (int r = 0; r < rank; ++r) {
              const double* row = theta.data() + (n * rank + r) * (rank + 1);
              double sum = row[0] * place(w, width) + row[1] * place(h, height) + row[rank];
              if (rank == 3) sum += row[2] * place(d, depth);
              out.push_back(sum);
            }
    return out;
  };
  s.gradient = size.product() < 60;
  s.tolerance = 16;
  return s;
}
/// The size follows the number of maps.
Sample any_number_of_maps() {
  Sample s = affine_sample("any number", {2, 3, 2, 4}, false);
  s.run = [](const TensorList& in) {
    const int64_t maps = in[0].defined() && in[0].dim() > 0 ? in[0].size(0) : 1;
    return affine_grid(in[0], {maps, 3, 2, 4}, false);
  };
  return s;
}
ORDO_OP_SAMPLES(affine_grid) {
  return {any_number_of_maps(),
          affine_sample("image", {2, 3, 2, 4}, false),
          affine_sample("image_corners", {1, 2, 3, 4}, true),
          affine_sample("volume", {1, 2, 2, 3, 4}, false),
          affine_sample("volume_corners", {2, 1, 2, 3, 1}, true),
          affine_sample("one_cell", {1, 1, 1, 1}, true)};
}
ORDO_OP_SIZES(affine_grid) {
  return {affine_sample("width", {1, 1, 2, n}, false), affine_sample("samples", {n, 1, 2, 1}, true),
          affine_sample("depth", {1, 1, n, 1, 2}, true)};
}
ORDO_OP_INTEGER(affine_grid, "height", affine_grid(some(d).view({1, 2, 3}), {1, 1, v, 2}));
ORDO_OP_INTEGER(affine_grid, "channels", affine_grid(some(d).view({1, 2, 3}), {1, v, 2, 2}));
ORDO_OP_INTEGER(affine_grid, "samples", affine_grid(some(d).view({1, 2, 3}), {v, 1, 2, 2}));

TEST(AffineGrid, refuses) {
  EXPECT_ORDO_ERROR(affine_grid(ones({1, 2, 3}), {1, 1, 2}), ShapeError, "[affine_grid] takes a size");
}

}  // namespace
}  // namespace ordo::test::grid_sample_samples_test
