#include <ordo/nn/data/transforms.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/functional/resampling.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/kernels/math/math.h>
#include <ordo/nn/data/image.h>

namespace ordo::data {

static void expect_size(const char* op, int64_t height, int64_t width) {
  ORDO_CHECK(height >= 1 && width >= 1 && height <= kMostPixels && width <= kMostPixels, ValueError, op,
             "needs a height and width from 1 to {}, not {} and {}", kMostPixels, height, width);
}

static Tensor cropped(const Image& from, int64_t top, int64_t left, int64_t height, int64_t width, float fill) {
  const Image to(from.channels, height, width);
  const int64_t begin = std::clamp<int64_t>(-left, 0, width);  // columns of the result that show the image
  const int64_t end = std::clamp<int64_t>(from.width - left, begin, width);
  for (int64_t c = 0; c < to.channels; ++c)
    for (int64_t y = 0; y < height; ++y) {
      float* row = &to.at(c, y, 0);
      const bool inside = top + y >= 0 && top + y < from.height && begin < end;
      std::fill(row, row + (inside ? begin : width), fill);
      if (!inside) continue;
      std::memcpy(row + begin, &from.at(c, top + y, left + begin), size_t(end - begin) * sizeof(float));
      std::fill(row + end, row + width, fill);
    }
  return to.tensor;
}

static Tensor resized(const Tensor& image, int64_t height, int64_t width, InterpolateMode mode) {
  NoGrad guard;
  return interpolate(image.unsqueeze(0), {.size = {height, width}, .mode = mode}).squeeze(0);
}

Tensor crop(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width, double fill) {
  expect_size("crop", height, width);
  ORDO_CHECK(std::abs(double(top)) <= kMostPixels && std::abs(double(left)) <= kMostPixels, ValueError, "crop",
             "needs a place within {} pixels of the image, not row {} and column {}", kMostPixels, top, left);
  return cropped(Image("crop", image), top, left, height, width, float(fill));
}

Tensor rotate(const Tensor& image, double degrees, double fill) {
  ORDO_CHECK(std::isfinite(degrees), ValueError, "rotate", "needs a finite angle, not {}", degrees);
  const Image from("rotate", image), to(from.channels, from.height, from.width);
  const double angle = degrees * std::numbers::pi / 180, s = math::sin(angle), c = math::cos(angle);
  const double middle_y = double(from.height - 1) / 2, middle_x = double(from.width - 1) / 2;
  for (int64_t y = 0; y < to.height; ++y)
    for (int64_t x = 0; x < to.width; ++x) {
      const double dy = double(y) - middle_y, dx = double(x) - middle_x;
      const double place_y = middle_y + (dx * s + dy * c), place_x = middle_x + (dx * c - dy * s);
      const double row = math::floor(place_y), column = math::floor(place_x);
      const auto down = float(place_y - row), right = float(place_x - column);
      const auto top = int64_t(row), left = int64_t(column);
      for (int64_t k = 0; k < to.channels; ++k) {
        const auto pixel = [&](int64_t i, int64_t j) {
          return i >= 0 && i < from.height && j >= 0 && j < from.width ? from.at(k, i, j) : float(fill);
        };
        const float above = (1 - right) * pixel(top, left) + right * pixel(top, left + 1);
        const float below = (1 - right) * pixel(top + 1, left) + right * pixel(top + 1, left + 1);
        to.at(k, y, x) = (1 - down) * above + down * below;
      }
    }
  return to.tensor;
}

RandomCrop::RandomCrop(int64_t height, int64_t width, RandomCropOptions options) {
  expect_size("RandomCrop", height, width);
  ORDO_CHECK(options.padding >= 0 && options.padding <= kMostPixels, ValueError, "RandomCrop",
             "needs a padding from 0 to {}, not {}", kMostPixels, options.padding);
  does([=](const Tensor& image, Draws& draws) {
    const Image from("RandomCrop", image);
    const int64_t rows = from.height + 2 * options.padding, columns = from.width + 2 * options.padding;
    ORDO_CHECK(rows >= height && columns >= width, ShapeError, "RandomCrop",
               "cannot crop {} x {} from an image of {} x {} with its padding", height, width, rows, columns);
    const int64_t top = draws.below(int(rows - height + 1)), left = draws.below(int(columns - width + 1));
    return cropped(from, top - options.padding, left - options.padding, height, width, float(options.fill));
  });
}

CenterCrop::CenterCrop(int64_t height, int64_t width) {
  expect_size("CenterCrop", height, width);
  does([=](const Tensor& image, Draws&) {
    const Image from("CenterCrop", image);
    return cropped(from, (from.height - height) >> 1, (from.width - width) >> 1, height, width, 0);
  });
}

RandomResizedCrop::RandomResizedCrop(int64_t height, int64_t width, RandomResizedCropOptions options) {
  expect_size("RandomResizedCrop", height, width);
  expect_part("RandomResizedCrop", options.scale, options.ratio);
  does([height, width, options = std::move(options)](const Tensor& image, Draws& draws) {
    const Image from("RandomResizedCrop", image);
    std::optional<Rectangle> part = random_part(draws, from.height, from.width, options.scale, options.ratio);
    if (!part) {
      const double ratio = std::clamp(double(from.width) / double(from.height), options.ratio[0], options.ratio[1]);
      const auto round = [](double v) { return std::max<int64_t>(1, int64_t(math::round_even(v))); };
      const int64_t rows = std::min(from.height, round(double(from.width) / ratio));
      const int64_t columns = std::min(from.width, round(double(from.height) * ratio));
      part = Rectangle{(from.height - rows) / 2, (from.width - columns) / 2, rows, columns};
    }
    return resized(cropped(from, part->top, part->left, part->height, part->width, 0), height, width,
                   InterpolateMode::bilinear);
  });
}

template <bool kVertical>
constexpr const char* kFlip = kVertical ? "RandomVerticalFlip" : "RandomHorizontalFlip";

template <bool kVertical>
RandomFlip<kVertical>::RandomFlip(double p) {
  ORDO_CHECK(p >= 0 && p <= 1, ValueError, kFlip<kVertical>, "needs a probability from 0 to 1, not {}", p);
  does([=](const Tensor& image, Draws& draws) {
    const Image from(kFlip<kVertical>, image);
    if (!draws.chance(p)) return image;
    const Image to(from.channels, from.height, from.width);
    for (int64_t c = 0; c < from.channels; ++c)
      for (int64_t y = 0; y < from.height; ++y) {
        const float* const row = &from.at(c, kVertical ? from.height - 1 - y : y, 0);
        if constexpr (kVertical)
          std::copy_n(row, from.width, &to.at(c, y, 0));
        else
          std::reverse_copy(row, row + from.width, &to.at(c, y, 0));
      }
    return to.tensor;
  });
}
template struct RandomFlip<false>;
template struct RandomFlip<true>;

Resize::Resize(int64_t height, int64_t width, InterpolateMode mode) {
  expect_size("Resize", height, width);
  ordo::detail::expect_enumerator("Resize", mode, InterpolateMode::area, "a mode of interpolate()");
  does([=](const Tensor& image, Draws&) { return resized(Image("Resize", image).tensor, height, width, mode); });
}

RandomRotation::RandomRotation(double degrees, double fill) {
  ORDO_CHECK(degrees >= 0 && std::isfinite(degrees), ValueError, "RandomRotation",
             "needs a finite angle of at least 0, not {}", degrees);
  does([=](const Tensor& image, Draws& draws) { return rotate(image, degrees * (2 * draws.uniform() - 1), fill); });
}

}  // namespace ordo::data
