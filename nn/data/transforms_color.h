// Colours and erased parts of images float32 [C, H, W]; see transforms.h.
#pragma once

#include <vector>

#include <ordo/nn/data/transforms.h>

namespace ordo::data {

// Of images with values in [0, 1]; results are clamped to it. gray = 0.2989 red + 0.587 green + 0.114 blue, and an
// image of one channel is gray. Contrast, saturation and hue take one or three channels, ShapeError for others.
Tensor adjust_brightness(const Tensor& image, double factor);  ///< factor x
Tensor adjust_contrast(const Tensor& image, double factor);    ///< factor x + (1 - factor) mean(gray)
/// factor x + (1 - factor) gray; one channel stays as it is.
Tensor adjust_saturation(const Tensor& image, double factor);
/// The hue of the HSV model turned by `shift` circles, -0.5 to 0.5; one channel stays as it is.
Tensor adjust_hue(const Tensor& image, double shift);

struct ColorJitterOptions {
  double brightness = 0, contrast = 0, saturation = 0;  ///< factors are uniform in [max(0, 1 - it), 1 + it]
  double hue = 0;                                       ///< the shift is uniform in [-it, it], at most 0.5
};

/// The four above, in random order. Those whose option is 0 are left out.
class ColorJitter : public Transform {
 public:
  explicit ColorJitter(ColorJitterOptions options);
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  ColorJitterOptions options_;
};

/// (x - mean) / std; one mean and std for all channels or one each.
class Normalize : public Transform {
 public:
  Normalize(std::vector<double> mean, std::vector<double> std);
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  std::vector<double> mean_, std_;
};

struct RandomErasingOptions {
  double p = 0.5;
  std::vector<double> scale = {0.02, 0.33};  ///< least and greatest part of the image's area
  std::vector<double> ratio = {0.3, 3.3};    ///< width / height; its logarithm is uniform
  double value = 0;
};

/// With probability p, one rectangle is filled with `value`; the image stays as it is if ten drawn ones were larger.
class RandomErasing : public Transform {
 public:
  explicit RandomErasing(RandomErasingOptions options = {});
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  RandomErasingOptions options_;
};

}  // namespace ordo::data
