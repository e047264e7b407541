#include <ordo/nn/data/transforms.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/nn/data/image.h>

namespace ordo::data {

static float in_range(float v) { return std::min(std::max(v, 0.0f), 1.0f); }

static void expect_colors(const char* op, const Image& image) {
  ORDO_CHECK(image.channels == 1 || image.channels == 3, ShapeError, op, "takes 1 or 3 channels, not {}",
             image.channels);
}

static void expect_factor(const char* op, double factor) {
  ORDO_CHECK(factor >= 0 && std::isfinite(factor), ValueError, op, "needs a finite factor of at least 0, not {}",
             factor);
}

static float gray(const Image& image, int64_t i) {
  if (image.channels == 1) return image.data[i];
  return 0.2989f * image.data[i] + 0.587f * image.data[i + image.area()] + 0.114f * image.data[i + 2 * image.area()];
}

/// One pixel's hue turned. A channel is value - chroma max(0, min(k, 4 - k, 1)) with k = (n + hue) mod 6, the hue in
/// sixths of the circle and n = 5, 3, 1 for red, green and blue.
static void turn_hue(float& red, float& green, float& blue, float sixths) {
  const float value = std::max({red, green, blue}), chroma = value - std::min({red, green, blue});
  if (chroma == 0) return;
  float hue = value == red     ? (green - blue) / chroma
              : value == green ? (blue - red) / chroma + 2
                               : (red - green) / chroma + 4;
  hue += sixths;
  const auto channel = [&](float n) {
    float k = hue + n;
    k -= 6 * std::floor(k / 6);
    return in_range(value - chroma * std::max(0.0f, std::min({k, 4 - k, 1.0f})));
  };
  red = channel(5), green = channel(3), blue = channel(1);
}

Tensor adjust_brightness(const Tensor& image, double factor) {
  expect_factor("adjust_brightness", factor);
  const Image from("adjust_brightness", image), to(from.channels, from.height, from.width);
  const auto f = float(factor);
  for (int64_t i = 0; i < from.channels * from.area(); ++i) to.data[i] = in_range(f * from.data[i]);
  return to.tensor;
}

Tensor adjust_contrast(const Tensor& image, double factor) {
  expect_factor("adjust_contrast", factor);
  const Image from("adjust_contrast", image), to(from.channels, from.height, from.width);
  expect_colors("adjust_contrast", from);
  double sum = 0;
  for (int64_t i = 0; i < from.area(); ++i) sum += double(gray(from, i));
  const auto f = float(factor);
  const float rest = (1 - f) * float(sum / double(from.area()));
  for (int64_t i = 0; i < from.channels * from.area(); ++i) to.data[i] = in_range(f * from.data[i] + rest);
  return to.tensor;
}

Tensor adjust_saturation(const Tensor& image, double factor) {
  expect_factor("adjust_saturation", factor);
  const Image from("adjust_saturation", image);
  expect_colors("adjust_saturation", from);
  if (from.channels == 1) return image;
  const Image to(from.channels, from.height, from.width);
  const auto f = float(factor);
  for (int64_t i = 0; i < from.area(); ++i) {
    const float rest = (1 - f) * gray(from, i);
    for (int64_t k = i; k < 3 * from.area(); k += from.area()) to.data[k] = in_range(f * from.data[k] + rest);
  }
  return to.tensor;
}

Tensor adjust_hue(const Tensor& image, double shift) {
  ORDO_CHECK(shift >= -0.5 && shift <= 0.5, ValueError, "adjust_hue", "needs a shift from -0.5 to 0.5, not {}", shift);
  const Image from("adjust_hue", image);
  expect_colors("adjust_hue", from);
  if (from.channels == 1) return image;
  const Image to(from.channels, from.height, from.width);
  std::copy_n(from.data, 3 * from.area(), to.data);
  for (int64_t i = 0; i < to.area(); ++i)
    turn_hue(to.data[i], to.data[i + to.area()], to.data[i + 2 * to.area()], float(6 * shift));
  return to.tensor;
}

ColorJitter::ColorJitter(ColorJitterOptions options) {
  for (double v : {options.brightness, options.contrast, options.saturation})
    ORDO_CHECK(v >= 0 && std::isfinite(v), ValueError, "ColorJitter", "needs finite options of at least 0, not {}", v);
  ORDO_CHECK(options.hue >= 0 && options.hue <= 0.5, ValueError, "ColorJitter", "needs a hue from 0 to 0.5, not {}",
             options.hue);
  does([=](const Tensor& image, Draws& draws) {
    const auto factor = [&](double v) {
      const double least = std::max(0.0, 1 - v);
      return least + (1 + v - least) * draws.uniform();
    };
    const double brightness = factor(options.brightness), contrast = factor(options.contrast);
    const double saturation = factor(options.saturation), hue = options.hue * (2 * draws.uniform() - 1);
    int order[] = {0, 1, 2, 3};
    for (int i = 3; i > 0; --i) std::swap(order[i], order[draws.below(i + 1)]);
    Tensor changed = Image("ColorJitter", image).tensor;
    for (int which : order) {
      if (which == 0 && options.brightness > 0) changed = adjust_brightness(changed, brightness);
      if (which == 1 && options.contrast > 0) changed = adjust_contrast(changed, contrast);
      if (which == 2 && options.saturation > 0) changed = adjust_saturation(changed, saturation);
      if (which == 3 && options.hue > 0) changed = adjust_hue(changed, hue);
    }
    return changed;
  });
}

Normalize::Normalize(std::vector<double> mean, std::vector<double> std) {
  for (double s : std) ORDO_CHECK(s > 0, ValueError, "Normalize", "needs deviations above 0, not {}", s);
  does([mean = std::move(mean), std = std::move(std)](const Tensor& image, Draws&) {
    const ordo::detail::OperationName name("Normalize");
    return normalize(Image("Normalize", image).tensor.unsqueeze(0), mean, std).squeeze(0);
  });
}

RandomErasing::RandomErasing(RandomErasingOptions options) {
  ORDO_CHECK(options.p >= 0 && options.p <= 1, ValueError, "RandomErasing", "needs a probability from 0 to 1, not {}",
             options.p);
  expect_part("RandomErasing", options.scale, options.ratio);
  does([options = std::move(options)](const Tensor& image, Draws& draws) {
    const Image from("RandomErasing", image);
    if (!draws.chance(options.p)) return image;
    const auto part = random_part(draws, from.height, from.width, options.scale, options.ratio);
    if (!part) return image;
    const Image to(from.channels, from.height, from.width);
    std::copy_n(from.data, from.channels * from.area(), to.data);
    for (int64_t c = 0; c < to.channels; ++c)
      for (int64_t y = part->top; y < part->top + part->height; ++y)
        std::fill_n(&to.at(c, y, part->left), part->width, float(options.value));
    return to.tensor;
  });
}

}  // namespace ordo::data
